// The runs of this scenario: their differences, their results, and which one is on screen.
import { For, type JSX, Show } from 'solid-js';
import { clock, DASH, plain } from '../../base/units.ts';
import { RUN_NAME_CHARS } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import type { Change, PlacedEdit } from '../../state/edits/edits.ts';
import { type OwnEdits, ownEdits, removeNamedRun, renameNamedRun, showNamedRun } from '../../state/run/listedRuns.ts';
import { editSaid } from '../parts/editWords.ts';
import { pathName, valueSaid } from '../parts/formFields.ts';

export default function Runs(props: { app: Pick<App, 'document'> }): JSX.Element {
  const app = props.app;
  void app.document.refreshNamedRun();
  return (
    <table class="runs">
      <thead>
        <tr>
          <th>Run</th>
          <th>Differs by</th>
          <th class="r">Computed</th>
          <th
            class="r"
            title="Of the run after its warm-up, as far as it was computed; the key figures are of the last seconds"
          >
            TTFT p99 of the run
          </th>
          <th class="r">E2E p99</th>
          <th>
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        <For each={app.document.namedRuns().all}>
          {(run) => {
            const here = (): boolean => run.id === app.document.namedRuns().shown;
            const changed = app.document.differing(() => ({ from: app.document.current(), to: run.document }));
            return (
              <tr classList={{ pick: here() }}>
                <td>
                  <i class="swatch" style={{ background: colourOf(run.id) }} />
                  <input
                    class="in"
                    aria-label={`Name of ${run.name}`}
                    value={run.name}
                    maxLength={RUN_NAME_CHARS}
                    onChange={(event) =>
                      renameNamedRun(app.document, run.id, event.currentTarget.value.trim() || run.name)
                    }
                  />
                </td>
                <td class="differs">
                  <Show when={!here()} fallback="on screen">
                    {said(app, changed(), ownEdits(run.document, app.document.current()))}
                  </Show>
                </td>
                <td class="r m">{run.figures ? `${clock(run.figures.computed_us)} s` : DASH}</td>
                <td class="r m">{ms(run.figures?.ttft_p99_ms)}</td>
                <td class="r m">{ms(run.figures?.e2e_p99_ms)}</td>
                <td class="r">
                  <Show when={!here()}>
                    <button type="button" class="btn box" onClick={() => void showNamedRun(app.document, run)}>
                      Show<span class="visually-hidden"> {run.name}</span>
                    </button>
                    <button type="button" class="btn box" onClick={() => removeNamedRun(app.document, run.id)}>
                      Remove<span class="visually-hidden"> {run.name}</span>
                    </button>
                  </Show>
                </td>
              </tr>
            );
          }}
        </For>
      </tbody>
    </table>
  );
}

const COLOURS = [
  '--prefill',
  '--warn',
  '--decode',
  '--preempt',
  '--kv-shared',
  '--miss',
  '--accent',
  '--ink-2',
] as const;

function colourOf(id: number): string {
  return `var(${COLOURS[(id - 1) % COLOURS.length]})`;
}

function ms(value: number | undefined): string {
  if (value === undefined) return DASH;
  return value >= 1000
    ? `${plain(Number((value / 1000).toPrecision(3)))} s`
    : `${plain(Number(value.toPrecision(3)))} ms`;
}

/** The differences of a run from the one on screen: from the start, and in its edits. */
function said(app: Pick<App, 'document'>, changed: readonly Change[] | undefined, { has, lacks }: OwnEdits): string {
  if (changed === undefined) return '';
  const one = ({ atUs, edit, off }: PlacedEdit): string => {
    const what = editSaid(app, edit).map(([name, value]) => `${name} ${value}`);
    return `${what.join(', ')}${off ? ' (off)' : ''} at ${clock(atUs)} s`;
  };
  const parts = [
    ...changed.map(
      ({ path, to }) => `${pathName(app.document.schema, app.document.current(), path)} ${valueSaid(app, path, to)}`,
    ),
    ...has.map(one),
    ...lacks.map((edit) => `without ${one(edit)}`),
  ];
  return parts.length === 0 ? 'identical to the run on screen' : parts.join('; ');
}
