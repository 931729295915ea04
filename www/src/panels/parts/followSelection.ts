// Close-ups of one replica open the one that the reader selects meanwhile, or that has the request selected.
import { createEffect, on, untrack } from 'solid-js';
import type { App } from '../../state/app.ts';

/** Each selection after this call opens its replica once: what is chosen in the close-up afterwards stays. */
export function followSelection({ selected, detail }: App['selection'], open: (replica: number) => void): void {
  let settled = untrack(selected);
  createEffect(
    on([selected, detail], ([now, found]) => {
      const replica = now.replica ?? (found?.request === now.request ? found?.replica : undefined);
      if (now === settled || replica === undefined) return;
      settled = now;
      open(replica);
    }),
  );
}
