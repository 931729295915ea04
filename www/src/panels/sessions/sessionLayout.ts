// The rows of sessions: turns and pauses on an axis of time, as high as the context.
import type { KeptStep, SessionRow, SessionRows, SessionTurn } from '../../generated/boundary.ts';
import { fetchedWords, loadedTokens, loadedWords } from './sessionWords.ts';

export type Block = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };

export type TurnMark = {
  readonly turn: SessionTurn;
  /** Waiting for a batch. */
  readonly waits: Block | undefined;
  /** What was found, and what was computed again, before the first token. */
  readonly found: Block | undefined;
  readonly again: Block | undefined;
  /** The rest of the turn. */
  readonly body: Block;
  /** What it loaded from below the GPU. */
  readonly loaded: Wedge | undefined;
};

export type PauseMark = {
  /** The whole context. */
  readonly context: Block;
  /** What is kept of it, as paths: on the GPU, and on the GPU or below. Undefined if that is not known. */
  readonly kept: KeptMark | undefined;
  /** Lines above what a directive wants kept, for as long as it does. */
  readonly wanted: string;
  /** What prefetches brought. */
  readonly fetched: readonly Wedge[];
};

/** Blocks that were fetched back: a wedge up to the instant at which they were there. */
export type Wedge = {
  readonly d: string;
  readonly words: string;
};

export type KeptMark = {
  readonly gpu: string;
  readonly all: string;
  /** The falls of what the GPU has: blocks were evicted. */
  readonly falls: string;
};

export type RowMark = {
  readonly row: SessionRow;
  readonly base: number;
  readonly turns: readonly TurnMark[];
  readonly pauses: readonly PauseMark[];
};

export type SessionPlan = {
  readonly height: number;
  readonly isLow: boolean;
  readonly left: number;
  readonly right: number;
  readonly rows: readonly RowMark[];
};

/** With more rows than this they are low and have no names. */
export const NAMED = 24;
const HIGH = 36;
const LOW = 12;
/** Room above the rows; with the heads of their columns. */
const TOP = 8;
const HEADS = 22;
const FOOT = 22;
/** Room for names at the left and for sums at the right. */
export const SIDES = { left: 56, right: 72 };
/** How wide a wedge is at least. */
const WEDGE = { high: 8, low: 4 };

/** Where an instant is. */
export const timeScale = (of: { from_us: number; to_us: number }, left: number, right: number) => {
  const span = Math.max(1, of.to_us - of.from_us);
  return (us: number): number => left + Math.max(0, Math.min(1, (us - of.from_us) / span)) * (right - left);
};

export function planSessions(of: SessionRows, width: number): SessionPlan {
  const isLow = of.rows.length > NAMED;
  const pitch = isLow ? LOW : HIGH;
  const top = isLow ? TOP : HEADS;
  const left = SIDES.left;
  const right = width - SIDES.right;
  const x = timeScale(of, left, right);
  const most = pitch - (isLow ? 2 : 9);
  const high = (tokens: number): number => (tokens / Math.max(1, of.longest_tokens)) * most;
  const rows = of.rows.map((row, i): RowMark => {
    const base = top + (i + 1) * pitch - (isLow ? 1 : 4);
    const block = (from: number, to: number, tokens: number, above = 0): Block => ({
      x: x(from),
      y: base - high(above + tokens),
      w: Math.max(0.5, x(to) - x(from)),
      h: high(tokens),
    });
    const wedge = isLow ? WEDGE.low : WEDGE.high;
    const scales = { block, x, y: (tokens: number) => base - high(tokens), wedge };
    return {
      row,
      base,
      turns: row.turns.map((turn) => turnMark(turn, of.to_us, scales)),
      pauses: pausesOf(row, of.to_us, scales),
    };
  });
  return { height: top + rows.length * pitch + FOOT, isLow, left, right, rows };
}

type Make = (from: number, to: number, tokens: number, above?: number) => Block;

type Scales = {
  readonly block: Make;
  readonly x: (us: number) => number;
  readonly y: (tokens: number) => number;
  /** How wide a wedge is at least. */
  readonly wedge: number;
};

function turnMark(turn: SessionTurn, now: number, scales: Scales): TurnMark {
  const { block } = scales;
  const { from_us: from, prompt_tokens: prompt } = turn;
  const joined = turn.joined_us ?? undefined;
  const end = turn.end_us ?? now;
  const first = turn.first_us ?? end;
  const found = turn.found_tokens ?? 0;
  return {
    turn,
    waits: joined === undefined || joined > from ? block(from, joined ?? end, prompt) : undefined,
    found: joined !== undefined && found > 0 ? block(joined, first, found) : undefined,
    again: joined === undefined ? undefined : block(joined, first, prompt - found, found),
    body: block(joined === undefined ? end : first, end, turn.context_tokens),
    loaded: joined === undefined ? undefined : loadedOf(turn, joined, scales),
  };
}

/** A wedge that ends at an instant, from one height to another. */
function wedgeTo(from: number, to: number, foot: number, top: number, scales: Scales): string {
  const { x, y, wedge } = scales;
  const right = x(to);
  const left = Math.min(x(from), right - wedge);
  return `M${at(left)} ${at(y(foot))}L${at(right)} ${at(y(top))}V${at(y(foot))}Z`;
}

function loadedOf(turn: SessionTurn, joined: number, scales: Scales): Wedge | undefined {
  const tokens = loadedTokens(turn);
  const top = turn.found_tokens ?? 0;
  if (tokens === 0) return undefined;
  return { d: wedgeTo(turn.from_us, joined, top - tokens, top, scales), words: loadedWords(turn) };
}

/** Pauses between turns that do not overlap, and after the last one if it has ended. */
function pausesOf(row: SessionRow, now: number, scales: Scales): readonly PauseMark[] {
  const pauses: PauseMark[] = [];
  let latest: SessionTurn | undefined;
  for (const turn of row.turns) {
    if (latest?.end_us != null && turn.from_us > latest.end_us)
      pauses.push(pause(latest, turn.from_us, turn.found_tokens ?? undefined, scales));
    if ((latest?.end_us ?? 0) <= (turn.end_us ?? now)) latest = turn;
  }
  if (latest?.end_us != null && latest.end_us < now)
    pauses.push(pause(latest, now, row.kept_tokens ?? undefined, scales));
  return pauses;
}

function pause(before: SessionTurn, to: number, kept: number | undefined, scales: Scales): PauseMark {
  const from = before.end_us ?? to;
  const context = scales.block(from, to, before.context_tokens);
  const tokens = Math.min(before.context_tokens, kept ?? 0);
  const whole = { at_us: from, gpu_tokens: tokens, kept_tokens: tokens };
  const steps = before.kept.length > 0 ? before.kept : kept === undefined ? [] : [whole];
  const { x, y } = scales;
  const wanted = before.wanted.map(({ tokens, for_us }) => {
    const until = for_us === null ? to : Math.min(to, from + for_us);
    return `M${at(x(from))} ${at(y(tokens) - 1)}H${at(x(until))}`;
  });
  const fetched = before.fetched.map((part): Wedge => {
    const there = from + part.after_us;
    return { d: wedgeTo(there, there, 0, part.gpu_tokens, scales), words: fetchedWords(part) };
  });
  return {
    context,
    kept: steps.length > 0 ? keptMark(steps, to, scales) : undefined,
    wanted: wanted.join(''),
    fetched,
  };
}

/** What is kept as areas, with corners where it changes. */
function keptMark(steps: readonly KeptStep[], to: number, { x, y }: Scales): KeptMark {
  const first = steps[0]?.at_us ?? to;
  const stairs = (of: (step: KeptStep) => number): string => {
    const tops = steps.map((step, i) => `V${at(y(of(step)))}H${at(x(Math.min(to, steps[i + 1]?.at_us ?? to)))}`);
    return `M${at(x(first))} ${at(y(0))}${tops.join('')}V${at(y(0))}Z`;
  };
  const falls = steps.flatMap((step, i) => {
    const before = steps[i - 1]?.gpu_tokens ?? 0;
    if (i === 0 || before <= step.gpu_tokens) return [];
    return [`M${at(x(Math.min(to, step.at_us)))} ${at(y(before))}V${at(y(step.gpu_tokens))}`];
  });
  return { gpu: stairs((step) => step.gpu_tokens), all: stairs((step) => step.kept_tokens), falls: falls.join('') };
}

/** A place on screen, to a hundredth of a pixel. */
const at = (px: number): number => Math.round(px * 100) / 100;
