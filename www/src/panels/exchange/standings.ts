// What becomes of a key of another program: one table, from what a reader must look at most to what gives shape alone.
import { trust } from '../../base/trust.ts';
import type { Standing } from '../../sim/exchangeTypes.ts';

/** Whether a key says something or gives shape, whether it is trouble, and the path of its mark. */
type StandingLook = { readonly says: boolean; readonly trouble: boolean; readonly mark: string };

export const STANDINGS: Readonly<Record<Standing, StandingLook>> = {
  conflict: { says: true, trouble: true, mark: 'M2 4.500h8M2 8.500h8M8.500 1.500l-5 10' },
  unknown: { says: true, trouble: true, mark: 'M3.500 4c0-3.500 5-3.500 5-.5 0 2-2.500 2-2.500 4M6 10.500v.01' },
  near: {
    says: true,
    trouble: true,
    mark: 'M1.500 5c2-2.500 3.500-2.500 4.500-1s2.500 1.500 4.500-1M1.500 9.500c2-2.500 3.500-2.500 4.500-1s2.500 1.500 4.500-1',
  },
  ignored: { says: true, trouble: true, mark: 'M3 6.500h6' },
  exact: { says: true, trouble: false, mark: 'M2 4.500h8M2 8.500h8' },
  shape: { says: false, trouble: false, mark: '' },
};

/** All of them, the worst first. */
export const WORST_FIRST = trust<readonly Standing[]>(Object.keys(STANDINGS));
/** Those of keys that say something. */
export type Saying = Exclude<Standing, 'shape'>;
export const SAYING = WORST_FIRST.filter((standing): standing is Saying => STANDINGS[standing].says);
