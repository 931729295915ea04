// The part of the dialog for sharing that is shown: the link, files of the run, or one request.
import { createSignal } from 'solid-js';
import type { App } from '../app.ts';

export type SharePart = 'link' | 'files' | 'request';

export const [sharePart, setSharePart] = createSignal<SharePart>('link');

/** Opens the dialog at a part. */
export function openShare({ links }: Pick<App, 'links'>, part: SharePart): void {
  setSharePart(part);
  links.setSharing(true);
}
