// Moves the focus to the nearest control when the focused element disappears.

/** A field to search in is none: nobody asked for it, and it would take the keys of the page. */
const FOCUSABLE =
  'a[href], button:not([disabled]), input:not([disabled], [type=search]), select, textarea:not([disabled]), [tabindex]:not([tabindex="-1"])';
/** Widgets that put the focus back themselves. */
const OWN = '[role=menu], [role=listbox], dialog, [role=dialog]';

let pointed = false;
let focusPointed = false;

/** Whether the latest input of the user came from a pointer, not a key. */
export function byPointer(): boolean {
  return pointed;
}

/** Whether the focus is where a pointer put it: the keys are then not meant for what was pressed. */
export function focusByPointer(): boolean {
  return focusPointed;
}

/** A parent of the focused element, and the index of the child that contains it. */
type Place = { readonly parent: Element; readonly index: number };

/** Watches `root`; returns a function that stops watching. */
export function keepFocus(root: HTMLElement): () => void {
  let held: HTMLElement | undefined;
  let places: readonly Place[] = [];
  const took = ({ target }: FocusEvent): void => {
    focusPointed = pointed;
    held = target instanceof HTMLElement && !target.closest(OWN) ? target : undefined;
    places = held ? placesOf(held, root) : [];
  };
  /** The user left the element on purpose: it still exists. */
  const left = ({ target, relatedTarget }: FocusEvent): void => {
    if (relatedTarget === null && target instanceof HTMLElement && canHold(target) && document.hasFocus())
      queueMicrotask(() => {
        if (held === target && canHold(target)) held = undefined;
      });
  };
  const observer = new MutationObserver(() => {
    if (!held || canHold(held)) return;
    const active = document.activeElement;
    if (active !== document.body && active !== held) return;
    held = undefined;
    nearest(places)?.focus({ preventScroll: true });
  });
  const pointerDown = ({ target }: PointerEvent): void => {
    pointed = true;
    if (target instanceof Node && document.activeElement?.contains(target)) focusPointed = true;
  };
  const keyDown = (): void => {
    pointed = false;
  };
  /** After a choice with a pointer, a list gives the keys back, so that Space plays and does not reopen it. */
  const chosen = ({ target }: Event): void => {
    if (pointed && target instanceof HTMLSelectElement) target.blur();
  };
  window.addEventListener('pointerdown', pointerDown, true);
  window.addEventListener('keydown', keyDown, true);
  window.addEventListener('change', chosen);
  root.addEventListener('focusin', took);
  root.addEventListener('focusout', left);
  observer.observe(root, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled', 'hidden'] });
  return () => {
    observer.disconnect();
    window.removeEventListener('pointerdown', pointerDown, true);
    window.removeEventListener('keydown', keyDown, true);
    window.removeEventListener('change', chosen);
    root.removeEventListener('focusin', took);
    root.removeEventListener('focusout', left);
  };
}

function canHold(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(':disabled') && element.checkVisibility();
}

function placesOf(element: Element, root: Element): readonly Place[] {
  const places: Place[] = [];
  for (let at = element; at !== root && at.parentElement; at = at.parentElement)
    places.push({ parent: at.parentElement, index: [...at.parentElement.children].indexOf(at) });
  return places;
}

/** The nearest focusable element: the next one in the innermost remaining parent, else the previous one. */
function nearest(places: readonly Place[]): HTMLElement | undefined {
  for (const { parent, index } of places) {
    if (!parent.isConnected) continue;
    const children = [...parent.children];
    for (const child of [...children.slice(index), ...children.slice(0, index).toReversed()]) {
      const found = [child, ...child.querySelectorAll(FOCUSABLE)].find(
        (e): e is HTMLElement => e instanceof HTMLElement && e.matches(FOCUSABLE) && canHold(e),
      );
      if (found) return found;
    }
  }
  return undefined;
}
