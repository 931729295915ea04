// Which key figures stand in the first row, and whether the others are shown. The choices stay in the browser.
import { createSignal } from 'solid-js';
import { readChoice, writeChoice } from './flags.ts';

/** The figures of every run. */
export const FIGURES = [
  'ttft-p99',
  'ttft-p50',
  'within',
  'waiting',
  'tpot-p99',
  'e2e-p99',
  'goodput',
  'cache-hits',
  'preempted',
  'cost',
  'evidence',
] as const;
export type FigureName = (typeof FIGURES)[number];

const KEY = 'figures';
const PINNED = 'figures-pinned';
/** Places in the first row. */
const PLACES = 4;

const [moreFigures, setMore] = createSignal(readChoice(KEY) === 'all');

export { moreFigures };

export function setMoreFigures(shown: boolean): void {
  setMore(shown);
  writeChoice(KEY, shown ? 'all' : 'four');
}

/** The first row: each place has the figure that is pinned to it, or its own. */
export function rowOf(pins: readonly (FigureName | undefined)[]): readonly FigureName[] {
  return FIGURES.slice(0, PLACES).map((own, place) => pins[place] ?? own);
}

/** Pins a figure to the last place that has none, or else to the last one. */
export function withPin(pins: readonly (FigureName | undefined)[], name: FigureName): (FigureName | undefined)[] {
  const places = Array.from({ length: PLACES }, (_, place) => pins[place]);
  const free = places.lastIndexOf(undefined);
  places[free < 0 ? PLACES - 1 : free] = name;
  return places;
}

/** Pins as they are stored: a name for each place, or nothing. Names that no figure has, or has twice, are left out. */
export function readPins(stored: string | undefined): (FigureName | undefined)[] {
  const names = (stored ?? '').split(',').slice(0, PLACES);
  return names.map((name, place) =>
    names.indexOf(name) === place ? FIGURES.slice(PLACES).find((one) => one === name) : undefined,
  );
}

const [pins, setPins] = createSignal(readPins(readChoice(PINNED)));
const keep = (next: readonly (FigureName | undefined)[]): void => {
  setPins([...next]);
  writeChoice(PINNED, next.map((name) => name ?? '').join(','));
};

export const firstFigures = (): readonly FigureName[] => rowOf(pins());
export const isPinned = (name: FigureName): boolean => pins().includes(name);
export const pinFigure = (name: FigureName): void => keep(withPin(pins(), name));
export const unpinFigure = (name: FigureName): void =>
  keep(pins().map((pinned) => (pinned === name ? undefined : pinned)));
