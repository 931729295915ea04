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

export class Watchdog {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private silent = 0;
  private heard = false;
  private readonly watched: Watched;

  constructor(watched: Watched) {
    this.watched = watched;
  }

  /** Something was sent to the thread. */
  watch(): void {
    if (this.timer === undefined) this.begin();
  }

  /** The thread has said something. */
  hears(): void {
    this.heard = true;
  }

  end(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private begin(): void {
    this.silent = 0;
    this.heard = false;
    this.timer = setTimeout(() => this.look(), LOOK_MS);
    this.watched.ping();
  }

  private look(): void {
    this.timer = undefined;
    if (this.heard) {
      if (this.watched.works()) this.begin();
      return;
    }
    this.silent += 1;
    if (this.silent >= this.watched.mostSilent()) this.watched.hung((this.silent * LOOK_MS) / 1000);
    else this.timer = setTimeout(() => this.look(), LOOK_MS);
  }
}
