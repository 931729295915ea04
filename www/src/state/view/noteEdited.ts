// Whether the note of the run is being edited: its text, or one more mark at the playhead.
import { createSignal } from 'solid-js';
import { awaitField } from '../../base/typedAhead.ts';

const [noteEdited, setEdited] = createSignal<'note' | 'mark'>();

function setNoteEdited(what: 'note' | 'mark' | undefined): void {
  if (what !== undefined) awaitField('.note-field textarea, .note-field input');
  setEdited(what);
}

export { noteEdited, setNoteEdited };
