// The switch for figures before and after an edit, the choice of the edit, and both spans with their requests.
import { createEffect, createMemo, For, type JSX, on, onCleanup, Show } from 'solid-js';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { plain } from '../../base/units.ts';
import { spansSaid } from '../../charts/editFigureWords.ts';
import type { App } from '../../state/app.ts';
import { around, aroundAt, aroundOn, setAround, setAroundAt, setAroundOn } from '../../state/view/editFigures.ts';
import { passedEdits } from './passedEdits.ts';

/** The longest span on either side, in microseconds. */
const MOST_US = 60e6;
const AGAIN_MS = 1000;

export function EditFigureTools(props: { app: Pick<App, 'transport' | 'selection'> }): JSX.Element {
  const app = props.app;
  const edits = createMemo(() => passedEdits(app.transport.throttledFrame()?.flags ?? []));
  /** The chosen edit, or the latest one that was passed. */
  const atUs = (): number | undefined => edits().find(({ us }) => us === aroundAt())?.us ?? edits().at(-1)?.us;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = oneAtATime(async () => {
    clearTimeout(timer);
    const us = atUs();
    if (!aroundOn() || us === undefined) {
      setAround(undefined);
      return;
    }
    const query = { at_us: us, most_us: MOST_US };
    const found = await app.selection.closeUp('around', query).catch(() => undefined);
    if (!found) timer = setTimeout(ask, AGAIN_MS);
    if (aroundOn()) setAround(found && { ...found, atUs: us });
  });
  createEffect(on([app.transport.refreshTick, app.transport.playing, aroundOn, atUs], ask));
  onCleanup(() => {
    clearTimeout(timer);
    setAround(undefined);
  });
  return (
    <Show when={edits().length > 0}>
      <button
        type="button"
        class="btn box"
        aria-pressed={aroundOn()}
        title="Compare distributions and key figures before and after an edit"
        onClick={() => setAroundOn(!aroundOn())}
      >
        Before and after
      </button>
      <Show when={aroundOn()}>
        <select
          class="in around-edit"
          aria-label="Edit to compare around"
          onChange={(event) => setAroundAt(Number(event.currentTarget.value))}
        >
          <For each={edits()}>
            {({ us, label }) => (
              <option value={us} selected={us === atUs()}>
                {plain(us / 1e6)} s: {label}
              </option>
            )}
          </For>
        </select>
        <Show when={around()} fallback={<span class="chart-window">after the first seconds</span>}>
          {(found) => <span class="chart-window">{spansSaid(found())}</span>}
        </Show>
      </Show>
    </Show>
  );
}
