// Keys that come before the field is there that they are meant for: a field that was asked for opens a moment later, as
// its code may have to be loaded. Until then no key is a shortcut, and what was typed goes into the field.

/** Keys are kept for a field for at most this long. */
const PATIENCE_MS = 3000;

let stop: (() => void) | undefined;

/** What a key adds to a text, or undefined for a key that has no part in it. */
export function typedAfter(text: string, key: string): string | undefined {
  if (key === 'Backspace') return text.slice(0, -1);
  if (key === 'Enter') return text;
  return [...key].length === 1 ? text + key : undefined;
}

/** Keeps what is typed until a field that matches `selector` has the focus, and gives it to that field. */
export function awaitField(selector: string): void {
  stop?.();
  let text = '';
  const key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = event.key === 'Escape' ? undefined : typedAfter(text, event.key);
    if (next === undefined) {
      end();
      return;
    }
    text = next;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const focused = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
    end();
    // A field that selects its text does so after it has the focus.
    if (target.matches(selector) && text !== '') queueMicrotask(() => give(target, text));
  };
  const timer = setTimeout(() => end(), PATIENCE_MS);
  const end = (): void => {
    clearTimeout(timer);
    window.removeEventListener('keydown', key, true);
    window.removeEventListener('pointerdown', end, true);
    window.removeEventListener('focusin', focused, true);
    if (stop === end) stop = undefined;
  };
  stop = end;
  window.addEventListener('keydown', key, true);
  window.addEventListener('pointerdown', end, true);
  window.addEventListener('focusin', focused, true);
}

/** Types a text into a field, in place of what is selected there. */
function give(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? field.value.length, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true, data: text, inputType: 'insertText' }));
}
