// Lessons of one's own: a file is checked over its seeds, and plays once its claims hold.
import { createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import { NBSP, sig3 } from '../../../base/units.ts';
import skeleton from '../../../generated/lesson-template.yaml?raw';
import type { Fault, LessonFile, OwnCheck } from '../../../state/lessons/ownLesson.ts';
import { FileButton } from '../../parts/FileButton.tsx';

/** The lines of the template that say what a lesson is. */
const BEGINNING = `${skeleton
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .slice(0, 8)
  .join('\n')}\n…`;

/** Beyond this a claim has no value at all. */
const NO_VALUE = 1e300;

/** What a claim says, and by how much it fails. */
function faultSaid({ claim, verdict }: Fault): string {
  const { held, needed, value, missed_by: by, worst } = verdict;
  const unit = claim.unit === '' ? '' : `${NBSP}${claim.unit}`;
  const amount = claim.unit === '%' ? by * 100 : by;
  const miss = by >= NO_VALUE ? 'has no value' : `misses by ${sig3(amount)}${unit}`;
  const seed = worst === null ? '' : ` With seed number ${worst} it ${miss}.`;
  return `holds with ${held} of ${value.values.length} seeds, ${needed} needed.${seed}`;
}

export function OwnLesson(props: {
  check: OwnCheck | undefined;
  onFile: (file: File) => void;
  onCancel: () => void;
  onPlay: (file: LessonFile) => void;
}): JSX.Element {
  const [status, setStatus] = createSignal('');
  const copy = (): void => {
    navigator.clipboard.writeText(skeleton).then(
      () => setStatus('Template copied.'),
      () => setStatus('The browser did not allow copying: `tokenyard lesson new FILE` writes the same text.'),
    );
  };
  return (
    <section class="learn-part" aria-labelledby="learn-own">
      <header>
        <h3 id="learn-own">Write your own</h3>
        <span class="grow" />
        <span class="m">one YAML file</span>
      </header>
      <pre class="learn-code">{BEGINNING}</pre>
      <p class="s">
        A lesson plays once the engine confirms its claims with every seed. The file stays on this machine. Drop it
        here, or open it.
      </p>
      <Show when={props.check}>{(check) => <CheckShown {...props} check={check()} />}</Show>
      <Show when={props.check?.state !== 'running'}>
        <div class="learn-row">
          <FileButton class="btn box" takes="Lesson file" accept=".yaml,.yml,.json" onFile={props.onFile}>
            Open lesson…
          </FileButton>
          <button type="button" class="btn" onClick={copy}>
            Copy this as a template
          </button>
        </div>
      </Show>
      <p class="s" role="status">
        {status()}
      </p>
    </section>
  );
}

function CheckShown(props: { check: OwnCheck; onCancel: () => void; onPlay: (file: LessonFile) => void }): JSX.Element {
  const running = () => (props.check.state === 'running' ? props.check : undefined);
  const refused = () => (props.check.state === 'refused' ? props.check : undefined);
  const failed = () => (props.check.state === 'failed' ? props.check : undefined);
  return (
    <div class="learn-check">
      <b>{props.check.file.name}</b>
      <Switch>
        <Match when={running()}>
          {(now) => (
            <>
              <div class="learn-row">
                <progress max={now().of || 1} value={now().seeds} aria-label="Seeds that have run" />
                <span role="status">{now().of === 0 ? 'reading' : `${now().seeds} of ${now().of} seeds`}</span>
                <span class="grow" />
                <button type="button" class="btn box" onClick={() => props.onCancel()}>
                  Cancel
                </button>
              </div>
            </>
          )}
        </Match>
        <Match when={refused()}>
          {(now) => (
            <div role="alert">
              <p>This lesson cannot be played:</p>
              <ul>
                <For each={now().problems}>{(problem) => <li>{problem}</li>}</For>
              </ul>
            </div>
          )}
        </Match>
        <Match when={failed()}>
          {(now) => (
            <div role="alert">
              <p>
                The engine does not confirm {now().faults.length === 1 ? 'a claim' : `${now().faults.length} claims`}:
              </p>
              <ul>
                <For each={now().faults}>
                  {(fault) => (
                    <li>
                      Step {fault.step + 1}, “{fault.claim.says}”: {faultSaid(fault)}
                    </li>
                  )}
                </For>
              </ul>
            </div>
          )}
        </Match>
      </Switch>
      <Show when={props.check.state !== 'running'}>
        <div class="learn-row">
          <Show when={failed()}>
            {(now) => (
              <button type="button" class="btn box" onClick={() => props.onPlay(now().file)}>
                Play it anyway
              </button>
            )}
          </Show>
          <button type="button" class="btn" onClick={() => props.onCancel()}>
            Close
          </button>
        </div>
      </Show>
    </div>
  );
}
