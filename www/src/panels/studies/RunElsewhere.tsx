// A sweep that takes long on this page: its command for another machine.
import { createEffect, createSignal, type JSX, on, Show } from 'solid-js';
import type { SweepElsewhere } from '../../generated/boundary.ts';
import { copyText } from '../parts/copyText.ts';
import './runElsewhere.css';

/**
 * The command, with a button that copies it. `always` shows it for short sweeps too; `command` is that of the latest
 * sweep that was asked about.
 */
export function RunElsewhere(props: {
  found: SweepElsewhere | undefined;
  command: () => Promise<string>;
  always?: boolean;
}): JSX.Element {
  const shown = (): SweepElsewhere | undefined => {
    const { found } = props;
    return found && (found.long || props.always) ? found : undefined;
  };
  return (
    <Show when={shown()}>
      {(found) => (
        <section class="run-elsewhere" aria-label="Run elsewhere">
          <Show when={found().long} fallback={<p class="say">The same on the command line, with files of its rows:</p>}>
            <h3>Run elsewhere</h3>
            <p class="say">
              {found().text} The command line makes the same runs on all cores of a machine, and goes on where it was
              stopped. {found().first}
            </p>
          </Show>
          <Command text={found().command} latest={props.command} />
        </section>
      )}
    </Show>
  );
}

function Command(props: { text: string; latest: () => Promise<string> }): JSX.Element {
  const [status, setStatus] = createSignal('');
  createEffect(
    on(
      () => props.text,
      () => setStatus(''),
    ),
  );
  const copy = async (): Promise<void> => {
    const allowed = await copyText(props.latest());
    setStatus(
      allowed ? 'Command copied.' : 'The browser did not allow copying: select the command and copy it by hand.',
    );
  };
  return (
    <>
      <div class="run-elsewhere-command">
        <section tabindex={0} aria-label="Command">
          <code>{props.text}</code>
        </section>
        <button type="button" class="btn box" onClick={() => void copy()}>
          Copy command
        </button>
      </div>
      <p class="say" role="status">
        {status()}
      </p>
    </>
  );
}
