// What stands before the runner until the engine is there: the page plays the recorded opening, and what needs the engine waits for it.
import type { Core, SimCore, Surroundings } from './core.ts';
import { type FromWorker, never, type Question, type ToWorker } from './protocol.ts';
import { type RecordedSim, type Recording, recordedCore } from './recorded.ts';
import { Runner } from './runner.ts';

type Message = Exclude<ToWorker, { kind: 'boot' | 'ahead' | 'ping' }>;

/** The longest time of work before messages are handled. */
const SLICE_MS = 12;
/** How often it looks whether the page was given the frame at which the engine takes over. */
const LOOK_MS = 4;

/** Questions that end in a change of the run, or in another one. */
const CHANGES = ['set-field', 'edits-to', 'begun-with', 'further-entry', 'revised'];

/** Whether the run stands still where it was when this was asked, until the engine has carried it out. */
function stops(message: Message): boolean {
  if (message.kind !== 'ask') return true;
  const { question } = message;
  switch (question.kind) {
    case 'load':
    case 'apply':
    case 'step':
    case 'run-to':
    case 'seek':
    case 'fresh-seed':
    case 'trace':
      return true;
    case 'present':
      return CHANGES.some((name) => question.question.startsWith(`{"${name}"`));
    case 'check':
    case 'columns':
    case 'close-up':
      return false;
    default:
      return never(question);
  }
}

export class Opening {
  private sim: RecordedSim | undefined;
  /** What waits for the engine, in order. */
  private held: Message[] = [];
  private handedOver = false;
  private told = false;
  /** Whether the last recorded frame is on screen. */
  private atEnd = false;
  private needed: () => void = () => {};
  /** Resolves when something waits for the engine: the recording is over, or does not have what is asked for. */
  readonly needsEngine = new Promise<void>((resolve) => {
    this.needed = resolve;
  });

  private readonly runner: Runner;
  private readonly around: Surroundings;
  private readonly recording: Recording;
  private readonly post: (message: FromWorker, transfer?: Transferable[]) => void;

  constructor(
    recording: Recording,
    around: Surroundings,
    post: (message: FromWorker, transfer?: Transferable[]) => void,
  ) {
    this.recording = recording;
    this.around = around;
    this.post = post;
    const core = recordedCore(recording, (sim) => {
      this.sim = sim;
    });
    this.runner = new Runner(core, around, post);
  }

  handle(message: Message): void {
    if (this.handedOver) this.runner.handle(message);
    else if (this.answers(message)) this.runner.handle(this.recordedOf(message));
    else {
      if (this.sim && stops(message)) this.sim.stopped = true;
      this.held.push(message);
    }
    if (message.kind === 'ack') this.atEnd = this.sim?.ended() === true && this.sim.shown();
    this.look();
  }

  /** Whether it is answered from the recording. What comes after something that stops the run waits behind it. */
  private answers(message: Message): boolean {
    if (message.kind === 'ack' || message.kind === 'detail') return true;
    const waits = this.held.some(stops);
    if (message.kind !== 'ask') return !waits;
    return this.isRecorded(message.question, waits);
  }

  /** Of the columns that are asked for, those that were recorded: the others are asked for again once the engine is there. */
  private recordedOf(message: Message): Message {
    if (message.kind !== 'ask' || message.question.kind !== 'columns') return message;
    const { question } = message;
    const views = question.views.filter((view) => this.sim?.hasColumns(view, question.window !== undefined));
    return { ...message, question: { ...question, views } };
  }

  private isRecorded(question: Question, waits: boolean): boolean {
    const { sim, recording } = this;
    switch (question.kind) {
      case 'load':
        return (
          !sim &&
          !waits &&
          !question.useTrace &&
          question.text === recording.text &&
          question.untilUs === recording.fromUs
        );
      case 'columns':
        return sim !== undefined;
      case 'present':
        return sim?.answers(question.question) ?? false;
      default:
        return false;
    }
  }

  /** Tells the page whenever something begins to wait for the engine, and when nothing does any more. */
  private look(): void {
    const waits = !this.handedOver && (this.held.length > 0 || this.atEnd);
    if (waits) this.needed();
    if (waits === this.told) return;
    this.told = waits;
    this.post({ kind: 'waits', waits });
  }

  /** The engine is there: it catches up with the recording in silence, and takes over at its instant. */
  take(core: Core): void {
    const { sim: recorded } = this;
    if (!recorded) {
      this.over(core, undefined);
      return;
    }
    const sim = core.newSim(this.recording.text, undefined);
    const on = (): void => {
      if (sim.advance(recorded.nowUs(), SLICE_MS) === 'events') this.around.soon(on);
      else if (recorded.shown()) this.over(core, sim);
      else this.around.later(on, LOOK_MS);
    };
    on();
  }

  private over(core: Core, sim: SimCore | undefined): void {
    this.handedOver = true;
    this.runner.handOver(core, sim);
    for (const message of this.held.splice(0)) this.runner.handle(message);
    this.look();
  }
}
