// The basis of the key figures, in words.
import { sentence } from '../../base/keyWords.ts';
import type { Basis, Evidence, EvidenceOf } from '../../generated/boundary.ts';

/** The basis of figures: the weakest of all pools, and where the run is outside the measured range. */
export type FigureBasis = { readonly basis: Basis; readonly says: string; readonly outside: string };

const WORTH: readonly Basis[] = ['measured', 'calibrated', 'modelled'];

/** The basis of figures that follow from step times, or also from the number of KV blocks. */
export function figureBasis(evidence: Evidence | undefined, kinds: readonly EvidenceOf[]): FigureBasis | undefined {
  const parts = evidence?.parts.filter((part) => kinds.includes(part.what)) ?? [];
  const weakest = parts.toSorted((a, b) => WORTH.indexOf(b.basis) - WORTH.indexOf(a.basis))[0];
  if (!evidence || !weakest) return undefined;
  const outside = evidence.outside.length > 0 ? `Outside the data: ${evidence.outside.join('; ')}.` : '';
  return { basis: weakest.basis, says: `${sentence(weakest.basis)}: ${weakest.says}.`, outside };
}
