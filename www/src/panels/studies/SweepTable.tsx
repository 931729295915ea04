// The cases of a sweep as a table, means over the seeds.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { DASH, durationMs, NO_PRICE, percent, plain, ratePerS, text, usd } from '../../base/units.ts';
import { RUN_METRICS, type SweepPoint, type SweepSummary } from '../../generated/boundary.ts';
import { TrustChip } from '../parts/Trust.tsx';
import { metricText } from './metricText.ts';
import { type Axis, figureOf } from './SweepCharts.tsx';

type Column = {
  readonly figure: string;
  readonly title: string;
  readonly says: (value: number) => string;
};
const COST = 'usd_per_million_output_tokens';
const COLUMNS: readonly Column[] = [
  { figure: 'arrived_per_s', title: 'Arrivals', says: (v) => text(ratePerS(v)) },
  { figure: 'ttft_p50_ms', title: 'TTFT p50', says: (v) => text(durationMs(v)) },
  { figure: 'ttft_p99_ms', title: 'TTFT p99', says: (v) => text(durationMs(v)) },
  { figure: 'itl_p99_ms', title: 'ITL p99', says: (v) => text(durationMs(v)) },
  { figure: 'met_share', title: 'Objectives met *', says: (v) => text(percent(v, 1)) },
  { figure: COST, title: 'Cost of 1M output', says: usd },
];

/** Whether the latencies of all points can be trusted equally. */
function oneClass(summary: SweepSummary): boolean {
  return summary.points.every((point) => point.evidence === summary.points[0]?.evidence);
}

export function SweepTable(props: { summary: SweepSummary; axis: Axis }): JSX.Element {
  const value = (point: SweepPoint, i: number): string => {
    const said = point.values[i] ?? '';
    const axis = props.summary.paths[i] === props.axis.path;
    return axis ? plain(Number(said) / props.axis.times) : said.replaceAll('"', '');
  };
  const said = (point: SweepPoint, column: Column): string => {
    const mean = figureOf(point, column.figure)?.mean;
    if (mean !== null && mean !== undefined) return column.says(mean);
    const answered = typeof figureOf(point, 'ttft_p50_ms')?.mean === 'number';
    return column.figure === COST && answered ? NO_PRICE : DASH;
  };
  const [chosen, setChosen] = createSignal('');
  /** The further figures that are not 0 in every case. */
  const further = createMemo(() =>
    RUN_METRICS.filter(([name]) => props.summary.points.some((point) => (figureOf(point, name)?.mean ?? 0) !== 0)),
  );
  const columns = createMemo((): readonly Column[] => {
    const also = further().find(([name]) => name === chosen());
    if (!also) return COLUMNS;
    const [figure, title, unit] = also;
    return [...COLUMNS, { figure, title, says: (v) => metricText(unit, v) }];
  });
  return (
    <section class="race-table" aria-label="Cases of the sweep" tabindex="0">
      <Show when={further().length > 0}>
        <label>
          Further figure{' '}
          <select class="in" value={chosen()} onChange={(event) => setChosen(event.currentTarget.value)}>
            <option value="">None</option>
            <For each={further()}>{([name, label]) => <option value={name}>{label}</option>}</For>
          </select>
        </label>
      </Show>
      <table class="tbl">
        <caption class="visually-hidden">The cases of the sweep, means over the seeds</caption>
        <thead>
          <tr>
            <For each={props.summary.paths}>
              {(path) => <th>{path === props.axis.path ? `${props.axis.title} ${props.axis.unit}` : path}</th>}
            </For>
            <For each={columns()}>{(column) => <th class="r">{column.title}</th>}</For>
            <th>Best trade-off</th>
            <Show when={!oneClass(props.summary)}>
              <th>Evidence</th>
            </Show>
          </tr>
        </thead>
        <tbody>
          <For each={props.summary.points}>
            {(point, i) => (
              <tr>
                <For each={props.summary.paths}>{(_, k) => <td>{value(point, k())}</td>}</For>
                <For each={columns()}>{(column) => <td class="r">{said(point, column)}</td>}</For>
                <td>
                  <Show when={props.summary.front.includes(i())}>
                    <span aria-hidden="true">✓</span>
                    <span class="visually-hidden">yes</span>
                  </Show>
                  <Show when={point.doubt}>
                    <span aria-hidden="true"> ?</span>
                    <span class="visually-hidden">, not certain</span>
                  </Show>
                </td>
                <Show when={!oneClass(props.summary)}>
                  <td>{point.evidence}</td>
                </Show>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <For each={props.summary.points.filter((point) => point.doubt)}>
        {(point) => (
          <p class="say">
            ? {props.summary.paths.map((_, k) => value(point, k)).join(', ')}: {point.doubt}.
          </p>
        )}
      </For>
      <Show when={oneClass(props.summary)}>
        <TrustChip pools={props.summary.evidence} label="All cases" />
      </Show>
      <p class="say">
        * of the requests that finished, were refused or dropped; refused and dropped ones count as misses.
      </p>
    </section>
  );
}
