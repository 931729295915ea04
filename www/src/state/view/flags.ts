// Switches stored in the browser, on by default.

export function readFlag(name: string): boolean {
  return readChoice(name) !== 'off';
}

/** A stored choice; undefined if there is none. */
export function readChoice(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeFlag(name: string, on: boolean): void {
  writeChoice(name, on ? 'on' : 'off');
}

export function writeChoice(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Storage can be forbidden; the choice then lasts until the page closes.
  }
}
