// The rows of a waterfall for attempts that broke: the wait and the work of each, the break, and the back-off after it.
import { durationUs, text } from '../../base/units.ts';
import type { AttemptDetail, RequestDetail, Segment } from '../../generated/boundary.ts';

/** The extra of a row about attempts. */
export type OfAttempt = {
  /** The number of the attempt that the row belongs to, from 1. */
  readonly attempt?: number | undefined;
  /** The name and the value of the row, if not those of its phase. */
  readonly name?: string;
  readonly value?: string;
  /** How its bar is drawn, if not as its phase: the break is a cross at its instant. */
  readonly drawn?: 'wasted' | 'broken';
};

/** A phase, perhaps a part of an attempt that broke. */
export type Phase = OfAttempt & { readonly segment: Segment };

const at = ({ replica }: AttemptDetail): string => (replica === undefined ? '' : ` r${replica}`);

/** What an attempt that broke did, and its break. */
function brokenPhases(attempt: AttemptDetail, segment: Segment, number: number): readonly Phase[] {
  const { routed_us, scheduled_us, broke_us, prefilled_tokens } = attempt;
  const part = (kind: Segment['kind'], from_us: number, to_us: number, tokens: number): Segment => ({
    ...segment,
    kind,
    from_us,
    to_us,
    tokens,
  });
  const joined = Math.min(scheduled_us ?? broke_us, broke_us);
  const wait: Phase[] =
    joined > routed_us
      ? [{ segment: part('queue', routed_us, joined, 0), attempt: number, name: `${attempt.wait}${at(attempt)}` }]
      : [];
  const work: Phase[] =
    broke_us > joined
      ? [
          {
            segment: part('prefill', joined, broke_us, prefilled_tokens),
            attempt: number,
            name: `Prefill${at(attempt)}`,
            drawn: 'wasted',
          },
        ]
      : [];
  return [...wait, ...work, broken(attempt, segment, number)];
}

/** The break of an attempt: its replica, and why. */
function broken(attempt: AttemptDetail, segment: Segment, number: number): Phase {
  return {
    segment: { ...segment, kind: 'broken', from_us: attempt.broke_us, to_us: attempt.broke_us, tokens: 0 },
    attempt: number,
    name: `Broken${at(attempt)}`,
    value: attempt.reason.replaceAll('-', ' '),
    drawn: 'broken',
  };
}

/** The phases of a request, in which each attempt that broke has its own. One that was refused at once has only its break. */
export function phasesOf({ segments, attempts = [] }: RequestDetail): readonly Phase[] {
  const [like] = segments;
  const rows: Phase[] = [];
  let broke = 0;
  const breaks = (upToUs: number): void => {
    for (let a = attempts[broke]; a && like && a.broke_us <= upToUs; a = attempts[broke]) {
      broke += 1;
      // What an attempt did that showed tokens is among the phases.
      if (a.shown_tokens === 0) rows.push(...brokenPhases(a, like, broke));
      else rows.push(broken(a, like, broke));
    }
  };
  const first = attempts[0]?.routed_us;
  for (const segment of segments) {
    breaks(segment.from_us);
    if (segment.kind === 'broken') continue;
    const before = first === undefined || segment.to_us <= first;
    // The back-off belongs to the attempt before it.
    rows.push({ segment, attempt: before ? undefined : segment.kind === 'back-off' ? broke : broke + 1 });
  }
  breaks(Number.POSITIVE_INFINITY);
  return rows;
}

/** A bracket left of the rows of one attempt: its number, its first row, and how many it has. */
export type Bracket = { readonly attempt: number; readonly from: number; readonly rows: number };

export function bracketsOf(rows: readonly OfAttempt[]): readonly Bracket[] {
  const out: { attempt: number; from: number; rows: number }[] = [];
  rows.forEach(({ attempt }, i) => {
    if (attempt === undefined) return;
    const last = out.at(-1);
    if (last?.attempt === attempt && last.from + last.rows === i) last.rows += 1;
    else out.push({ attempt, from: i, rows: 1 });
  });
  return out;
}

/** The value of a row: how long its phase took, or why its attempt broke. */
export const rowValue = (row: OfAttempt, us: number): string => row.value ?? text(durationUs(us));
