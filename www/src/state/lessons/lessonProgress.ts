// What the reader has done in lessons, kept in this browser only. Without storage it lasts until the page closes.
import { createSignal } from 'solid-js';
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import { trust } from '../../base/trust.ts';
import type { Guess } from '../../generated/boundary.ts';

const KEY = 'lessons';
/** More lessons than these are not kept: the oldest of them goes. */
const MOST_LESSONS = 60;

/** A kept answer, and engine by guess once it is known. */
export type KeptGuess = { readonly guess: Guess; readonly factor: number | null };

/** What was done in one lesson, by step from 0. */
export type LessonProgress = {
  /** The step that was open last. */
  readonly step: number;
  /** The steps that are done, in rising order. */
  readonly done: readonly number[];
  /** How many hints were opened, by step. */
  readonly hints: Readonly<Record<number, number>>;
  readonly guesses: Readonly<Record<number, KeptGuess>>;
};

/** A number or curve that was guessed, for the view of all guesses. */
export type PastGuess = { readonly name: string; readonly step: number; readonly factor: number };

const NOTHING_DONE: LessonProgress = { step: 0, done: [], hints: {}, guesses: {} };

type All = Readonly<Record<string, LessonProgress>>;

const [all, setAll] = createSignal<All>(kept());

function kept(): All {
  try {
    return readProgress(localStorage.getItem(KEY));
  } catch {
    return {};
  }
}

/** Reads what was kept; parts that are none are left out. */
export function readProgress(text: string | null): All {
  let read: Json;
  try {
    read = trust<Json>(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
  if (!isObject(read)) return {};
  return Object.fromEntries(
    Object.entries(read).flatMap(([name, one]) => (isObject(one) ? [[name, cleaned(one)]] : [])),
  );
}

function cleaned({ step, done, hints, guesses }: JsonObject): LessonProgress {
  const steps = Array.isArray(done) ? done.filter((n: Json): n is number => Number.isInteger(n)) : [];
  const opened = isObject(hints) ? Object.entries(hints).filter(([, n]) => typeof n === 'number') : [];
  const given = isObject(guesses) ? Object.entries(guesses).flatMap(([k, one]) => keptGuess(k, one)) : [];
  return {
    step: typeof step === 'number' && Number.isInteger(step) ? step : 0,
    done: steps,
    hints: Object.fromEntries(opened.map(([k, n]) => [Number(k), Number(n)])),
    guesses: Object.fromEntries(given),
  };
}

function keptGuess(step: string, one: Json): [number, KeptGuess][] {
  if (!isObject(one) || !isObject(one.guess)) return [];
  const guess = guessOf(one.guess);
  return guess ? [[Number(step), { guess, factor: typeof one.factor === 'number' ? one.factor : null }]] : [];
}

function isNumber(x: Json | undefined): x is number {
  return typeof x === 'number' && Number.isFinite(x);
}

function guessOf({ choose, order, number, draw }: JsonObject): Guess | undefined {
  if (isNumber(choose)) return { choose };
  if (isNumber(number)) return { number };
  if (Array.isArray(order) && order.every(isNumber)) return { order };
  if (!Array.isArray(draw)) return undefined;
  const points = draw.flatMap((point: Json): [number, number][] => {
    const [x, y] = Array.isArray(point) ? point : [];
    return isNumber(x) && isNumber(y) ? [[x, y]] : [];
  });
  return { draw: points };
}

/** What was done in a lesson. */
export function progressOf(name: string): LessonProgress {
  return Object.hasOwn(all(), name) ? (all()[name] ?? NOTHING_DONE) : NOTHING_DONE;
}

/** Whether a lesson was begun. */
export function wasBegun(name: string): boolean {
  return Object.hasOwn(all(), name);
}

function change(name: string, next: (before: LessonProgress) => LessonProgress): void {
  const { [name]: before = NOTHING_DONE, ...others } = all();
  // The lesson that was played last is the last one.
  const entries = [...Object.entries(others), [name, next(before)] as const].slice(-MOST_LESSONS);
  setAll(Object.fromEntries(entries));
  try {
    localStorage.setItem(KEY, JSON.stringify(all()));
  } catch {
    // Storage can be forbidden or full; what was done then lasts until the page closes.
  }
}

export function keepStep(name: string, step: number): void {
  change(name, (before) => ({ ...before, step }));
}

/** Marks a step as done; nothing un-marks it but `forget`. */
export function markDone(name: string, step: number): void {
  if (progressOf(name).done.includes(step)) return;
  change(name, (before) => ({ ...before, done: [...before.done, step].toSorted((a, b) => a - b) }));
}

export function keepHints(name: string, step: number, opened: number): void {
  if ((progressOf(name).hints[step] ?? 0) >= opened) return;
  change(name, (before) => ({ ...before, hints: { ...before.hints, [step]: opened } }));
}

/** Keeps an answer; its factor follows once the engine's is known. */
export function keepGuess(name: string, step: number, guess: Guess, factor: number | null): void {
  change(name, (before) => ({ ...before, guesses: { ...before.guesses, [step]: { guess, factor } } }));
}

/** Every guess with a factor, by lesson. */
export function allGuesses(): readonly PastGuess[] {
  return Object.entries(all()).flatMap(([name, { guesses }]) =>
    Object.entries(guesses).flatMap(([step, { factor }]) =>
      factor === null ? [] : [{ name, step: Number(step), factor }],
    ),
  );
}

/** Forgets everything. */
export function forget(): void {
  setAll({});
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Storage can be forbidden: then nothing is kept.
  }
}
