// The evidence of pools: which one counts, and how it is shown. All figures and words come from the core.
import type { Basis, ClassifiedValue, EvidenceClass, PoolEvidence } from '../../generated/boundary.ts';

/** The classes: their rank, the best first, and their bars: three fitted, two taken over, one without any measurement. */
const CLASSES: Readonly<Record<EvidenceClass, { readonly rank: number; readonly basis: Basis }>> = {
  fitted: { rank: 0, basis: 'measured' },
  'same-chip': { rank: 1, basis: 'calibrated' },
  carried: { rank: 2, basis: 'calibrated' },
  own: { rank: 3, basis: 'modelled' },
  guessed: { rank: 4, basis: 'modelled' },
};

/** The pool of which least is known, the first of equal ones. */
export function weakest(pools: readonly PoolEvidence[] | undefined): PoolEvidence | undefined {
  return pools?.toSorted((a, b) => CLASSES[b.class].rank - CLASSES[a.class].rank)[0];
}

/** The bars of a class. */
export const basisOf = (of: EvidenceClass): Basis => CLASSES[of].basis;

export function isGuess(of: EvidenceClass): boolean {
  return of === 'guessed';
}

/** The five values that the figures depend on, with their names. */
export function valuesOf(pool: PoolEvidence): readonly (readonly [name: string, value: ClassifiedValue])[] {
  return [
    ['Model', pool.model],
    ['GPU', pool.gpu],
    ['Engine', pool.engine],
    ['Precision', pool.precision],
    ['Parallelism', pool.tp],
  ];
}

/** Class and error as the parts of a key figure: the error of the first figure that has one, and its name; none over the knee. */
export function keyOf(pool: PoolEvidence): { readonly error: number | undefined; readonly small: readonly string[] } {
  if (pool.regime === 'over') return { error: undefined, small: ['not validated'] };
  const { tpot, ttft, e2e } = pool.error;
  const found = tpot ?? ttft ?? e2e;
  if (!found) return { error: undefined, small: ['error unknown'] };
  const name = tpot ? 'TPOT' : ttft ? 'TTFT' : 'E2E';
  return { error: found.median, small: [name] };
}

/** The beginning of the core's words: class and error, or that a guess has none. */
export function shortOf(pool: PoolEvidence): string {
  return (isGuess(pool.class) ? '▲ ' : '') + (pool.chip.split(', ')[0] ?? '');
}
