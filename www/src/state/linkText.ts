// What a link is at first sight: what it holds is for the module of links to say.

/** One word with a `#`, alone or behind the address of a page. */
export function isLinkText(text: string): boolean {
  return /^(https?:\/\/[^\s#]*)?#[^\s#]+$/.test(text);
}

/** Whether an address asks for the run alone, within another page. */
export function isEmbed(hash: string): boolean {
  return /^#embed(=|;|$)/.test(hash);
}

/** The link of the same run on a page of its own. */
export function unembedded(hash: string): string {
  return isEmbed(hash) ? hash.replace(/^#embed[^;]*;?/, '#') : hash;
}
