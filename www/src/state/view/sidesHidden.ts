// Whether the form and the inspector are hidden, such as for showing a run to others.
import { createSignal } from 'solid-js';

export const [sidesHidden, setSidesHidden] = createSignal(false);
