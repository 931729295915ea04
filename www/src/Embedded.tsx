// A run within another page: stage, the charts that its link names, transport, and the way to a page of its own.
import { type JSX, onMount, Show } from 'solid-js';
import { getAt } from './base/json.ts';
import { Charts } from './charts/Charts.tsx';
import { NoticeBar } from './panels/NoticeBar.tsx';
import { Transport } from './panels/Transport.tsx';
import { Stage } from './stage/Stage.tsx';
import type { App } from './state/app.ts';
import { unembedded } from './state/linkText.ts';
import './embedded.css';

export default function Embedded(props: { app: App }): JSX.Element {
  const app = props.app;
  const link = (): string => unembedded(location.hash);
  onMount(async () => {
    if (window.parent === window) return;
    const { listen } = await import('./state/embed.ts');
    listen({ frame: app.frame, playsOn: app.playsOn, link, open: app.links.open });
  });
  return (
    <>
      <div class="embed-bar">
        <h1 class="title">{String(getAt(app.document(), 'title') ?? '') || 'Tokenyard'}</h1>
        <span class="grow" />
        <a
          class="corner"
          href="./"
          target="_blank"
          rel="noopener"
          onClick={(event) => {
            event.currentTarget.href = `./${link()}`;
          }}
        >
          Open in Tokenyard
        </a>
      </div>
      <main class="mid">
        <section class="stage" aria-label="Stage">
          <Stage
            frame={app.frame()}
            speed={app.speed()}
            playing={app.playing()}
            selected={app.selected()}
            onSelect={app.select}
            onSay={(sentence) => app.tell(sentence)}
            reducedMotion={app.reducedMotion()}
          />
        </section>
        <Show when={(app.links.embed()?.length ?? 0) > 0}>
          <section class="charts" aria-label="Charts">
            <Charts
              data={app.data()}
              cursorS={app.cursorS()}
              onCursor={app.setCursorS}
              frame={app.frame()}
              selected={app.selected()}
              onSelect={app.select}
              onPlace={app.openSlowest}
              onSeek={(timeS) => void app.seek(timeS)}
              warmUpS={app.warmUpS()}
              only={app.links.embed()}
            />
          </section>
        </Show>
      </main>
      <NoticeBar app={app} />
      <Transport app={app} />
    </>
  );
}
