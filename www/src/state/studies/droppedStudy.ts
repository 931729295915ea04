// The file of a study that was dropped or chosen, until the view of studies takes it. A separate file, so that neither
// loads the other.
import { createSignal } from 'solid-js';

/** A file with the name and the text of a study. */
export type StudyText = { readonly name: string; readonly text: string };

export const [droppedStudy, dropStudy] = createSignal<StudyText>();
