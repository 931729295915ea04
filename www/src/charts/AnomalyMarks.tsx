// The anomalies of the timeline as controls: one stop of the Tab key, arrows move between marks, each with its
// sentences.
import { createEffect, createMemo, createSignal, For, Index, type JSX, Show } from 'solid-js';
import { type Cluster, named, shapeOf } from '../base/anomalies.ts';
import { clock, count } from '../base/units.ts';
import { AnomalyGlyph } from '../draw/shapes.tsx';
import type { AnomalyMark } from '../generated/boundary.ts';

/** Sentences shown for a cluster under the pointer; once it is chosen, all are shown. */
const GLANCE = 3;
const CARD = 340;
const LEAVE_MS = 200;

export type AnomalyMarksProps = {
  readonly clusters: readonly Cluster[];
  /** The number of anomalies, including those without a mark. */
  readonly count: number;
  readonly width: number;
  readonly nowUs: number;
  readonly onPoint: (cluster: number) => void;
  readonly onPick: (mark: AnomalyMark) => void;
};

export default function AnomalyMarks(props: AnomalyMarksProps): JSX.Element {
  let bar: HTMLDivElement | undefined;
  let card: HTMLDivElement | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  const [stop, setStop] = createSignal(0);
  const [open, setOpen] = createSignal(-1);
  const [whole, setWhole] = createSignal(false);
  const shown = createMemo(() => props.clusters[open()]);
  const listed = createMemo(() => shown()?.marks.slice(0, whole() ? undefined : GLANCE) ?? []);
  const left = (): number => (shown()?.marks.length ?? 0) - listed().length;
  const total = (): number => props.clusters.reduce((n, c) => n + c.marks.length, 0);
  createEffect(() => props.onPoint(open()));

  const point = (cluster: number): void => {
    clearTimeout(leaving);
    if (cluster !== open()) setWhole(false);
    setOpen(cluster);
  };
  const leave = (): void => {
    clearTimeout(leaving);
    leaving = setTimeout(() => {
      if (!bar?.contains(document.activeElement)) setOpen(-1);
    }, LEAVE_MS);
  };
  const buttons = (within: HTMLElement | undefined): HTMLButtonElement[] => [
    ...(within?.querySelectorAll<HTMLButtonElement>(':scope > button') ?? []),
  ];
  const go = (to: number): void => {
    const marks = buttons(bar);
    const next = Math.max(0, Math.min(marks.length - 1, to));
    setStop(next);
    marks[next]?.focus();
  };
  const pick = (mark: AnomalyMark): void => {
    setOpen(-1);
    props.onPick(mark);
  };
  /** A single anomaly is shown at once; of several, the user chooses one. */
  const choose = (cluster: Cluster, i: number): void => {
    const [only, ...rest] = cluster.marks;
    if (only && rest.length === 0) {
      pick(only);
      return;
    }
    point(i);
    setWhole(true);
    buttons(card)[0]?.focus();
  };
  const key = (event: KeyboardEvent): void => {
    const inCard = card?.contains(document.activeElement) ?? false;
    const lines = buttons(card);
    const line = lines.findIndex((b) => b.matches(':focus'));
    const moves: Record<string, (() => void) | undefined> = inCard
      ? {
          ArrowDown: () => lines[Math.min(lines.length - 1, line + 1)]?.focus(),
          ArrowUp: () => (line <= 0 ? go(open()) : lines[line - 1]?.focus()),
          Escape: () => go(open()),
        }
      : {
          ArrowRight: () => go(stop() + 1),
          ArrowLeft: () => go(stop() - 1),
          ArrowUp: () => buttons(card).at(-1)?.focus(),
          Home: () => go(0),
          End: () => go(props.clusters.length - 1),
          Escape: open() < 0 ? undefined : () => setOpen(-1),
        };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  return (
    <div
      class="anomalies"
      role="toolbar"
      aria-label={`Anomalies, ${count(props.count)} so far`}
      ref={bar}
      onKeyDown={key}
      onFocusOut={(event) => {
        if (!(event.relatedTarget instanceof Node) || !bar?.contains(event.relatedTarget)) setOpen(-1);
      }}
    >
      <Index each={props.clusters}>
        {(cluster, i) => (
          <button
            type="button"
            class="anomaly-mark"
            tabIndex={i === Math.min(stop(), props.clusters.length - 1) ? 0 : -1}
            aria-label={spoken(cluster())}
            aria-expanded={open() === i}
            ref={(el) => createEffect(() => (el.style.left = `${cluster().x}px`))}
            onPointerEnter={(event) => event.pointerType !== 'touch' && point(i)}
            onPointerLeave={leave}
            onFocus={() => {
              setStop(i);
              point(i);
            }}
            onClick={() => choose(cluster(), i)}
          />
        )}
      </Index>
      <Show when={shown()}>
        {(cluster) => (
          <div
            class="anomaly-card"
            ref={(el) => {
              card = el;
              createEffect(() => {
                el.style.left = `${Math.max(8, Math.min(props.width - CARD - 8, cluster().x - CARD / 2))}px`;
              });
            }}
            onPointerEnter={() => clearTimeout(leaving)}
            onPointerLeave={leave}
          >
            <For each={listed()}>
              {(mark) => (
                <button type="button" class="anomaly-line" onClick={() => pick(mark)}>
                  <AnomalyGlyph kind={mark.kind} />
                  <span>
                    <b>{clock(mark.at_us)} s</b> {shapeOf(mark.kind).name}
                    {mark.at_us > props.nowUs ? ', ahead' : ''}
                    <br />
                    {mark.label}
                  </span>
                </button>
              )}
            </For>
            <Show when={left() > 0}>
              <p class="m">and {count(left())} more: click, or press Enter</p>
            </Show>
            <Show when={whole() && props.count > total()}>
              <p class="m">
                The first {count(total())} of {count(props.count)} anomalies have marks.
              </p>
            </Show>
          </div>
        )}
      </Show>
    </div>
  );
}

function spoken(cluster: Cluster): string {
  const [first] = cluster.marks;
  const at = clock(first?.at_us ?? 0);
  return cluster.marks.length === 1
    ? `${at} s, ${named(cluster.marks)}: ${first?.label ?? ''}`
    : `${cluster.marks.length} anomalies from ${at} s: ${named(cluster.marks)}`;
}
