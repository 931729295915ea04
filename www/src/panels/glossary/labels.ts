// The labels of the page that are words of the glossary: they get its marks, and one stop of the Tab key for each group,
// within which the arrow keys go from label to label.
import { entryOf } from './words.ts';

/** Where labels stand: the key figures, titles of charts, rows of the inspector. */
const LABELS = '.kpi h2 > span:first-child, figcaption > b, .blk dt, .blk th[scope]';
const GROUP = '.kpi, .blk, .charts, .area';
const LATER_MS = 300;

const KEYS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** The own text of a label, without that of the elements in it. */
export function ownText(label: Element): string {
  const texts = [...label.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
  return texts
    .map((node) => node.textContent ?? '')
    .join('')
    .trim();
}

/** Marks the labels that are words. */
export function markLabels(): void {
  for (const label of document.querySelectorAll<HTMLElement>(LABELS)) {
    const word = entryOf(ownText(label))?.word ?? '';
    if ((label.dataset['term'] ?? '') === word) continue;
    if (word === '') {
      delete label.dataset['term'];
      label.removeAttribute('tabindex');
    } else label.dataset['term'] = word;
  }
  for (const group of document.querySelectorAll<HTMLElement>(GROUP)) stopAt(group);
  for (const word of document.querySelectorAll('button[data-term]:not([aria-haspopup])')) {
    word.setAttribute('aria-haspopup', 'dialog');
    word.setAttribute('aria-expanded', 'false');
  }
}

function labelsOf(group: Element): readonly HTMLElement[] {
  return [...group.querySelectorAll<HTMLElement>('[data-term]:not(button)')].filter(
    (label) => label.closest(GROUP) === group && label.checkVisibility(),
  );
}

/** Gives the Tab key one stop in a group: a label, or the one that had it. */
function stopAt(group: Element, wanted?: HTMLElement): void {
  const labels = labelsOf(group);
  const stop = wanted ?? labels.find((label) => label.tabIndex === 0) ?? labels[0];
  for (const label of labels) label.tabIndex = label === stop ? 0 : -1;
}

/** Arrow keys on a label go to the next one of its group. Whether the key was used. */
export function moveBetweenLabels(event: KeyboardEvent): boolean {
  const step = KEYS[event.key];
  const label = event.target;
  if (step === undefined || !(label instanceof HTMLElement) || !isLabel(label)) return false;
  const group = label.closest(GROUP);
  const labels = group ? labelsOf(group) : [];
  const next = labels[labels.indexOf(label) + step];
  if (!group || !next) return true;
  stopAt(group, next);
  next.focus();
  return true;
}

/** A label that got its marks here, in contrast to a button in a text. */
export function isLabel(element: Element): boolean {
  return element instanceof HTMLElement && element.dataset['term'] !== undefined && element.tagName !== 'BUTTON';
}

/** The label that took the place of one that is gone: of the same text, nearest to where it was. */
export function successor(word: string, was: DOMRect): HTMLElement | undefined {
  const far = (label: HTMLElement): number => {
    const at = label.getBoundingClientRect();
    return Math.abs(at.left - was.left) + Math.abs(at.top - was.top);
  };
  const same = [...document.querySelectorAll<HTMLElement>('[data-term]')].filter(
    (label) => label.dataset['term'] === word,
  );
  return same.toSorted((a, b) => far(a) - far(b)).find((label) => far(label) < 80);
}

/** Keeps the marks while the page changes, and calls back after each time. */
export function keepMarked(after: () => void): void {
  let due = false;
  const mark = (): void => {
    due = false;
    markLabels();
    after();
  };
  mark();
  const changed = new MutationObserver(() => {
    if (!due) setTimeout(mark, LATER_MS);
    due = true;
  });
  changed.observe(document.body, { childList: true, subtree: true });
}
