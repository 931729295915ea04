// Switches stored in the browser, on by default.

export function readFlag(name: string): boolean {
  try {
    return localStorage.getItem(name) !== 'off';
  } catch {
    return true;
  }
}

export function writeFlag(name: string, on: boolean): void {
  try {
    localStorage.setItem(name, on ? 'on' : 'off');
  } catch {
    // Storage can be forbidden; the choice then lasts until the page closes.
  }
}
