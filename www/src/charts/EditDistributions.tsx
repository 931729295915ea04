// Two distributions, each before and after an edit. Loaded when they are shown.
import { createEffect, createMemo, type JSX, onCleanup, onMount, Show, untrack } from 'solid-js';
import { count } from '../base/units.ts';
import type { ViewColumns } from '../base/view.ts';
import { attachSurface, type Surface } from '../draw/canvas.ts';
import type { Palette } from '../draw/inks.ts';
import type { Around } from '../generated/boundary.ts';
import { type EcdfPicture, ecdfRange } from './ecdfPicture.ts';
import { differenceSaid, isFewOf, type Pair, pairOf, pairSaid, spanSaid, spansSaid } from './editFigureWords.ts';
import { offers } from './pictures.ts';
import { valueAt } from './scales.ts';
import { TableButton } from './TableButton.tsx';

export default function EditDistributions(props: {
  readonly around: Around;
  readonly sloMs: Readonly<Record<'ttft' | 'e2e', number>>;
  readonly palette: Palette;
  readonly onTable: (name: 'ttft-ecdf' | 'e2e-ecdf', data: ViewColumns) => void;
}): JSX.Element {
  const one = (of: 'ttft' | 'e2e', title: string): JSX.Element => (
    <PairChart
      title={title}
      around={props.around}
      pair={pairOf(props.around, of)}
      sloMs={props.sloMs[of]}
      palette={props.palette}
      stroke={of === 'ttft' ? props.palette.prefill : props.palette.ink2}
      onTable={(data) => props.onTable(`${of}-ecdf`, data)}
    />
  );
  return (
    <div class="charts-shares">
      {one('ttft', 'TTFT')}
      {one('e2e', 'E2E')}
    </div>
  );
}

function PairChart(props: {
  readonly title: string;
  readonly around: Around;
  readonly pair: Pair;
  readonly sloMs: number;
  readonly palette: Palette;
  readonly stroke: string;
  readonly onTable: (data: ViewColumns) => void;
}): JSX.Element {
  let host: HTMLDivElement | undefined;
  let canvas: HTMLCanvasElement | undefined;
  let surface: Surface | undefined;
  const curves = createMemo(() => {
    const { before, after } = props.pair.curves;
    const columns = [before.ms, before.percent, after.ms, after.percent].map((list) => Float64Array.from(list));
    const [beforeMs = NONE, beforePercent = NONE, afterMs = NONE, afterPercent = NONE] = columns;
    return {
      before: { values: beforeMs, percents: beforePercent },
      after: { values: afterMs, percents: afterPercent },
    };
  });
  const few = (): boolean => isFewOf(props.pair);
  const picture = (): EcdfPicture => {
    const { before, after } = curves();
    const bulk = [before, after].flatMap(({ values, percents }) =>
      [0.5, 99.5].map((q) => valueAt(values, percents, q)),
    );
    const known = [...bulk, ...(props.sloMs > 0 ? [props.sloMs, props.sloMs * 1.1] : [])].filter(Number.isFinite);
    const range = ecdfRange(
      known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
      known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
    );
    const { after: p } = props.pair;
    const marks =
      p.count === 0
        ? []
        : ([
            [50, p.p50_us / 1000],
            [99, p.p99_us / 1000],
          ] as const);
    return {
      of: 'ecdf',
      ...after,
      before,
      sloMs: props.sloMs,
      stroke: props.stroke,
      empty: 'no request after the edit',
      marks,
      few: few(),
      ...range,
    };
  };
  offers({
    title: `${props.title} before and after the edit`,
    picture: () => untrack(picture),
    columns: () => untrack(() => tableOf(curves())),
    span: () => untrack(() => spansSaid(props.around)),
  });
  onMount(() => {
    if (!host || !canvas) return;
    surface = attachSurface(canvas, host, { palette: () => props.palette, picture });
    onCleanup(() => surface?.dispose());
  });
  createEffect(() => {
    curves();
    void [props.palette, props.sloMs];
    surface?.request();
  });
  return (
    <figure class="ecdf paired" aria-label={`${props.title} before and after the edit`}>
      <figcaption>
        <b>{props.title}</b> <i>%</i>
        <TableButton title={`${props.title} distribution`} onOpen={() => props.onTable(tableOf(curves()))} />
        <span class="readouts">
          <span>
            <i>p50</i> {differenceSaid(props.pair.differences[0])}
          </span>
          <span>
            <i>p99</i>{' '}
            <span classList={{ few: few(), strong: !few() }}>{differenceSaid(props.pair.differences[2])}</span>
          </span>
        </span>
      </figcaption>
      <p class="pair-key">
        <Key dashed />
        <span>before, {spanSaid(props.around.before)}</span>
        <Key dashed={false} />
        <span>after, n = {count(props.around.after.arrived)}</span>
        <Show when={few()}>
          <i class="few">few</i>
        </Show>
      </p>
      <div class="ecdf-host" ref={host}>
        <canvas ref={canvas} role="img" aria-label={pairSaid(props.title, props.around, props.pair)} />
      </div>
    </figure>
  );
}

function Key(props: { readonly dashed: boolean }): JSX.Element {
  return (
    <svg width="18" height="6" viewBox="0 0 18 6" aria-hidden="true" classList={{ dashed: props.dashed }}>
      <path d="M0 3h18" />
    </svg>
  );
}

const NONE = new Float64Array();
type Curve = { readonly values: Float64Array; readonly percents: Float64Array };

/** Both curves as columns of equal length. */
function tableOf({ before, after }: { readonly before: Curve; readonly after: Curve }): ViewColumns {
  const rows = Math.max(before.values.length, after.values.length);
  const padded = (of: Float64Array): Float64Array => Float64Array.from({ length: rows }, (_, i) => of[i] ?? Number.NaN);
  return {
    names: ['before_ms', 'before_percent', 'after_ms', 'after_percent'],
    columns: [before.values, before.percents, after.values, after.percents].map(padded),
  };
}
