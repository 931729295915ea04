// Further figures of both runs: refusals by reason, preemptions, hits of requests, variation of load, costs, anomalies.

import { createMemo, For, type JSX, Show } from 'solid-js';
import { DASH } from '../../base/units.ts';
import type { FigureComparison, RunComparison } from '../../generated/boundary.ts';
import { TableHead } from '../parts/TableHead.tsx';
import { metricText } from './metricText.ts';

export function MoreFigures(props: { comparison: RunComparison | undefined }): JSX.Element {
  const rows = createMemo(() => (props.comparison?.figures ?? []).filter((f) => (f.a ?? 0) !== 0 || (f.b ?? 0) !== 0));
  const say = (figure: FigureComparison, value: number | null): string =>
    value === null ? DASH : metricText(figure.unit, value);
  return (
    <Show when={rows().length > 0}>
      <details class="more-figures">
        <summary>Further figures</summary>
        <table class="tbl">
          <caption class="visually-hidden">Further figures of the whole runs</caption>
          <TableHead names={['Figure', 'A', 'B']} />
          <tbody>
            <For each={rows()}>
              {(figure) => (
                <tr>
                  <th scope="row">{figure.label}</th>
                  <td>{say(figure, figure.a)}</td>
                  <td>{say(figure, figure.b)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </details>
    </Show>
  );
}
