// The marks of the note: on the timeline as controls with their text, and as lines over the charts. Loaded with the
// first mark.
import { createEffect, createSignal, For, type JSX, Show } from 'solid-js';
import { type Annotation, annotationsOf } from '../../base/annotations.ts';
import { getAt } from '../../base/json.ts';
import { plain } from '../../base/units.ts';
import type { App } from '../../state/app.ts';
import { timeWindow } from '../../state/view/closeup.ts';
import './noteMarks.css';

type Slices = Pick<App, 'transport' | 'document'>;

function marksOf(app: Slices): readonly Annotation[] {
  const end = app.transport.frame()?.axis_end_us ?? 0;
  return annotationsOf(String(getAt(app.document.current(), 'note') ?? '')).filter((mark) => mark.atUs <= end);
}

/** The marks on the timeline. */
export default function NoteMarks(props: { app: Slices }): JSX.Element {
  const { app } = props;
  let bar: HTMLDivElement | undefined;
  const [open, setOpen] = createSignal(-1);
  const [stop, setStop] = createSignal(0);
  const share = (us: number): number => us / Math.max(1, app.transport.frame()?.axis_end_us ?? 1);
  const place = (el: HTMLElement, us: number): void => {
    createEffect(() => {
      el.style.left = `${100 * share(us)}%`;
    });
  };
  const go = (to: number): void => {
    const all = [...(bar?.querySelectorAll('button') ?? [])];
    const next = Math.max(0, Math.min(all.length - 1, to));
    setStop(next);
    all[next]?.focus();
  };
  const key = (event: KeyboardEvent): void => {
    const to = { ArrowRight: stop() + 1, ArrowLeft: stop() - 1, Home: 0, End: marksOf(app).length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(to);
  };
  return (
    <div
      ref={bar}
      class="note-marks-bar"
      role="toolbar"
      aria-label={`Marks of the note, ${marksOf(app).length}`}
      onKeyDown={key}
      onFocusOut={() => setOpen(-1)}
    >
      <For each={marksOf(app)}>
        {(mark, i) => (
          <button
            type="button"
            class="note-mark"
            tabIndex={i() === Math.min(stop(), marksOf(app).length - 1) ? 0 : -1}
            aria-label={`Mark at ${plain(mark.atUs / 1e6)} s: ${mark.text}`}
            ref={(el) => place(el, mark.atUs)}
            onPointerEnter={() => setOpen(i())}
            onPointerLeave={() => setOpen(-1)}
            onFocus={() => {
              setStop(i());
              setOpen(i());
            }}
            onClick={() => void app.transport.seek(mark.atUs / 1e6)}
          >
            <svg width="9" height="12" viewBox="0 0 9 12" aria-hidden="true">
              <path d="M1 1h7v6l-3.500 4L1 7z" />
            </svg>
          </button>
        )}
      </For>
      <Show when={marksOf(app)[open()]}>
        {(mark) => (
          <p
            class="note-mark-text"
            classList={{ first: share(mark().atUs) < 0.1, last: share(mark().atUs) > 0.9 }}
            aria-hidden="true"
            ref={(el) => createEffect(() => (el.style.left = `${100 * share(mark().atUs)}%`))}
          >
            <b>{plain(mark().atUs / 1e6)} s</b> {mark().text}
          </p>
        )}
      </Show>
    </div>
  );
}

/** The marks over the charts, as lines; the timeline below has their texts and controls. */
export function NoteLines(props: { app: Slices }): JSX.Element {
  const span = (): { readonly fromS: number; readonly toS: number } =>
    timeWindow() ?? { fromS: 0, toS: (props.app.transport.frame()?.axis_end_us ?? 0) / 1e6 };
  const within = (): readonly Annotation[] =>
    marksOf(props.app).filter(({ atUs }) => atUs / 1e6 >= span().fromS && atUs / 1e6 <= span().toS);
  return (
    <div class="note-lines" aria-hidden="true">
      <For each={within()}>
        {(mark) => (
          <span
            class="note-line-mark"
            ref={(el) => {
              createEffect(() => {
                const { fromS, toS } = span();
                el.style.left = `${(100 * (mark.atUs / 1e6 - fromS)) / Math.max(1e-6, toS - fromS)}%`;
              });
            }}
          />
        )}
      </For>
    </div>
  );
}
