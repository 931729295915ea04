// The field of the form that was asked for by a key or a command: its section opens, and it gets the focus.
import { createSignal } from 'solid-js';

export const [askedField, setAskedField] = createSignal<{ readonly path: string }>();
