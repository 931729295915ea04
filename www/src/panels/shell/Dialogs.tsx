// The dialogs: help, and the progress of reading a trace. Loaded when one is opened.
import { For, type JSX, Show } from 'solid-js';
import { SHOWN_KINDS, shapeOf } from '../../base/anomalies.ts';
import { count } from '../../base/units.ts';
import { AnomalyGlyph } from '../../draw/shapes.tsx';
import type { App } from '../../state/app.ts';
import { GROUPS, KEYED } from '../../state/commands/commands.ts';
import type { Allowed } from '../../state/commands/shortcuts.ts';
import { showMinute } from '../../state/view/minute.ts';
import { Sheet } from '../parts/Sheet.tsx';
import { Problems } from './NoticeBar.tsx';

const ALLOWED: readonly (readonly [Allowed, string])[] = [
  ['all', 'All'],
  ['chords', 'With Ctrl or ⌘ only'],
  ['none', 'None'],
];

/** The keys of a lesson. */
const LESSON_KEYS: readonly (readonly [string, string])[] = [
  ['← or →', 'The card before or after; in projector mode with the focus anywhere'],
  ['H', 'The next hint'],
  ['G', 'Draw the guess by keys'],
  ['Enter', 'On to the next card'],
  ['Esc', 'Back to the tab before'],
];

function HelpSheet(props: { app: App }): JSX.Element {
  return (
    <Sheet open={props.app.dialogs.help()} onClose={() => props.app.dialogs.setHelp(false)} title="Help">
      <p class="say">
        Requests arrive on the left, pass admission, are routed to a replica, wait (hollow), prefill (blue) and decode
        (green).
      </p>
      <p class="say">
        Change any field of the fleet, the policies, the workload or the objectives while it runs, add a pool or a
        client, or drag a router's weight: the edit becomes a flag on the timeline and can be undone. Changes of seed,
        run and observation restart the run. The help of each field says what its edit does.
      </p>
      <p class="say">
        On the stage, drag a request to another replica, the edge of a replica’s blocks, the arrivals, or the ratio of
        prefill to decode. Enter goes deeper into what is selected, Escape back; the menu key lists what can be changed.
      </p>
      <p class="say">
        Drop a request trace (Azure, BurstGPT or Vidur as CSV; Mooncake, Qwen-Bailian or RouteSim as JSON lines), a
        benchmark’s result or a scenario file anywhere, packed with gzip or not. Nothing leaves this computer.
      </p>
      <p class="say">
        Paste configuration of other programs with Ctrl + V, or drop its files: routers, engines, deployments,
        autoscalers. A table shows what each key becomes before anything changes. “Take the policy home” writes the
        scenario as such files.
      </p>
      <p class="say">
        Ctrl + K finds every command, view and preset by a word. Title and note are edited where they stand; neither
        changes the run.
      </p>
      <p class="say">
        Over the charts, Ctrl and the wheel zoom the time axis and Shift and the wheel move it; with the focus on them,
        +, −, 0 and the arrow keys do the same.
      </p>
      <button type="button" class="btn box" onClick={() => void showMinute(props.app)}>
        Show the first minute again
      </button>
      <h3>Keyboard</h3>
      <fieldset class="check">
        <legend class="visually-hidden">Which shortcuts work</legend>
        <span>Shortcuts</span>
        <For each={ALLOWED}>
          {([allowed, name]) => (
            <label class="check-one">
              <input
                type="radio"
                name="shortcuts"
                checked={props.app.dialogs.keys() === allowed}
                onChange={() => props.app.dialogs.setKeys(allowed)}
              />
              {name}
            </label>
          )}
        </For>
      </fieldset>
      <For each={GROUPS.filter((group) => KEYED.some((command) => command.group === group))}>
        {(group) => (
          <>
            <h4 class="keys-group">{group}</h4>
            <dl class="keys">
              <For each={KEYED.filter((command) => command.group === group)}>
                {(command) => (
                  <div>
                    <dt>
                      <kbd>{command.keys}</kbd>
                    </dt>
                    <dd>{command.does}</dd>
                  </div>
                )}
              </For>
            </dl>
          </>
        )}
      </For>
      <h4 class="keys-group">Lesson, with the focus in its panel</h4>
      <dl class="keys">
        <For each={LESSON_KEYS}>
          {([keys, does]) => (
            <div>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          )}
        </For>
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={props.app.dialogs.speaks()}
          onChange={(event) => props.app.dialogs.setSpeaks(event.currentTarget.checked)}
        />
        Announce to a screen reader when the run stops and what an edit changed
      </label>
      <h3>Words</h3>
      <p class="say">
        The key figures, the titles of the charts and the rows of the inspector have their meaning and their formula
        with the numbers of the run: point at one, or go to it with Tab and the arrow keys.
      </p>
      <button
        type="button"
        class="btn box"
        onClick={() => {
          props.app.dialogs.setHelp(false);
          dispatchEvent(new Event('glossary'));
        }}
      >
        All words…
      </button>
      <h3>Anomalies on the timeline</h3>
      <dl class="shapes">
        <For each={SHOWN_KINDS}>
          {(kind) => (
            <div>
              <dt>
                <AnomalyGlyph kind={kind} /> {shapeOf(kind).name}
              </dt>
              <dd>{shapeOf(kind).meaning}</dd>
            </div>
          )}
        </For>
      </dl>
    </Sheet>
  );
}

function TraceDialog(props: { app: Pick<App, 'dialogs'> }): JSX.Element {
  const close = (): void => {
    const reading = props.app.dialogs.reading();
    if (reading?.done) props.app.dialogs.setReading(undefined);
    else reading?.cancel?.();
  };
  return (
    <Sheet
      open={props.app.dialogs.reading() !== undefined}
      onClose={close}
      title={props.app.dialogs.reading()?.done ? 'This trace cannot be used' : 'Reading the trace'}
    >
      <Show when={props.app.dialogs.reading()}>
        {(reading) => (
          <>
            <Show when={!reading().done} fallback={<p class="say">{reading().name}</p>}>
              <p class="say">
                {reading().name}: {count(reading().read / 1024)} of {count(reading().size / 1024)} KiB
              </p>
              <progress max={Math.max(1, reading().size)} value={reading().read} aria-label="Read so far" />
              <Show when={reading().cancel}>
                {(cancel) => (
                  <button type="button" class="btn box" onClick={() => cancel()()}>
                    Cancel
                  </button>
                )}
              </Show>
            </Show>
            <Show when={reading().done}>
              <Problems list={reading().diagnostics} />
              <p class="say">Your run is unchanged.</p>
            </Show>
          </>
        )}
      </Show>
    </Sheet>
  );
}

/** The dialog that is open. */
export default function Dialogs(props: { app: App }): JSX.Element {
  return (
    <>
      <HelpSheet app={props.app} />
      <TraceDialog app={props.app} />
    </>
  );
}
