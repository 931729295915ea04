// How well the simulation ranks configurations: Kendall's tau-b of each set.
import { For, type JSX, Show } from 'solid-js';
import { DASH } from '../../base/units.ts';
import { type RankedSet, type Rankings, rankedBy } from './measuredData.ts';

const WIDTH = 200;

export function RankingPanel(props: { rankings: Rankings }): JSX.Element {
  /** The strip goes from -1, the opposite order, to 1, the same. */
  const x = (tau: number): number => 4 + ((WIDTH - 8) * (tau + 1)) / 2;
  const missed = (set: RankedSet): boolean => set.tau_b !== null && set.tau_b < props.rankings.target;
  return (
    <section class="truth-table-host" aria-label="Rankings" tabindex="0">
      <table class="truth-table">
        <thead>
          <tr>
            <th scope="col">Set</th>
            <th scope="col">By</th>
            <th scope="col" class="n">
              Configurations
            </th>
            <th scope="col" class="n">
              Pairs distinguished
            </th>
            <th scope="col">
              τ-b <i>−1 to 1, target {props.rankings.target}</i>
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={props.rankings.sets}>
            {(set) => (
              <tr>
                <th scope="row">{set.set}</th>
                <td>{rankedBy(set.metric)}</td>
                <td class="n">{set.configurations}</td>
                <td class="n">{set.pairs}</td>
                <td>
                  <Show when={set.tau_b !== null} fallback={<span>{DASH} no pair can be distinguished</span>}>
                    <span class="strip">
                      <svg width={WIDTH} height="16" viewBox={`0 0 ${WIDTH} 16`} aria-hidden="true">
                        <path class="axis" d={`M4 15.5H${WIDTH - 4}M${x(0)} 12v3`} />
                        <path class="target" d={`M${x(props.rankings.target).toFixed(1)} 1v14`} />
                        <circle class="dot" cx={x(set.tau_b ?? 0).toFixed(1)} cy="8" r="3" />
                      </svg>
                      <b classList={{ wa: missed(set) }}>
                        {missed(set) ? '◆ ' : ''}
                        {(set.tau_b ?? 0).toFixed(2)}
                      </b>
                    </span>
                  </Show>
                </td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}
