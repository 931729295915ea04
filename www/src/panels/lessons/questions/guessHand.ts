// How a guess is drawn: with the mouse or a finger, and by keys.

import { type Accessor, createSignal } from 'solid-js';
import { offsetIn } from '../../../base/pointer.ts';
import type { DrawQuestion } from '../../../generated/boundary.ts';
import { draftOf, handIn, type Points, setDraft } from '../../../state/lessons/lessonGuess.ts';
import { heightAt, merged, missing, type Plot, reaching, samples, stepped, withHeight } from './guessScale.ts';

export type Hand = {
  readonly down: (event: PointerEvent & { currentTarget: Element }) => void;
  readonly move: (event: PointerEvent & { currentTarget: Element }) => void;
  readonly up: () => void;
  readonly key: (event: KeyboardEvent) => void;
  /** The value that the keys are at, by number; undefined while they are not used. */
  readonly at: Accessor<number | undefined>;
  readonly begin: () => void;
  /** What is missing before the guess can be handed in, in words. */
  readonly said: Accessor<string>;
};

/** Hands in the curve of a step; false if values are missing. */
export function handInCurve(step: number, ask: DrawQuestion): boolean {
  const line = draftOf(step);
  if (!isCovered(line, ask)) return false;
  handIn(step, { draw: line.map(([x, y]) => [x, y]) });
  return true;
}

/** Whether a curve has a height at each value. */
export function isCovered(line: Points, ask: DrawQuestion): boolean {
  return line.length > 0 && missing(line, ask.values).length === 0;
}

/** What is missing of a curve, in words; empty if nothing is. */
export function missingWords(line: Points, ask: DrawQuestion): string {
  const lacks = missing(line, ask.values).length;
  if (lacks === 0) return '';
  return line.length === 0 ? '' : `${lacks} of ${ask.values.length} points are missing`;
}

type Of = { readonly step: number; readonly ask: DrawQuestion };

export function createHand(of: Accessor<Of>, plot: Accessor<Plot>, isOpen: () => boolean): Hand {
  const [at, setAt] = createSignal<number>();
  const [said, setSaid] = createSignal('');
  let last: readonly [number, number] | undefined;

  const pixel = (event: PointerEvent & { currentTarget: Element }): readonly [number, number] => {
    const { offsetX, offsetY } = offsetIn(event.currentTarget, event);
    return [offsetX, offsetY];
  };
  const draw = (to: readonly [number, number]): void => {
    setDraft(of().step, merged(draftOf(of().step), samples(plot(), last ?? to, to)));
    last = to;
  };
  const end = (): void => {
    if (!last) return;
    last = undefined;
    const { step, ask } = of();
    setDraft(step, reaching(draftOf(step), ask.values, plot().x));
    setSaid(missingWords(draftOf(step), ask));
  };
  const moves = createMoves(of, plot, { at, setAt });
  const hand = (): void => {
    const { step, ask } = of();
    setSaid(handInCurve(step, ask) ? '' : missingWords(draftOf(step), ask) || 'Draw the curve first');
  };
  const keys = keysOf({ at, ...moves, hand, last: () => of().ask.values.length - 1 });

  return {
    down: (event) => {
      if (!isOpen() || event.button !== 0) return;
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      setAt(undefined);
      setSaid('');
      draw(pixel(event));
    },
    move: (event) => {
      if (last) draw(pixel(event));
    },
    up: end,
    key: (event) => {
      const act = isOpen() && !event.ctrlKey && !event.metaKey && !event.altKey ? keys[event.key] : undefined;
      if (!act) return;
      event.preventDefault();
      event.stopPropagation();
      setSaid('');
      act(event.shiftKey);
    },
    at,
    begin: () => moves.goTo(at() ?? 0),
    said,
  };
}

/** The movements of the keys: to a value, and of its height. */
function createMoves(
  of: Accessor<Of>,
  plot: Accessor<Plot>,
  { at, setAt }: { readonly at: Accessor<number | undefined>; readonly setAt: (index: number) => void },
): Pick<Moves, 'goTo' | 'raise'> {
  const height = (index: number): number => {
    const { step, ask } = of();
    const line = draftOf(step);
    const here = heightAt(line, ask.values[index] ?? 0);
    const before = heightAt(line, ask.values[index - 1] ?? Number.NEGATIVE_INFINITY);
    const { box, y } = plot();
    return here ?? before ?? y.of((box.top + box.bottom) / 2);
  };
  /** Goes to a value; without a height it begins at that of the value before. */
  const goTo = (index: number): void => {
    const { step, ask } = of();
    const next = Math.min(ask.values.length - 1, Math.max(0, index));
    setDraft(step, withHeight(draftOf(step), ask.values, next, height(next)));
    setAt(next);
  };
  const raise = (steps: number): void => {
    const { step, ask } = of();
    const index = at() ?? 0;
    setDraft(step, withHeight(draftOf(step), ask.values, index, stepped(plot().y, plot().box, height(index), steps)));
    setAt(index);
  };
  return { goTo, raise };
}

type Moves = {
  readonly at: Accessor<number | undefined>;
  readonly goTo: (index: number) => void;
  readonly raise: (steps: number) => void;
  readonly hand: () => void;
  readonly last: () => number;
};

/** What each key does; with shift, values move in steps of a fifth. */
function keysOf({ at, goTo, raise, hand, last }: Moves): Readonly<Record<string, (fine: boolean) => void>> {
  const begin = (): void => goTo(at() ?? 0);
  const next = (by: number): void => goTo(at() === undefined ? 0 : (at() ?? 0) + by);
  return {
    g: begin,
    G: begin,
    ArrowLeft: () => next(-1),
    ArrowRight: () => next(1),
    Home: () => goTo(0),
    End: () => goTo(last()),
    ArrowUp: (fine) => raise(fine ? 0.2 : 1),
    ArrowDown: (fine) => raise(fine ? -0.2 : -1),
    PageUp: () => raise(5),
    PageDown: () => raise(-5),
    Enter: hand,
  };
}
