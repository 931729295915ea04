// Whether the note of the run is being edited: its text, or one more mark at the playhead.
import { createSignal } from 'solid-js';

export const [noteEdited, setNoteEdited] = createSignal<'note' | 'mark'>();
