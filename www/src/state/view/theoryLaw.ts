// The law of queueing theory beside the charts. A separate file, because the code of theory is loaded only then.
import { createSignal } from 'solid-js';

/** The name in links for the law that fits best. */
export const BEST_LAW = 'best';

/** The name of the law, empty for the one that fits best; undefined while none is shown. */
export const [theoryLaw, setTheoryLaw] = createSignal<string>();
