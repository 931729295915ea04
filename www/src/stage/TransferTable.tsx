// The transfers under way as a table: what the wedges on the stage show and do. Loaded with the table of replicas.
import { For } from 'solid-js';
import { clock, DASH, percent, sig3, text } from '../base/units.ts';
import type { Selection } from '../base/view.ts';
import { Listed, restOfTable } from '../draw/GrowingList.tsx';
import type { SplitFrame, TransferFrame } from '../generated/boundary.ts';

const gigabytes = (bytes: number): string => text({ value: sig3(bytes / 1e9), unit: 'GB' });

/** The cells after the request's button. */
export function transferCells(t: TransferFrame): string[] {
  return [
    `r${t.from} to r${t.to}`,
    gigabytes(t.bytes),
    text(percent(t.share)),
    t.bytes_per_s > 0 ? `${gigabytes(t.bytes_per_s)}/s` : DASH,
    t.lands_us === undefined ? DASH : text({ value: clock(t.lands_us), unit: 's' }),
  ];
}

export function TransferTable(props: {
  readonly split: SplitFrame;
  readonly selected: Selection;
  readonly onSelect: (selection: Selection) => void;
}) {
  return (
    <table class="band-table">
      <caption>Transfers under way</caption>
      <thead>
        <tr>
          <For each={['Request', 'Way', 'Size', 'Arrived', 'Speed', 'Lands at']}>
            {(name) => <th scope="col">{name}</th>}
          </For>
        </tr>
      </thead>
      <tbody>
        <Listed each={props.split.transfers} rest={restOfTable}>
          {(t) => (
            <tr data-picked={props.selected.request === t.request}>
              <th scope="row">
                <button
                  type="button"
                  aria-pressed={props.selected.request === t.request}
                  onClick={() => props.onSelect({ request: t.request, replica: t.to })}
                >
                  #{t.request}
                </button>
              </th>
              <For each={transferCells(t)}>{(cell) => <td>{cell}</td>}</For>
            </tr>
          )}
        </Listed>
      </tbody>
    </table>
  );
}
