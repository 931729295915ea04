// The rows of a race: places first, then entrants without one, then those that have not run yet.
import type { Difference, RunRegret } from '../../generated/boundary.ts';
import type { Race } from '../../state/studies/race.ts';

/** A row of the table: an entrant with a place, or without one yet. */
export type Row = {
  readonly name: string;
  readonly place: number | undefined;
  readonly why: string;
  readonly mean: number | null;
  readonly of: Difference | null;
  readonly bySeed: readonly number[];
  readonly regret: RunRegret | null;
  /** Why its order against the first is not certain; empty where it is. */
  readonly doubt: string;
};

/** The rows: places first, then entrants without one, then those that have not run yet. */
export function rowsOf(race: Pick<Race, 'ranking' | 'raced'>): readonly Row[] {
  const found = race.ranking();
  const placed = (found?.places ?? []).map((p): Row => {
    const of = p.place === 1 ? null : p.to_first;
    return { ...p, why: '', doubt: p.doubt ?? '', of, bySeed: p.place === 1 ? [] : p.by_seed };
  });
  const others = (found?.unranked ?? []).map(
    (u): Row => ({ ...u, place: undefined, of: u.to_first, bySeed: u.by_seed, regret: null, doubt: '' }),
  );
  const seen = new Set([...placed, ...others].map(({ name }) => name));
  const waiting = (race.raced()?.entrants ?? [])
    .filter(({ name }) => !seen.has(name))
    .map(
      ({ name }): Row => ({
        name,
        place: undefined,
        why: 'waits',
        mean: null,
        of: null,
        bySeed: [],
        regret: null,
        doubt: '',
      }),
    );
  return [...placed, ...others, ...waiting];
}
