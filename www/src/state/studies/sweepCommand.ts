// How long a sweep takes on this page, and its command for another machine. The module of comparisons computes both.
import { createSignal } from 'solid-js';
import type { ElsewhereQuery, SweepElsewhere } from '../../generated/boundary.ts';
import { RefusedError } from '../../sim/client.ts';
import type { Given } from '../../sim/packet.ts';
import type { Progress } from './manyRuns.ts';

/** A sweep as it would be run. */
export type ElsewhereAsked = Given<ElsewhereQuery>;

type Thread = { ask(kind: 'elsewhere', query: ElsewhereAsked): Promise<SweepElsewhere> };

/** How many milliseconds one run took in one worker; nothing before the first has ended. */
export function caseMs(progress: Progress | undefined): number | undefined {
  return progress && progress.done > 0 ? (progress.tookMs * progress.workers) / progress.done : undefined;
}

/** Asks one question at a time, and always about the latest sweep. */
export function createElsewhere(thread: Thread) {
  const [found, setFound] = createSignal<SweepElsewhere>();
  let wanted: ElsewhereAsked | undefined;
  let asking = false;
  let answered: Promise<void> = Promise.resolve();

  async function askWanted(): Promise<void> {
    asking = true;
    while (wanted) {
      const asked = wanted;
      wanted = undefined;
      try {
        setFound(await thread.ask('elsewhere', asked));
      } catch (error) {
        setFound(undefined);
        // A sweep with problems says so itself; a thread that has ended has no page to answer.
        if (!(error instanceof RefusedError)) break;
      }
    }
    asking = false;
  }

  /** The sweep is this one now; nothing for one that cannot be run. */
  function ask(next: ElsewhereAsked | undefined): void {
    wanted = next;
    if (!next) setFound(undefined);
    else if (!asking) answered = askWanted();
  }

  /** The command of the latest sweep that was asked about, once it is there. */
  async function command(): Promise<string> {
    await answered;
    return found()?.command ?? '';
  }

  return { found, ask, command };
}
