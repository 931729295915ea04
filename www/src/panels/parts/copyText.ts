// Copying to the clipboard, also of a text that is still being made: what is typed last is in it.

/**
 * Copies a text once it is there; called within the press of a button, which is when browsers allow it. Returns whether
 * the browser did.
 */
export async function copyText(text: Promise<string>): Promise<boolean> {
  try {
    // Safari takes a text that comes later only as an item promised within the press.
    const later = text.then((ready) => new Blob([ready], { type: 'text/plain' }));
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': later })]);
    return true;
  } catch {
    return navigator.clipboard.writeText(await text).then(
      () => true,
      () => false,
    );
  }
}
