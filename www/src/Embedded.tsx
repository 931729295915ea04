// A run within another page: the stage, the charts named in its link, the transport, and a link to its own page.
import { type JSX, onMount, Show } from 'solid-js';
import { getAt } from './base/json.ts';
import { NoticeBar } from './panels/shell/NoticeBar.tsx';
import { Transport } from './panels/shell/Transport.tsx';
import type { App } from './state/app.ts';
import { unembedded } from './state/linkText.ts';
import { ChartsView, StageView } from './Views.tsx';
import './embedded.css';

export default function Embedded(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies' | 'dialogs' | 'links'>;
}): JSX.Element {
  const app = props.app;
  const link = (): string => unembedded(location.hash);
  onMount(async () => {
    if (window.parent === window) return;
    const { listen } = await import('./state/embed.ts');
    listen({ frame: app.transport.frame, playsOn: app.transport.playsOn, link, open: app.links.open });
  });
  return (
    <>
      <section class="embed-bar" aria-label="This run">
        <h1 class="title">{String(getAt(app.document.current(), 'title') ?? '') || 'Tokenyard'}</h1>
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
      </section>
      <main class="mid">
        <StageView app={app} />
        <Show when={(app.links.embed()?.length ?? 0) > 0}>
          <ChartsView app={app} only={app.links.embed()} />
        </Show>
      </main>
      <NoticeBar app={app} />
      <Transport app={app} />
    </>
  );
}
