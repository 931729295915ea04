// What another part of the page sends to the comparison: the run that is to be B. Apart, so that neither loads the other.
import { createSignal } from 'solid-js';
import type { Beside } from './compare.ts';

/** The run, and the request that is asked about. */
export const [sentToB, sendToB] = createSignal<Beside & { readonly request?: number }>();
