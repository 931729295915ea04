// "Save trace" and "Open in Perfetto": the steps and requests of every replica, from a run of their own.
import { createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { getAt } from '../../base/json.ts';
import { durationUs, text } from '../../base/units.ts';
import type { App } from '../../state/app.ts';
import { answered, PERFETTO, send } from './perfettoHandOff.ts';
import { save } from './save.ts';
import { compressed, kibibytes, TakeAway } from './takeAway.ts';

/** A trace, of all of the run or of the span that is given when a button is pressed. */
export function PerfettoButtons(props: {
  app: Pick<App, 'document'>;
  /** The part of the run to take, in microseconds. */
  spanUs?: () => readonly [number, number] | undefined;
}): JSX.Element {
  const [atUs, setAtUs] = createSignal<number>();
  const [status, setStatus] = createSignal('');
  const [waiting, setWaiting] = createSignal(false);
  const away = new TakeAway(props.app, setAtUs);
  const busy = (): boolean => atUs() !== undefined || waiting();
  let cancelled = false;
  const cancel = (): void => {
    cancelled = true;
    away.end();
    setWaiting(false);
  };
  onCleanup(cancel);

  function trace() {
    cancelled = false;
    setStatus('');
    const [from_us, to_us] = props.spanUs?.() ?? [];
    const span = from_us === undefined || to_us === undefined ? undefined : { from_us, to_us };
    return away.make({ table: 'perfetto', format: 'json', span });
  }

  async function saveTrace(): Promise<void> {
    const made = await trace();
    if (!made) return;
    if ('trouble' in made) {
      setStatus(made.trouble);
      return;
    }
    const file = await compressed(made.file);
    save(`${made.name}.gz`, file, 'application/gzip');
    setStatus(`${made.name}.gz: ${kibibytes(file)}. ${made.note}`);
  }

  async function openTrace(): Promise<void> {
    // In the click itself: later the browser would block it.
    const tab = window.open(PERFETTO);
    if (!tab) {
      setStatus(
        'The browser blocked the tab. Allow pop-ups for this page, or save the trace and open it at ui.perfetto.dev.',
      );
      return;
    }
    setWaiting(true);
    const [why, made] = await Promise.all([answered(tab, window), trace()]);
    setWaiting(false);
    if (cancelled || !made) return;
    if ('trouble' in made) setStatus(made.trouble);
    else if (why !== undefined) setStatus(why);
    else {
      const buffer = await made.file.arrayBuffer();
      const title = String(getAt(props.app.document.current(), 'title') ?? made.name);
      send(tab, { buffer, title, fileName: made.name, url: location.href });
      setStatus(`Sent to Perfetto: ${kibibytes(made.file)}. ${made.note}`);
    }
  }

  return (
    <div class="perfetto">
      <div class="offers">
        <Show
          when={busy()}
          fallback={
            <>
              <button type="button" class="btn box" onClick={() => void saveTrace()}>
                Save trace
              </button>
              <button type="button" class="btn box" onClick={() => void openTrace()}>
                Open in Perfetto
              </button>
            </>
          }
        >
          <button type="button" class="btn box" onClick={cancel}>
            Cancel
          </button>
        </Show>
      </div>
      <p class="m" role="status">
        <Show when={busy()} fallback={status()}>
          <Show when={atUs() !== undefined} fallback="Waiting for Perfetto…">
            Running to {text(durationUs(atUs() ?? 0))} for the trace…
          </Show>
        </Show>
      </p>
    </div>
  );
}
