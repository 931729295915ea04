// Notices that a thread no longer answers while it should. It counts looks that come one after the other instead of reading the
// clock: a machine that slept, or a page that was busy, takes one look and not many.

const LOOK_MS = 1000;

/** What the watchdog knows of the thread, and what it does. */
type Watched = {
  /** Asks for a word that a thread which is not hung says at once. */
  readonly ping: () => void;
  /** Whether it has work: it is asked again and again as long as it has. */
  readonly works: () => boolean;
  /** How many looks in a row it may say nothing. */
  readonly mostSilent: () => number;
  /** Told how many seconds it was silent. */
  readonly hung: (seconds: number) => void;
};

export type Watchdog = {
  /** Something was sent to the thread. */
  readonly watch: () => void;
  /** The thread has said something. */
  readonly hears: () => void;
  readonly end: () => void;
};

export function createWatchdog({ ping, works, mostSilent, hung }: Watched): Watchdog {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silent = 0;
  let heard = false;

  function wait(): void {
    timer = setTimeout(look, LOOK_MS);
  }

  function begin(): void {
    silent = 0;
    heard = false;
    wait();
    ping();
  }

  function look(): void {
    timer = undefined;
    if (heard) {
      if (works()) begin();
      return;
    }
    silent += 1;
    if (silent >= mostSilent()) hung((silent * LOOK_MS) / 1000);
    else wait();
  }

  return {
    watch: () => {
      if (timer === undefined) begin();
    },
    hears: () => {
      heard = true;
    },
    end: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
