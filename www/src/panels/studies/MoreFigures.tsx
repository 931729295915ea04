// Further figures of both runs: refusals by reason, preemptions, hits of requests, variation of load, costs, anomalies. Their names
// and units come with the comparison.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { count, DASH, percent, sig3, text } from '../../base/units.ts';
import type { FigureComparison, MetricUnit, RunComparison } from '../../generated/boundary.ts';

const SAY: Readonly<Record<MetricUnit, (value: number) => string>> = {
  count,
  ratio: sig3,
  share: (value) => text(percent(value, 1)),
  seconds: (value) => `${sig3(value)} s`,
  usd: (value) => `$${value.toPrecision(3)}`,
};

export function MoreFigures(props: { comparison: RunComparison | undefined }): JSX.Element {
  const rows = createMemo(() => (props.comparison?.figures ?? []).filter((f) => (f.a ?? 0) !== 0 || (f.b ?? 0) !== 0));
  const say = (figure: FigureComparison, value: number | null): string =>
    value === null ? DASH : SAY[figure.unit](value);
  return (
    <Show when={rows().length > 0}>
      <div class="scores">
        <table class="tbl more-figures">
          <caption>Further figures of the whole runs</caption>
          <thead>
            <tr>
              <th scope="col">Figure</th>
              <th scope="col">A</th>
              <th scope="col">B</th>
            </tr>
          </thead>
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
      </div>
    </Show>
  );
}
