// Where the focus goes when the element that has it goes away: to what stands nearest, never to nowhere.

const FOCUSABLE =
  'a[href], button:not([disabled]), input:not([disabled]), select, textarea:not([disabled]), [tabindex]:not([tabindex="-1"])';
/** Widgets that put the focus back themselves. */
const OWN = '[role=menu], [role=listbox], [role=dialog]';

let pointed = false;

/** Whether the latest thing that the reader did was done with a pointer, not with a key. */
export function byPointer(): boolean {
  return pointed;
}

/** A parent of what has the focus, and which of its children that is in. */
type Place = { readonly parent: Element; readonly index: number };

/** Watches `root`; returns what ends that. */
export function keepFocus(root: HTMLElement): () => void {
  let held: HTMLElement | undefined;
  let places: readonly Place[] = [];
  const took = ({ target }: FocusEvent): void => {
    held = target instanceof HTMLElement && !target.closest(OWN) ? target : undefined;
    places = held ? placesOf(held, root) : [];
  };
  /** The reader left it on purpose: it is still there. */
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
  const pointerDown = (): void => {
    pointed = true;
  };
  const keyDown = (): void => {
    pointed = false;
  };
  /** A list that was chosen from with a pointer gives the keys back: Space plays, and does not open it again. */
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

/** What can have the focus nearest to where it was: what follows in the innermost parent that is left, else what precedes. */
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
