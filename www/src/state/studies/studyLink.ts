// The study in a link: what the open race or sweep puts there, and what a link asks for until the view of studies takes
// it. A separate file, so that neither loads the other.
import { createSignal } from 'solid-js';

/** The study on screen as links say it; undefined for none. */
export const [studyInLink, setStudyInLink] = createSignal<string>();

/** The study of a link that was opened. */
export const [studyOfLink, openStudyOfLink] = createSignal<string>();
