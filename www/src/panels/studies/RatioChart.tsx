// The capacity by ratio: a dot with its interval for each, the mixed arrangement as a level line.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { NBSP, plain, sig3 } from '../../base/units.ts';
import { linearTop } from '../../charts/scales.ts';
import type { RatioResult, RatioRow } from '../../generated/boundary.ts';
import { Axes, along, lineOf, StudyFigure, upward } from './StudyFigure.tsx';

/** The rows of a ratio, and that of the mixed arrangement. */
function parted(found: RatioResult): { readonly split: readonly RatioRow[]; readonly mixed: RatioRow | undefined } {
  return {
    split: found.rows.filter((row) => row.case.prefill > 0),
    mixed: found.rows.find((row) => row.case.prefill === 0),
  };
}

export function RatioChart(props: { found: RatioResult }): JSX.Element {
  const rows = createMemo(() => parted(props.found));
  const best = (): RatioRow | undefined => (props.found.best === null ? undefined : props.found.rows[props.found.best]);
  const top = createMemo(() =>
    linearTop(
      props.found.rows.reduce((most, row) => Math.max(most, row.capacity?.hi ?? row.capacity?.rate_per_s ?? 0), 0),
    ),
  );
  const y = (rate: number): number => upward(rate / (top() || 1));
  const rate = (row: RatioRow): number => row.capacity?.rate_per_s ?? Number.NaN;
  /** Every ratio has its own place, also where some were left out. */
  const place = (i: number, width: number): number => along((i + 0.5) / Math.max(1, rows().split.length), width);
  return (
    <StudyFigure
      title={
        <>
          <b>Capacity by ratio</b> <span class="s">req/s, prefill : decode; bars: 95 % intervals over the seeds</span>
        </>
      }
      label="Capacity with each ratio of prefill to decode replicas; the table below has the values"
    >
      {(width) => (
        <>
          <Axes
            width={width}
            rows={[0, top() / 2, top()].map((v) => [v, plain(v)])}
            y={y}
            columns={rows().split.map((row, i) => [i, row.case.ratio])}
            x={(i) => place(i, width)}
          />
          <Show when={rows().mixed?.capacity?.rate_per_s}>
            {(level) => (
              <>
                <path class="sweep-limit" d={`M${along(0, width)} ${y(level())}H${along(1, width)}`} />
                <text x={along(0, width) + 4} y={y(level()) - 4}>
                  mixed {sig3(level())}
                </text>
              </>
            )}
          </Show>
          <path
            class="line sweep-1"
            d={lineOf(
              rows().split.map((row, i) => [i, rate(row)]),
              (i) => place(i, width),
              y,
            )}
          />
          <For each={rows().split}>
            {(row, i) => (
              <Show when={Number.isFinite(rate(row))}>
                <Show when={row.capacity?.lo !== null}>
                  <path
                    class="sweep-bar"
                    d={`M${place(i(), width)} ${y(row.capacity?.lo ?? 0)}V${y(row.capacity?.hi ?? 0)}`}
                  />
                </Show>
                <circle
                  class={row === best() ? 'ratio-best' : 'ratio-dot'}
                  cx={place(i(), width)}
                  cy={y(rate(row))}
                  r={row === best() ? 4 : 3}
                >
                  <title>{`${row.case.ratio}: ${sig3(rate(row))}${NBSP}req/s`}</title>
                </circle>
                <Show when={row === best()}>
                  <text class="ratio-name" x={place(i(), width)} y={Math.max(8, y(rate(row)) - 8)} text-anchor="middle">
                    {sig3(rate(row))}
                  </text>
                </Show>
              </Show>
            )}
          </For>
        </>
      )}
    </StudyFigure>
  );
}
