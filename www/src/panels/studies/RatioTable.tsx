// The ratios that were tried: capacity, what is met at the scenario's own rates, and the difference to the best one.
import { For, type JSX, Show } from 'solid-js';
import { DASH, NBSP, percent, sig3, text } from '../../base/units.ts';
import type { RatioCase, RatioResult, RatioRow } from '../../generated/boundary.ts';

/** A value and the ends of its interval, if it has one. */
function withInterval(mean: number | null | undefined, lo?: number | null, hi?: number | null): string {
  if (mean === null || mean === undefined) return DASH;
  const known = lo !== null && lo !== undefined && hi !== null && hi !== undefined;
  return known ? `${sig3(mean)} (${sig3(lo)} to ${sig3(hi)})` : sig3(mean);
}

/** The difference of a row to the best one, in words. */
export function toBest(row: RatioRow, isBest: boolean): string {
  if (isBest) return 'the best';
  if (row.tied) return 'no difference can be shown';
  const diff = row.to_best?.diff;
  return diff === null || diff === undefined ? DASH : `${sig3(diff).replace('-', '−')}${NBSP}req/s`;
}

export function RatioTable(props: { found: RatioResult; onUse: (row: RatioCase) => void }): JSX.Element {
  const capacity = ({ capacity, ended }: RatioRow): string => {
    if (!capacity) return ended > 0 ? `${ended} of ${props.found.seeds} seeds in` : DASH;
    return capacity.rate_per_s === null
      ? capacity.end.replaceAll('-', ' ')
      : withInterval(capacity.rate_per_s, capacity.lo, capacity.hi);
  };
  return (
    <section class="race-table" aria-label="Ratios" tabindex="0">
      <table class="tbl">
        <caption class="visually-hidden">
          Capacity with each ratio, {props.found.at}; means over {props.found.seeds} seeds
        </caption>
        <thead>
          <tr>
            <th>Prefill : decode</th>
            <th class="r">Capacity, req/s</th>
            <th class="r">Goodput now, req/s</th>
            <th class="r">Objectives met now</th>
            <th>Against the best</th>
            <th>
              <span class="visually-hidden">Use it</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={props.found.rows}>
            {(row, i) => (
              <tr classList={{ pick: i() === props.found.best }}>
                <th scope="row">{row.case.ratio.replace(':', ' : ')}</th>
                <td class="r">{capacity(row)}</td>
                <td class="r">{withInterval(row.goodput_per_s?.mean, row.goodput_per_s?.lo, row.goodput_per_s?.hi)}</td>
                <td class="r">
                  {typeof row.met_share?.mean === 'number' ? text(percent(row.met_share.mean, 1)) : DASH}
                </td>
                <td>{toBest(row, i() === props.found.best)}</td>
                <td>
                  <Show when={row.case.prefill > 0}>
                    <button
                      type="button"
                      class="btn box slim"
                      aria-label={`Use ${row.case.ratio}`}
                      onClick={() => props.onUse(row.case)}
                    >
                      Use
                    </button>
                  </Show>
                </td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <p class="say">{props.found.at}. “Now” is at the scenario’s own arrival rates.</p>
    </section>
  );
}
