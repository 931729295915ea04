// The evidence of pools: which one counts, and how it is shown. All figures and words come from the core.
import type { Basis, ClassifiedValue, EvidenceClass, PoolEvidence } from '../../generated/boundary.ts';

/** The classes, the best first. */
const ORDER: readonly EvidenceClass[] = ['fitted', 'same-chip', 'carried', 'own', 'guessed'];

/** The pool of which least is known, the first of equal ones. */
export function weakest(pools: readonly PoolEvidence[] | undefined): PoolEvidence | undefined {
  return pools?.toSorted((a, b) => ORDER.indexOf(b.class) - ORDER.indexOf(a.class))[0];
}

/** The bars of a class: three fitted, two taken over, one without any measurement. */
export function basisOf(of: EvidenceClass): Basis {
  switch (of) {
    case 'fitted':
      return 'measured';
    case 'same-chip':
    case 'carried':
      return 'calibrated';
    case 'own':
    case 'guessed':
      return 'modelled';
  }
}

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
