// The run that another part of the page sends to the comparison as B. A separate file, so that neither loads the other.
import { createSignal } from 'solid-js';
import type { Beside } from './compare.ts';

/** The run, and the request in question. */
export const [runForB, compareAsB] = createSignal<Beside & { readonly request?: number }>();
