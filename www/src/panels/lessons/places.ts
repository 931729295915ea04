// Where the things on the page are that a lesson points at.
import type { LessonLook } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import type { PhoneTab } from '../../state/slices/selection.ts';
import { moreFigures, setMoreFigures } from '../../state/view/moreFigures.ts';
import { entriesOf, entryOf, fieldsIn, SECTIONS } from '../parts/formFields.ts';

/** A part of the page, in pixels of the window. */
export type Place = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };

/** Where the card of a replica is on the stage, in pixels of its canvas. */
export type ReplicaAt = (replica: number, width: number, height: number) => Place | undefined;

/** A kind of thing that a lesson points at: the tab of a phone that has it, its element, and what it is in words. */
type Pointed = {
  readonly tab: PhoneTab;
  readonly element: (name: string) => HTMLElement | undefined;
  readonly words: (name: string, fieldName: (path: string) => string) => string;
};

const one = (selector: string): HTMLElement | undefined => document.querySelector<HTMLElement>(selector) ?? undefined;
const plain = (name: string): string => name.replaceAll('-', ' ');
/** A part of the page that has no name of its own. */
const part = (kind: string, selector: string, tab: PhoneTab = 'stage'): Pointed => ({
  tab,
  element: () => one(selector),
  words: () => `the ${kind}`,
});

const KINDS: Readonly<Record<string, Pointed>> = {
  field: { tab: 'scenario', element: fieldRow, words: (name, fieldName) => `the field ${fieldName(name)}` },
  chart: {
    tab: 'charts',
    element: (name) => one(`[data-chart="${CSS.escape(name)}"]`) ?? distribution(name),
    words: (name) => `the chart ${plain(name)}`,
  },
  replica: { tab: 'stage', element: () => one('.stage-sheet canvas'), words: (name) => `replica r${name}` },
  figure: { tab: 'stage', element: keyFigure, words: (name) => `the figure ${plain(name).toUpperCase()}` },
  area: { tab: 'charts', element: () => one('.area'), words: (name) => `the view ${plain(name)}` },
  stage: part('stage', '.stage'),
  timeline: part('timeline', '.scrubber'),
  play: part('play', '.play'),
  speed: part('speed', '.foot .speed'),
  inspector: part('inspector', '.right', 'inspector'),
};
const kindOf = (kind: string): Pointed => KINDS[kind] ?? part(kind, '.page');
const CLIPS = '.left, .mid, .right, .foot, .charts-scroll, .form';

/** Kind and name of what a step points at: `field` and its path. */
export function partsOf(at: string): readonly [kind: string, name: string] {
  const end = at.indexOf(':');
  return end < 0 ? [at, ''] : [at.slice(0, end), at.slice(end + 1)];
}

/** The tab of a phone that has it. */
export const tabOf = (at: string): PhoneTab => kindOf(partsOf(at)[0]).tab;

/** The element of it; undefined while it is not on the page. */
export function elementOf(at: string): HTMLElement | undefined {
  const [kind, name] = partsOf(at);
  return kindOf(kind).element(name);
}

/** The row of a field, or of the part that has it. */
function fieldRow(path: string): HTMLElement | undefined {
  const rows = [...document.querySelectorAll<HTMLElement>('.left .f[data-path]')];
  const own = (row: HTMLElement): string => row.dataset.path ?? '';
  const above = rows.filter(
    (row) => path === own(row) || path.startsWith(`${own(row)}.`) || path.startsWith(`${own(row)}[`),
  );
  return above.toSorted((a, b) => own(b).length - own(a).length)[0];
}

function distribution(name: string): HTMLElement | undefined {
  const title = name === 'ttft-ecdf' ? 'TTFT' : name === 'e2e-ecdf' ? 'E2E' : undefined;
  const all = [...document.querySelectorAll<HTMLElement>('.charts-shares .ecdf')];
  return title === undefined ? undefined : all.find((one) => one.getAttribute('aria-label')?.startsWith(title));
}

/** The key figure whose title begins with a name: `ttft`, `cache-hits`. */
function keyFigure(name: string): HTMLElement | undefined {
  const wanted = name.toLowerCase().replaceAll('-', ' ');
  const found = [...document.querySelectorAll<HTMLElement>('.kpi > div')].find((one) =>
    one.querySelector('h2')?.textContent?.trim().toLowerCase().startsWith(wanted),
  );
  // It is looked for again once the others are shown.
  if (!found && !moreFigures()) setMoreFigures(true);
  return found;
}

/** Opens the parts of the form on the way to a field, and scrolls to it. */
export function revealField(app: Pick<App, 'document' | 'selection'>, path: string): void {
  app.selection.setLeftTab('form');
  const now = app.document.inForce();
  const entry = entryOf(path) ?? '';
  const at = SECTIONS.findIndex(
    (section) =>
      entriesOf(now, section).includes(entry) &&
      fieldsIn(app.document.schema, now, section, entry).some((f) => path === f.path || path.startsWith(`${f.path}.`)),
  );
  const section = document.querySelectorAll<HTMLElement>('.form > .sec')[at];
  section?.querySelector<HTMLElement>('.sec-head[aria-expanded=false]')?.click();
  // The parts of the section are built in the next tasks.
  requestAnimationFrame(() => {
    const index = Number(/\[(\d+)\]$/.exec(entry)?.[1] ?? 0);
    section?.querySelectorAll<HTMLElement>('.entry-name')[index]?.matches('[aria-expanded=false]') &&
      section.querySelectorAll<HTMLElement>('.entry-name')[index]?.click();
    requestAnimationFrame(() => {
      const exact = () => document.querySelector(`.left .f[data-path="${CSS.escape(path)}"]`);
      if (!exact())
        for (const more of section?.querySelectorAll<HTMLElement>('.further[aria-expanded=false]') ?? []) more.click();
      requestAnimationFrame(() => fieldRow(path)?.scrollIntoView({ block: 'center' }));
    });
  });
}

/** Where it is on screen; undefined while it is hidden, scrolled out of sight or covered by the inspector. */
export function placeOf(at: string, replicaAt: ReplicaAt): Place | undefined {
  const element = elementOf(at);
  if (!element?.checkVisibility()) return undefined;
  const box = element.getBoundingClientRect();
  let place: Place = { x: box.x, y: box.y, w: box.width, h: box.height };
  const [kind, name] = partsOf(at);
  if (kind === 'replica') {
    const own = replicaAt(Number(name), element.clientWidth, element.clientHeight);
    if (!own) return undefined;
    const scale = box.width / Math.max(1, element.clientWidth);
    place = { x: box.x + own.x * scale, y: box.y + own.y * scale, w: own.w * scale, h: own.h * scale };
  }
  for (let clip = element.closest(CLIPS); clip; clip = clip.parentElement?.closest(CLIPS) ?? null)
    place = common(place, clip.getBoundingClientRect());
  const shown = place.w >= 8 && place.h >= Math.min(12, box.height);
  return shown && !isCovered(element, place) ? place : undefined;
}

function common(a: Place, b: DOMRect): Place {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)];
  return { x, y, w: Math.min(a.x + a.w, b.right) - x, h: Math.min(a.y + a.h, b.bottom) - y };
}

/** Whether the inspector of a narrow window lies over the middle of it. */
function isCovered(element: Element, { x, y, w, h }: Place): boolean {
  const drawer = document.querySelector('.right');
  if (!drawer?.checkVisibility({ visibilityProperty: true }) || drawer.contains(element) || element.contains(drawer))
    return false;
  const box = drawer.getBoundingClientRect();
  const [midX, midY] = [x + w / 2, y + h / 2];
  return midX > box.left && midX < box.right && midY > box.top && midY < box.bottom;
}

/** What it is, in words, for the list of what a card points at. */
export function lookName({ at }: LessonLook, fieldName: (path: string) => string): string {
  const [kind, name] = partsOf(at);
  return kindOf(kind).words(name, fieldName);
}
