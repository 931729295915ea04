// A run within another page: the stage, the charts named in its link, the transport, and a link to its own page. A step of a
// lesson has its card and its charts.
import { createEffect, createMemo, type JSX, onCleanup, onMount, Show, untrack } from 'solid-js';
import { getAt } from '../base/json.ts';
import { LazyPart } from '../panels/parts/LazyPart.tsx';
import { NoteText } from '../panels/parts/NoteText.tsx';
import { NoticeBar } from '../panels/shell/NoticeBar.tsx';
import { Transport } from '../panels/shell/Transport.tsx';
import type { App } from '../state/app.ts';
import { lesson, lessonLink } from '../state/lessons/lesson.ts';
import { NOTE_BESIDE, STARTS_IN_VIEW, unembedded } from '../state/links/linkText.ts';
import { AreaView, ChartsView, StageView } from './Views.tsx';
import './embedded.css';

const loadLesson = () => import('./EmbeddedLesson.tsx');

export default function Embedded(props: { app: App }): JSX.Element {
  const app = props.app;
  const link = (): string => lessonLink() ?? unembedded(location.hash);
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
    const { listen } = await import('../state/links/embed.ts');
    listen({ frame: app.transport.frame, playsOn: app.transport.playsOn, link, open: app.links.open });
  });
  return (
    <>
      <section class="embed-bar" aria-label="This run">
        <h1 class="title">{String(getAt(app.document.current(), 'title') ?? '') || 'Tokenyard'}</h1>
        <span class="grow" />
        <a
          class="corner"
          href="../"
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
        <Show when={lesson()}>
          <AreaView app={app} />
        </Show>
        <Show when={charts().length > 0}>
          <ChartsView app={app} only={charts()} />
        </Show>
      </main>
      <Show when={lesson()}>
        <LazyPart app={app} what="The lesson" load={loadLesson} />
      </Show>
      <NoticeBar app={app} />
      <Transport app={app} />
    </>
  );
}
