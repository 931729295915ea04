// The regret of a routing decision, by the router's own scores.
import type { Candidate } from '../../generated/boundary.ts';

const MOST_ROWS = 16;

/** The rows shown: the best ones, and always the chosen one. */
export function shownOf(list: readonly Candidate[]): readonly Candidate[] {
  const best = list.slice(0, MOST_ROWS);
  if (best.length === list.length || best.some((c) => c.chosen)) return best;
  return [...best.slice(0, -1), ...list.filter((c) => c.chosen)];
}

/** Heads of columns: the first word of each name, or the last if two names begin alike. */
export function headsOf(names: readonly string[]): readonly string[] {
  const firsts = names.map((name) => name.split('-')[0] ?? name);
  return names.map((name, i) => {
    const alike = firsts.filter((first) => first === firsts[i]).length > 1;
    return (alike ? name.split('-').at(-1) : firsts[i]) ?? name;
  });
}

/** How much better the best score was than the chosen one; undefined if none was better. */
export function regretOf(list: readonly Candidate[]): { readonly amount: number; readonly best: number } | undefined {
  const chosen = list.find((c) => c.chosen);
  if (!chosen) return undefined;
  const able = list.filter((c) => c.excluded === undefined);
  const best = able.reduce((a, b) => (b.score > a.score ? b : a), chosen);
  return best.score > chosen.score ? { amount: best.score - chosen.score, best: best.replica } : undefined;
}
