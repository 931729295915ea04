// The table behind a chart: the same columns as text, thinned to a readable number of rows. Loaded when it is opened.
import { createMemo, For, type JSX, onCleanup, onMount } from 'solid-js';
import type { ChartName } from '../base/chartList.ts';
import { DASH, sig3 } from '../base/units.ts';
import type { ViewColumns } from '../base/view.ts';
import { createThrottled } from '../draw/throttled.ts';
import { titleOf } from './titles.ts';

const MOST_ROWS = 240;

/** The rows to show: all, or every second, third, …, so that there are at most 240. */
export function thinned(rows: number): { readonly every: number; readonly indices: number[] } {
  const every = Math.max(1, Math.ceil(rows / MOST_ROWS));
  const indices: number[] = [];
  for (let i = 0; i < rows; i += every) indices.push(i);
  return { every, indices };
}

/** Column names in readable form: `p50_ms` → `p50 ms`, `t_s` → `time s`. */
export function heading(name: string): string {
  return name === 't_s' ? 'time s' : name.replace('_per_s', ' per s').replace(/_/g, ' ');
}

/** The table behind the chart of that name. */
export default function ChartTable(props: {
  readonly name: ChartName;
  readonly data: ViewColumns | undefined;
  readonly onClose: () => void;
}): JSX.Element {
  return <ColumnsTable title={titleOf(props.name)} data={props.data} onClose={props.onClose} />;
}

/** Columns as a table below a title. */
export function ColumnsTable(props: {
  readonly title: string;
  readonly data: ViewColumns | undefined;
  readonly onClose: () => void;
}): JSX.Element {
  let close: HTMLButtonElement | undefined;
  // A snapshot per second: a table that changes sixty times a second cannot be read.
  const shown = createThrottled(() => props.data, 1000);
  const opener = document.activeElement;
  onMount(() => close?.focus());
  // The focus goes back, unless something else has taken it.
  onCleanup(() => {
    if (close?.closest('section')?.contains(document.activeElement) && opener instanceof HTMLElement)
      opener.focus({ preventScroll: true });
  });
  const rows = createMemo(() => thinned(shown()?.columns[0]?.length ?? 0));
  return (
    <section
      class="chart-table"
      aria-label={`${props.title} as a table`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        props.onClose();
      }}
    >
      <header>
        <b>{props.title}</b>
        <button type="button" ref={close} onClick={() => props.onClose()}>
          Close table
        </button>
      </header>
      <table>
        <caption>
          {rows().indices.length === 0
            ? 'No data yet.'
            : rows().every === 1
              ? `All ${rows().indices.length} rows.`
              : `One row in ${rows().every}.`}
        </caption>
        <thead>
          <tr>
            <For each={shown()?.names ?? []}>{(name) => <th scope="col">{heading(name)}</th>}</For>
          </tr>
        </thead>
        <tbody>
          <For each={rows().indices}>
            {(i) => (
              <tr>
                <For each={shown()?.columns ?? []}>
                  {(column) => <td>{Number.isFinite(column[i]) ? sig3(column[i] ?? 0) : DASH}</td>}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}
