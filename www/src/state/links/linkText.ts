// Recognises links by their form. The module of links reads their contents.

/** One word with a `#`, alone or behind the address of a page. */
export function isLinkText(text: string): boolean {
  return /^(https?:\/\/[^\s#]*)?#[^\s#]+$/.test(text);
}

/** Names in the list of charts of an embedded run that are none: the note, and the start when it is scrolled into view. */
export const NOTE_BESIDE = 'note';
export const STARTS_IN_VIEW = 'plays-in-view';

/** Whether an address requests the run alone, within another page. */
export function isEmbed(hash: string): boolean {
  return /^#embed(=|;|$)/.test(hash);
}

/** Whether a link or an address opens a step of a lesson. */
export function isLessonLink(text: string): boolean {
  return /#(embed;)?lesson=/.test(text);
}

/** The link of the same run on its own page. */
export function unembedded(hash: string): string {
  return isEmbed(hash) ? hash.replace(/^#embed[^;]*;?/, '#') : hash;
}

/** The address of the view of lessons. */
export const LEARN = '#learn';
