// The runs of this scenario: what differs, how they ended up, and which is on screen.
import { For, type JSX, Show } from 'solid-js';
import { clock, DASH, plain } from '../base/units.ts';
import type { Flag } from '../generated/boundary.ts';
import type { App } from '../state/app.ts';
import { differing, type NamedRun } from '../state/namedRuns.ts';

export default function Runs(props: { app: App }): JSX.Element {
  const app = props.app;
  void app.refreshNamedRun();
  const flagsOf = (run: NamedRun): readonly Flag[] =>
    run.id === app.namedRuns().shown ? (app.throttledFrame()?.flags ?? []) : run.flags;
  const shown = (): readonly Flag[] => app.throttledFrame()?.flags ?? [];
  return (
    <table class="runs">
      <thead>
        <tr>
          <th>Run</th>
          <th>Differs by</th>
          <th class="r">Computed</th>
          <th class="r">TTFT p99</th>
          <th class="r">E2E p99</th>
          <th>
            <span class="visually-hidden">What to do with it</span>
          </th>
        </tr>
      </thead>
      <tbody>
        <For each={app.namedRuns().all}>
          {(run) => {
            const here = (): boolean => run.id === app.namedRuns().shown;
            return (
              <tr classList={{ pick: here() }}>
                <td>
                  <i class="swatch" style={{ background: colourOf(run.id) }} />
                  <input
                    class="in"
                    aria-label={`Name of ${run.name}`}
                    value={run.name}
                    maxLength={40}
                    onChange={(event) => app.renameNamedRun(run.id, event.currentTarget.value.trim() || run.name)}
                  />
                </td>
                <td class="differs">
                  <Show when={!here()} fallback="on screen">
                    {said(differing(flagsOf(run), shown()))}
                  </Show>
                </td>
                <td class="r m">{run.figures ? `${clock(run.figures.computed_us)} s` : DASH}</td>
                <td class="r m">{ms(run.figures?.ttft_p99_ms)}</td>
                <td class="r m">{ms(run.figures?.e2e_p99_ms)}</td>
                <td class="r">
                  <Show when={!here()}>
                    <button type="button" class="btn box" onClick={() => void app.showNamedRun(run)}>
                      Show<span class="visually-hidden"> {run.name}</span>
                    </button>
                    <button type="button" class="btn box" onClick={() => app.removeNamedRun(run.id)}>
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

function said({ has, lacks }: ReturnType<typeof differing>): string {
  const one = (flag: Flag): string => `${flag.label}${flag.off ? ' (off)' : ''} at ${clock(flag.at_us)} s`;
  const parts = [...has.map(one), ...lacks.map((flag) => `without ${one(flag)}`)];
  return parts.length === 0 ? 'its scenario' : parts.join('; ');
}
