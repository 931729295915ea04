// The part of the dialog for sharing that is shown: the link, or files of the run.
import { createSignal } from 'solid-js';

export type SharePart = 'link' | 'files';

export const [sharePart, setSharePart] = createSignal<SharePart>('link');
