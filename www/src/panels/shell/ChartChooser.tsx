// The charts to show and their order. Loaded when it is opened.
import { createMemo, For, type JSX } from 'solid-js';
import { CHART_NAMES, type ChartedRun, chartsShown, hasChart } from '../../base/chartList.ts';
import { titleOf } from '../../charts/titles.ts';
import { chartList, keepChartList } from '../../state/view/chartList.ts';
import { moved, toggled } from './chartOrder.ts';
import './chartTools.css';

export default function ChartChooser(props: { run: ChartedRun }): JSX.Element {
  let list: HTMLUListElement | undefined;
  const shown = createMemo(() => chartsShown(chartList(), props.run));
  /** Those shown, in order, then the others. */
  const rows = createMemo(() => [
    ...shown(),
    ...CHART_NAMES.filter((name) => hasChart(name, props.run) && !shown().includes(name)),
  ]);
  const move = (name: string, by: -1 | 1): void => {
    keepChartList(moved(shown(), name, by));
    // The row has moved in the list; the focus follows it.
    queueMicrotask(() => {
      const row = list?.querySelector(`[data-chart="${name}"]`);
      const [first, second] = row?.querySelectorAll<HTMLButtonElement>('button') ?? [];
      const [wanted, other] = by < 0 ? [first, second] : [second, first];
      (wanted?.disabled ? other : wanted)?.focus();
    });
  };
  return (
    <div class="chart-chooser">
      <ul ref={list}>
        <For each={rows()}>
          {(name) => {
            const at = (): number => shown().indexOf(name);
            return (
              <li data-chart={name}>
                <label>
                  <input type="checkbox" checked={at() >= 0} onChange={() => keepChartList(toggled(shown(), name))} />{' '}
                  {titleOf(name)}
                </label>
                <button
                  type="button"
                  class="btn"
                  aria-label={`${titleOf(name)} up`}
                  disabled={at() <= 0}
                  onClick={() => move(name, -1)}
                >
                  ↑
                </button>
                <button
                  type="button"
                  class="btn"
                  aria-label={`${titleOf(name)} down`}
                  disabled={at() < 0 || at() === shown().length - 1}
                  onClick={() => move(name, 1)}
                >
                  ↓
                </button>
              </li>
            );
          }}
        </For>
      </ul>
      <button
        type="button"
        class="btn box"
        disabled={chartList() === undefined}
        onClick={() => keepChartList(undefined)}
      >
        Let the run decide
      </button>
    </div>
  );
}
