// A run as a build has recorded it: recording/plugin.mjs writes what this file reads. Its frames, columns and answers are those of the
// engine, byte for byte.
import { trust } from '../base/trust.ts';
import type { ColumnsQuery, Diagnostic, FrameQuery, Move, Stop, View } from '../generated/boundary.ts';
import type { ColumnSet, Core, SimCore } from './core.ts';
import type { AnswerBytes } from './packet.ts';

/**
 * The difference of a frame from the one before: how many of its parts stay, then what comes in place of the next ones, and so on. A
 * number is added to the next part; a pair is how many parts go, and the text in their place.
 */
type Difference = readonly (number | readonly [number, string])[];

/** The difference of a column: how many values stay, how many after those go, and the values in their place; `null` is no number. */
type ColumnDifference = readonly (number | null)[];

export type Recording = {
  /** The scenario as it was opened. */
  readonly text: string;
  readonly fromUs: number;
  /** How far its instants are apart. */
  readonly apartUs: number;
  readonly diagnostics: readonly Diagnostic[];
  /** The scenario as the simulation gives it back. */
  readonly scenario: string;
  /** Answers by question, each from the instant of a number on. */
  readonly answers: Readonly<Record<string, readonly (readonly [number, string])[]>>;
  readonly frames: readonly Difference[];
  readonly columns: Readonly<
    Partial<Record<View, { readonly names: readonly string[]; readonly at: readonly (readonly ColumnDifference[])[] }>>
  >;
};

const ENCODER = new TextEncoder();
/** The parts of a frame: strings, numbers and words whole, every other sign for itself. */
const PARTS = /"(?:[^"\\]|\\.)*"|[\w.+-]+|[^\w.+-]/g;
const MOVES = /"moves":(\[[^\]]*\])/;

function applied(before: readonly string[], difference: Difference): string[] {
  const parts: string[] = [];
  let at = 0;
  for (const change of difference.entries()) {
    const [i, what] = change;
    if (i % 2 === 0) {
      const stay = Number(what);
      for (const end = at + stay; at < end; at++) parts.push(before[at] ?? '');
    } else if (typeof what === 'number') {
      parts.push(String(Number(before[at]) + what));
      at += 1;
    } else {
      parts.push(...(what[1].match(PARTS) ?? []));
      at += what[0];
    }
  }
  return parts.concat(before.slice(at));
}

function appliedColumn(
  before: Float64Array,
  [stay = 0, go = 0, ...values]: ColumnDifference,
): Float64Array<ArrayBuffer> {
  const come = values.map((value) => value ?? Number.NaN);
  return Float64Array.from([
    ...before.subarray(0, Number(stay)),
    ...come,
    ...before.subarray(Number(stay) + Number(go)),
  ]);
}

/** What a recorded run can do; anything else needs the engine. */
type Recorded = Pick<SimCore, 'advance' | 'nowUs' | 'frame' | 'columns' | 'ask' | 'scenario' | 'seek' | 'free'>;

export class RecordedSim implements Recorded {
  /** Whether `advance` leaves it where it is. */
  stopped = false;
  private at = 0;
  private parts: string[];
  private readonly columnsNow = new Map<View, Float64Array<ArrayBuffer>[]>();
  /** The moves since the latest frame. */
  private moves: Move[] = [];
  /** The instant of the latest frame. */
  private shownAt = -1;
  private readonly recording: Recording;

  constructor(recording: Recording) {
    this.recording = recording;
    this.parts = [];
    this.take();
  }

  private take(): void {
    const { frames, columns } = this.recording;
    this.parts = applied(this.parts, frames[this.at] ?? []);
    const [, moves = '[]'] = MOVES.exec(this.parts.join('')) ?? [];
    this.moves.push(...trust<Move[]>(JSON.parse(moves)));
    for (const [name, { at }] of Object.entries(columns)) {
      const view = trust<View>(name);
      const before = this.columnsNow.get(view) ?? [];
      const now = at[this.at]?.map((column, i) => appliedColumn(before[i] ?? new Float64Array(), column)) ?? [];
      this.columnsNow.set(view, now);
    }
  }

  /** Goes to the latest recorded instant up to one. */
  advance(untilUs: number): Stop {
    while (!this.stopped && !this.ended() && this.nowUs() + this.recording.apartUs <= untilUs) {
      this.at += 1;
      this.take();
    }
    return 'until';
  }

  seek(): void {}

  nowUs(): number {
    return this.recording.fromUs + this.at * this.recording.apartUs;
  }

  /** Whether nothing after this instant was recorded. */
  ended(): boolean {
    return this.at + 1 >= this.recording.frames.length;
  }

  /** Whether the page was given a frame of this instant. */
  shown(): boolean {
    return this.shownAt === this.at;
  }

  frame({ moves }: FrameQuery): Uint8Array<ArrayBuffer> {
    const since = JSON.stringify(this.moves.slice(-moves));
    this.moves = [];
    this.shownAt = this.at;
    return ENCODER.encode(this.parts.join('').replace(MOVES, () => `"moves":${since}`));
  }

  /** Whether the columns of a view were recorded; a part of the time axis was not, but the health is always that of the whole run. */
  hasColumns(view: View, part: boolean): boolean {
    return this.columnsNow.has(view) && (!part || view === 'health');
  }

  columns({ view }: ColumnsQuery): ColumnSet {
    const names = this.recording.columns[view]?.names ?? [];
    return { names: [...names], columns: (this.columnsNow.get(view) ?? []).map((column) => column.slice()) };
  }

  /** Whether a question was recorded. */
  answers(question: string): boolean {
    return question in this.recording.answers;
  }

  ask(question: string): AnswerBytes {
    const answer = this.recording.answers[question]?.findLast(([from]) => from <= this.at)?.[1];
    if (answer === undefined) throw new Error(`not recorded: ${question}`);
    return [ENCODER.encode(answer)];
  }

  scenario(): string {
    return this.recording.scenario;
  }

  free(): void {}
}

/** The part of a core that a recording has: its one scenario. `made` gets the run. */
export function recordedCore(recording: Recording, made: (sim: RecordedSim) => void): Core {
  const recorded: Pick<Core, 'check' | 'newSim'> = {
    check: () => [...recording.diagnostics],
    newSim: () => {
      const sim = new RecordedSim(recording);
      made(sim);
      return trust<SimCore>(sim);
    },
  };
  return trust<Core>(recorded);
}
