// Tokens computed again over time: the lines of the run and of each policy, with their names at the ends.
import { linearTop } from '../../charts/scales.ts';
import type { AgainStep, KvPolicyRegret, SessionRows } from '../../generated/boundary.ts';
import { SIDES, timeScale } from './sessionLayout.ts';

export type AgainLine = {
  readonly name: string;
  /** The run on screen. */
  readonly isNow: boolean;
  /** Tokens at the end of the time shown. */
  readonly tokens: number;
  readonly policy: KvPolicyRegret['policy'] | undefined;
  readonly d: string;
  /** Where its name stands. */
  readonly labelY: number;
};

export type AgainPlan = {
  readonly lines: readonly AgainLine[];
  /** Round values, with their places. */
  readonly ticks: readonly { readonly tokens: number; readonly y: number }[];
};

/** The plot within the picture. */
export const PLOT = { top: 10, bottom: 92, height: 112 };
/** Between two names. */
const PITCH = 13;

type Source = Pick<AgainLine, 'name' | 'isNow' | 'policy'> & { readonly steps: readonly AgainStep[] };

export function planAgain(
  of: Pick<SessionRows, 'from_us' | 'to_us' | 'again'>,
  runs: readonly KvPolicyRegret[],
  now: string | undefined,
  width: number,
): AgainPlan {
  const x = timeScale(of, SIDES.left, width - SIDES.right);
  // A run with the policy in force is the run on screen, or the same but for its edits.
  const others = runs.filter((run) => run.name !== now);
  const sources: readonly Source[] = [
    ...others.map((run): Source => ({ name: run.name, isNow: false, policy: run.policy, steps: run.again })),
    { name: now ?? 'this run', isNow: true, policy: undefined, steps: of.again },
  ];
  const shown = sources.map((source) => {
    const steps = source.steps.filter((step) => step.at_us <= of.to_us);
    return { ...source, steps, tokens: steps.at(-1)?.tokens ?? 0 };
  });
  const top = linearTop(Math.max(0, ...shown.map(({ tokens }) => tokens)), true);
  const y = (tokens: number): number => at(PLOT.bottom - (tokens / top) * (PLOT.bottom - PLOT.top));
  const before = (steps: readonly AgainStep[]): number => steps.findLast((s) => s.at_us < of.from_us)?.tokens ?? 0;
  const lines = shown.map(({ name, isNow, policy, steps, tokens }) => {
    const within = steps.filter((step) => step.at_us >= of.from_us);
    const stairs = within.map((step) => `H${at(x(step.at_us))}V${y(step.tokens)}`).join('');
    const d = `M${SIDES.left} ${y(before(steps))}${stairs}H${width - SIDES.right}`;
    return { name, isNow, policy, tokens, d, labelY: y(tokens) + 4 };
  });
  return { lines: apart(lines), ticks: [0, top / 2, top].map((tokens) => ({ tokens, y: y(tokens) })) };
}

/** Names that do not lie on each other: from the top down, and up again from the bottom. */
function apart(lines: readonly AgainLine[]): readonly AgainLine[] {
  const ordered = lines.toSorted((a, b) => a.labelY - b.labelY || b.tokens - a.tokens);
  const lowest = PLOT.bottom + 4;
  const places: number[] = [];
  for (const { labelY } of ordered) places.push(Math.max(labelY, (places.at(-1) ?? -PITCH) + PITCH));
  for (let i = places.length - 1, most = lowest; i >= 0; i -= 1, most -= PITCH) {
    places[i] = Math.min(places[i] ?? most, most);
  }
  return ordered.map((line, i) => ({ ...line, labelY: places[i] ?? line.labelY }));
}

/** A place on screen, to a hundredth of a pixel. */
const at = (px: number): number => Math.round(px * 100) / 100;
