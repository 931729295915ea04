// One distribution chart: title, share within the objective, curve.

import { createEffect, createMemo, type JSX, onCleanup, onMount, Show, untrack } from 'solid-js';
import { offsetIn } from '../base/pointer.ts';
import { count, durationMs, percent, text } from '../base/units.ts';
import { isFew, type ViewColumns } from '../base/view.ts';
import { attachSurface, type Surface } from '../draw/canvas.ts';
import type { Palette } from '../draw/inks.ts';
import type { Percentiles } from '../generated/boundary.ts';
import { type EcdfPicture, ecdfRange, msAt } from './ecdfPicture.ts';
import { offers } from './pictures.ts';
import { HeldRange, valueAt } from './scales.ts';
import { type OnTools, ToolsButton } from './ToolsButton.tsx';

export type EcdfProps = {
  readonly title: string;
  readonly data: ViewColumns | undefined;
  /** The percentiles marked on the curve: those of the key figures, over the same span. */
  readonly tail: Percentiles | undefined;
  /** The share of these values within the objective. */
  readonly within: number;
  readonly span: string;
  readonly sloMs: number;
  readonly palette: Palette;
  readonly stroke: string;
  readonly nowS: number;
  readonly empty: string;
  readonly onTable: () => void;
  readonly onTools: OnTools;
  /** Measured percentiles: percent and milliseconds. */
  readonly measured: readonly (readonly [percent: number, ms: number])[];
  /** The latency of the selected request. */
  readonly markMs?: number | undefined;
  /** A value was clicked. */
  readonly onValue?: ((ms: number) => void) | undefined;
  /** The same distribution in the run without the last edit, at the same instant. */
  readonly without?: { readonly label: string; readonly data: ViewColumns | undefined } | undefined;
  /** What has the values, if not requests. */
  readonly things?: string;
};

const NONE = new Float64Array();

const withBefore = (before: EcdfPicture['before']): Pick<EcdfPicture, 'before'> => (before ? { before } : {});

export function Ecdf(props: EcdfProps): JSX.Element {
  let host: HTMLDivElement | undefined;
  let canvas: HTMLCanvasElement | undefined;
  let surface: Surface | undefined;
  const held = new HeldRange();
  // The data of all charts are one signal: this chart is redrawn only if its own columns are new.
  const data = createMemo(() => props.data);
  const span = createMemo(() => props.span);
  const tail = createMemo(() => props.tail);
  const few = (): boolean => isFew(tail()?.count ?? 0);
  const sloMs = createMemo(() => props.sloMs);
  const measured = createMemo(() => props.measured);
  /** The curve of the other run, if it has one. */
  const before = createMemo(() => {
    const [ms, share] = props.without?.data?.columns ?? [];
    return ms && share && ms.length > 0 ? { values: ms, percents: share } : undefined;
  });
  const values = (): Float64Array => data()?.columns[0] ?? NONE;
  const percents = (): Float64Array => data()?.columns[1] ?? NONE;

  /** Percent and milliseconds. */
  const marks = (): readonly (readonly [number, number])[] => {
    const p = tail();
    if (!p || p.count === 0) return [];
    return [
      [50, p.p50_us / 1000],
      [90, p.p90_us / 1000],
      [99, p.p99_us / 1000],
    ];
  };

  let shown = { low: 10, high: 10_000 };
  const click = (event: MouseEvent): void => {
    if (canvas && values().length > 0)
      props.onValue?.(msAt(offsetIn(canvas, event).offsetX, canvas.clientWidth, shown.low, shown.high));
  };

  const picture = (): EcdfPicture => {
    const v = values();
    if (!data()) held.reset();
    // The outermost half percent may be beyond the edge: the axis fits the bulk.
    const low = valueAt(v, percents(), 0.5);
    const high = Math.max(valueAt(v, percents(), 99.5), sloMs() * 1.1);
    for (const [, ms] of measured()) held.extend(ms, ms, props.nowS);
    held.extend(Math.min(low, sloMs() > 0 ? sloMs() : low), high, props.nowS);
    const range = ecdfRange(held.low, held.high);
    shown = range;
    return {
      of: 'ecdf',
      values: v,
      percents: percents(),
      sloMs: sloMs(),
      stroke: props.stroke,
      // Nothing is said before the values have come.
      empty: data() ? props.empty : '',
      marks: measured().length > 0 ? [] : marks(),
      few: few(),
      measured: measured(),
      markMs: props.markMs,
      ...withBefore(before()),
      ...range,
    };
  };

  offers({
    title: `${props.title} distribution`,
    picture: () => untrack(picture),
    columns: data,
    span: () => untrack(span),
  });
  onMount(() => {
    if (!host || !canvas) return;
    surface = attachSurface(canvas, host, { palette: () => props.palette, picture });
    onCleanup(() => surface?.dispose());
  });
  createEffect(() => {
    void data();
    void props.palette;
    tail();
    sloMs();
    measured();
    void [props.markMs, before()];
    surface?.request();
  });

  const readout = createMemo(() => {
    const p = tail();
    if (!p || p.count === 0) return '';
    if (sloMs() > 0) return `${text(percent(props.within))} in ${text(durationMs(sloMs()))}`;
    return `p50 ${text(durationMs(p.p50_us / 1000))}`;
  });
  const measuredWords = (): string =>
    measured().length === 0
      ? ''
      : ` Measured: ${measured()
          .map(([q, ms]) => `p${q} ${text(durationMs(ms))}`)
          .join(', ')}.`;
  const sentence = createMemo(() => {
    if (readout() === '') return `Distribution of ${props.title}: ${props.empty}.`;
    const at = (q: number): string => text(durationMs(marks().find(([percent]) => percent === q)?.[1] ?? Number.NaN));
    const within = `${sloMs() > 0 ? `; ${readout()}` : ''}${few() ? `; of ${count(tail()?.count ?? 0)} values` : ''}`;
    return `Distribution of ${props.title}, ${span()}: half of the ${props.things ?? 'requests'} within ${at(50)}, 90 % within ${at(90)}, 99 % within ${at(99)}${within}.${measuredWords()}`;
  });

  return (
    <figure class="ecdf" classList={{ paired: before() !== undefined }} aria-label={`${props.title} distribution`}>
      <figcaption>
        <b>{props.title}</b>{' '}
        <i>
          % · {span()}
          {measured().length > 0 ? ' · ○ measured' : ''}
        </i>
        <ToolsButton title={`${props.title} distribution`} onTable={props.onTable} onTools={props.onTools} />
        {/* Parts without room are hidden, never cut. */}
        <span class="readouts">
          <span>{readout()}</span>
          <Show when={few()}>
            <i>n = {count(tail()?.count ?? 0)}</i>
          </Show>
        </span>
      </figcaption>
      <Show when={before()}>
        <p class="pair-key">
          <svg width="18" height="6" viewBox="0 0 18 6" aria-hidden="true" class="dashed">
            <path d="M0 3h18" />
          </svg>
          <span>{props.without?.label}</span>
        </p>
      </Show>
      <div class="ecdf-host" ref={host}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={sentence()}
          title={props.onValue && 'Click: open the request at this latency'}
          onClick={click}
        />
      </div>
    </figure>
  );
}
