// The measured accuracy of the queueing model on the engine's own step times: docs/data/queueing-validity.json.

import { For, type JSX } from 'solid-js';
import page from '../../../../docs/data/queueing-validity.json';
import { DASH, NBSP, plain } from '../../base/units.ts';
import { Block } from '../parts/Block.tsx';
import { TableHead } from '../parts/TableHead.tsx';

/** A difference in whole percent, with its sign. */
function apart(percent: number | null): string {
  if (percent === null) return DASH;
  const size = plain(Math.abs(percent));
  return `${percent < 0 ? '−' : percent > 0 ? '+' : ''}${size}${NBSP}%`;
}

export function Validity(): JSX.Element {
  return (
    <Block title="How far to trust it" remark={`measured in ${plain(page.runs.length)} runs`}>
      <p class="say scaling-tuning">{page.range}</p>
      <details>
        <summary>These runs, on the engine’s own step times</summary>
        <table class="tbl scaling-validity">
          <caption class="m">
            Excess of predicted over measured TTFT and ITL, at the load that was learnt from, and at λ*.
          </caption>
          <TableHead names={['Workload', 'req/s', 'there', 'λ*', 'at λ*']} />
          <tbody>
            <For each={page.runs}>
              {(run) => (
                <tr>
                  <th scope="row">{run.workload}</th>
                  <td>{plain(run.rate_per_s)}</td>
                  <td>
                    {apart(run.ttft_percent)}, {apart(run.itl_percent)}
                  </td>
                  <td>{run.replica_per_s === null ? DASH : plain(run.replica_per_s)}</td>
                  <td>
                    {apart(run.there_ttft_percent)}, {apart(run.there_itl_percent)}
                  </td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </details>
    </Block>
  );
}
