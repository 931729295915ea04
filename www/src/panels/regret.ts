// What a routing decision gave up, by the router's own scores.
import type { Candidate } from '../generated/boundary.ts';

const MOST_ROWS = 16;

/** The rows that are shown: the best, and the chosen one in any case. */
export function shownOf(list: readonly Candidate[]): readonly Candidate[] {
  const best = list.slice(0, MOST_ROWS);
  if (best.length === list.length || best.some((c) => c.chosen)) return best;
  return [...best.slice(0, -1), ...list.filter((c) => c.chosen)];
}

/** How much better the best score was than the chosen one; undefined where none was better. */
export function regretOf(list: readonly Candidate[]): { readonly amount: number; readonly best: number } | undefined {
  const chosen = list.find((c) => c.chosen);
  if (!chosen) return undefined;
  const best = list.reduce((a, b) => (b.score > a.score ? b : a), chosen);
  return best.score > chosen.score ? { amount: best.score - chosen.score, best: best.replica } : undefined;
}
