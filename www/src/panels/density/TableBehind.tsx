// The table behind a picture of the view.
import { createMemo, For, type JSX, onMount } from 'solid-js';
import { DASH, sig3 } from '../../base/units.ts';
import type { ViewColumns } from '../../base/view.ts';
import { tableOf } from '../../charts/stripPicture.ts';
import { heading, thinned } from '../../charts/Tables.tsx';
import { createThrottled } from '../../draw/throttled.ts';
import { measure } from '../../state/closeup.ts';
import { answers, type DensityAnswers } from '../../state/density.ts';
import { MEASURES, OF_REQUEST } from './words.ts';

export type Behind = 'map' | 'spread' | 'steps';

const titleOf = (of: Behind): string =>
  ({
    map: `${MEASURES[measure()]} density`,
    spread: `Distribution of ${OF_REQUEST[measure()]}`,
    steps: 'Step time by running requests',
  })[of];

function columnsOf(of: Behind, found: DensityAnswers): ViewColumns {
  if (of === 'map') {
    const { names, columns } = tableOf(found.map);
    return { names: names.map((name) => (name === 'requests' && !found.map.by_arrival ? 'gaps' : name)), columns };
  }
  if (of === 'spread') {
    return {
      names: ['ms', 'percent'],
      columns: [Float64Array.from(found.ecdf.ms), Float64Array.from(found.ecdf.percent)],
    };
  }
  const { running, ms, chunk } = found.points;
  return {
    names: ['running', 'ms', 'with_a_chunk'],
    columns: [Float64Array.from(running), Float64Array.from(ms), Float64Array.from(chunk, Number)],
  };
}

export default function TableBehind(props: { of: Behind; onClose: () => void }): JSX.Element {
  let close: HTMLButtonElement | undefined;
  // A snapshot per second: a table that changes several times a second cannot be read.
  const shown = createThrottled(answers, 1000);
  const data = createMemo(() => {
    const found = shown();
    return found && columnsOf(props.of, found);
  });
  const rows = createMemo(() => thinned(data()?.columns[0]?.length ?? 0));
  onMount(() => close?.focus());
  return (
    <section
      class="chart-table"
      aria-label={`${titleOf(props.of)} as a table`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        props.onClose();
      }}
    >
      <header>
        <b>{titleOf(props.of)}</b>
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
            <For each={data()?.names ?? []}>{(name) => <th scope="col">{heading(name)}</th>}</For>
          </tr>
        </thead>
        <tbody>
          <For each={rows().indices}>
            {(i) => (
              <tr>
                <For each={data()?.columns ?? []}>
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
