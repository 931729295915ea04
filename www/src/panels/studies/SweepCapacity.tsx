// The search for the capacity, below the settings of a sweep.
import { createSignal, For, type JSX, Show } from 'solid-js';
import { percent, plain, text } from '../../base/units.ts';
import type { App } from '../../state/app.ts';
import type { createSweep } from '../../state/studies/sweep.ts';
import { TrustChip } from '../parts/Trust.tsx';

const SHARES = [0.9, 0.95, 0.99, 0.999];
type Study = ReturnType<typeof createSweep>;

/** The highest arrival rate at which enough requests meet the objectives. */
export function SweepCapacity(props: { app: Pick<App, 'document'>; study: Study; seeds: number }): JSX.Element {
  const { study } = props;
  const [share, setShare] = createSignal(0.95);
  return (
    <div class="compare-chooser sweep-capacity">
      <h2>Capacity</h2>
      <p class="say">
        The highest arrival rate at which enough requests meet the objectives, by bisection. Refused, dropped and late
        requests count as misses; unfinished requests still in time are left out.
      </p>
      <label>
        Required share
        <select class="in" value={share()} onChange={(event) => setShare(Number(event.currentTarget.value))}>
          <For each={SHARES}>{(s) => <option value={s}>{text(percent(s, 1))}</option>}</For>
        </select>
      </label>
      <div class="compare-buttons flat">
        <button
          type="button"
          class="btn box"
          disabled={study.running() !== undefined}
          onClick={() => void study.find(props.app.document.current(), props.seeds, share())}
        >
          Find the capacity
        </button>
      </div>
      <div role="status">
        <Show when={study.capacity()}>
          {(found) => (
            <>
              <p class="sweep-found">{found().text}</p>
              <TrustChip pools={found().evidence} />
              <p class="say">
                A capacity lies near the knee, where a few per cent in the time of a step decide how long requests wait.
              </p>
              <Show when={found().factor}>
                {(factor) => (
                  <p class="say">
                    That is {plain(factor())}× the traffic of the scenario, the highest at which enough requests meet
                    the objectives. A knee differs: there a time is three times that of the lowest traffic.
                  </p>
                )}
              </Show>
            </>
          )}
        </Show>
      </div>
    </div>
  );
}
