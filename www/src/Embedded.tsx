// A run within another page: the stage, the charts named in its link, the transport, and a link to its own page.
import { createEffect, createMemo, type JSX, onCleanup, onMount, Show, untrack } from 'solid-js';
import { getAt } from './base/json.ts';
import { NoteText } from './panels/parts/NoteText.tsx';
import { NoticeBar } from './panels/shell/NoticeBar.tsx';
import { Transport } from './panels/shell/Transport.tsx';
import type { App } from './state/app.ts';
import { NOTE_BESIDE, STARTS_IN_VIEW, unembedded } from './state/linkText.ts';
import { ChartsView, StageView } from './Views.tsx';
import './embedded.css';

export default function Embedded(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies' | 'dialogs' | 'links'>;
}): JSX.Element {
  const app = props.app;
  const link = (): string => unembedded(location.hash);
  const has = (name: string): boolean => app.links.embed()?.includes(name) ?? false;
  const charts = (): readonly string[] =>
    (app.links.embed() ?? []).filter((name) => name !== NOTE_BESIDE && name !== STARTS_IN_VIEW);
  const note = (): string => (has(NOTE_BESIDE) ? String(getAt(app.document.current(), 'note') ?? '') : '');
  let main: HTMLElement | undefined;
  const starts = createMemo(() => has(STARTS_IN_VIEW));
  const opened = createMemo(() => app.transport.frame() !== undefined);
  /** Plays once, when the frame is first seen. */
  createEffect(() => {
    if (!starts() || !main || !opened() || !('IntersectionObserver' in window)) return;
    const watch = new IntersectionObserver((seen) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      watch.disconnect();
      if (!untrack(app.transport.playsOn) && !untrack(app.transport.reducedMotion)) void app.transport.toggle();
    });
    watch.observe(main);
    onCleanup(() => watch.disconnect());
  });
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
      <main class="mid" ref={main}>
        <Show when={note() !== ''}>
          <section class="embed-note" aria-label="Note">
            <NoteText text={note()} onVisit={(target) => void app.transport.visit(target)} />
          </section>
        </Show>
        <StageView app={app} />
        <Show when={charts().length > 0}>
          <ChartsView app={app} only={charts()} />
        </Show>
      </main>
      <NoticeBar app={app} />
      <Transport app={app} />
    </>
  );
}
