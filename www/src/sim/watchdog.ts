// Notices that a thread no longer answers although it should. It counts consecutive checks instead of reading the
// clock: a machine that slept, or a page that was busy, makes one check and not many.

const LOOK_MS = 1000;

/** The watchdog's interface to the thread. */
type Watched = {
  /** Sends a ping, which a thread that does not hang answers at once. */
  readonly ping: () => void;
  /** Whether it has work; it gets pings as long as it has. */
  readonly works: () => boolean;
  /** How many checks in a row it may stay silent. */
  readonly mostSilent: () => number;
  /** Called with the seconds of silence. */
  readonly hung: (seconds: number) => void;
};

export type Watchdog = {
  /** Something was sent to the thread. */
  readonly watch: () => void;
  /** The thread has sent a message. */
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
