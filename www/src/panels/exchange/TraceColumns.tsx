// Names for the columns of a table that no format of traces is recognised in: its first rows, with a choice over each column.
import { createSignal, For, type JSX, Show } from 'solid-js';
import type { OpenedTable } from '../../state/files/exchange.ts';
import { columnsText, ROLES, type Role, UNITS, type Unit } from '../../state/files/traceTable.ts';
import { Frame } from './Frame.tsx';
import './columns.css';

export default function TraceColumns(props: { opened: OpenedTable; onClose: () => void }): JSX.Element {
  const { file, table, read } = props.opened;
  const [names, setNames] = createSignal<ReadonlyMap<Role, string>>(new Map());
  const [unit, setUnit] = createSignal<Unit | ''>('');
  const [host, setHost] = createSignal<HTMLElement>();
  const text = (): string | undefined => columnsText(names(), unit());
  const roleOf = (column: string): Role | '' => [...names()].find(([, name]) => name === column)?.[0] ?? '';
  const choose = (column: string, role: string): void => {
    const next = new Map([...names()].filter(([known, name]) => known !== role && name !== column));
    const known = ROLES.find((one) => one === role);
    if (known) next.set(known, column);
    setNames(next);
  };
  const take = (): void => {
    const columns = text();
    if (columns === undefined) return;
    props.onClose();
    void read(columns);
  };
  return (
    <Frame
      class="columns"
      title="Name the columns"
      aside={`${file.name} is in no known format of a trace`}
      onClose={props.onClose}
      onKeyDown={() => {}}
      first={() => host()?.querySelector('select') ?? null}
      ref={setHost}
      foot={
        <>
          <span class="m import-said">
            <Show when={text()} fallback="Name the arrival, and the tokens of prompt and output.">
              {(columns) => <code>--columns {columns()}</code>}
            </Show>
          </span>
          <span class="grow" />
          <button type="button" class="btn" onClick={() => props.onClose()}>
            Cancel
          </button>
          <button type="button" class="btn pri" disabled={text() === undefined} onClick={take}>
            Read the trace
          </button>
        </>
      }
    >
      <section class="columns-table" tabindex={0} aria-label="The first rows">
        <table>
          <thead>
            <tr>
              <For each={table.names}>
                {(name) => (
                  <th scope="col">
                    <span>{name}</span>
                    <select
                      aria-label={`What ${name} is`}
                      value={roleOf(name)}
                      onChange={(event) => choose(name, event.currentTarget.value)}
                    >
                      <option value="">–</option>
                      <For each={ROLES}>{(role) => <option value={role}>{role}</option>}</For>
                    </select>
                    <Show when={roleOf(name) === 'arrival'}>
                      <select
                        aria-label="Unit of the arrival"
                        value={unit()}
                        onChange={(event) => setUnit(UNITS.find((one) => one === event.currentTarget.value) ?? '')}
                      >
                        <option value="">unit as found</option>
                        <For each={UNITS}>{(one) => <option value={one}>{one === 'us' ? 'µs' : one}</option>}</For>
                      </select>
                    </Show>
                  </th>
                )}
              </For>
            </tr>
          </thead>
          <tbody>
            <For each={table.rows}>
              {(row) => (
                <tr>
                  <For each={row}>{(cell) => <td>{cell.length > 40 ? `${cell.slice(0, 40)}…` : cell}</td>}</For>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </section>
    </Frame>
  );
}
