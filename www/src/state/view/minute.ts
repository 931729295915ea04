// The first minute: four steps on the stage of the first view, each with one thing to do. Shown once, then asked for from the help.
import { createSignal } from 'solid-js';
import { NOTHING } from '../../base/view.ts';
import type { App } from '../app.ts';
import { setLearning, setLesson } from '../lessons/lesson.ts';
import { playFirst } from '../run/firstPlay.ts';
import { PRESETS } from '../run/presets.ts';
import { fold } from './calm.ts';
import { readChoice, writeChoice } from './flags.ts';

const KEY = 'minute';

/** The minute so far. A value of p99 is that of TTFT, in microseconds. */
export type Minute = {
  /** 1 to 4, and 5 for its end. */
  readonly step: 1 | 2 | 3 | 4 | 5;
  /** The router in force, by its tag. */
  readonly router: string;
  /** The replica that a router has buried as the minute begins. */
  readonly buried?: number | undefined;
  /** When the router was changed; undefined while it is to be. */
  readonly changedUs?: number | undefined;
  /** p99 before what is to be done, or before what was done as long as its result is to come. */
  readonly beforeUs: number;
  /** p99 before the router that was judged last, and whether that is worse. */
  readonly fromUs?: number | undefined;
  readonly worse?: boolean | undefined;
  /** What was broken. */
  readonly fault?: MinuteFault | undefined;
};

export type MinuteFault = {
  readonly replica: number;
  readonly atUs: number;
  /** Requests that were inside, and those lost with it. */
  readonly inside: number;
  readonly lost: number;
};

/** What wears the ring: a thing to use now. */
export type Ring = 'router' | 'play' | 'break' | 'request' | 'playhead';

/** The minute under way; undefined if there is none. */
export const [minute, setMinute] = createSignal<Minute | undefined>(undefined, {
  equals: (a, b) => JSON.stringify(a) === JSON.stringify(b),
});
/** Whether it is to begin as soon as the opening run is there. */
export const [minuteAsked, setMinuteAsked] = createSignal(false);
/** What wears the ring, and for a replica or a request which. */
export const [ring, setRing] = createSignal<{ readonly on: Ring; readonly id?: number | undefined } | undefined>(
  undefined,
  { equals: (a, b) => a?.on === b?.on && a?.id === b?.id },
);
/** What stands grey before p99 of TTFT: the value before the change. */
export const [wasUs, setWasUs] = createSignal<number>();

/** The id of the line, by which the thing with the ring is described. */
export const MINUTE_LINE = 'minute-line';

/** The description of a thing, while it wears the ring. */
export const describedBy = (on: Ring, id?: number): string | undefined => (hasRing(on, id) ? MINUTE_LINE : undefined);

/** Whether a thing wears the ring. */
export const hasRing = (on: Ring, id?: number): boolean => ring()?.on === on && ring()?.id === id;

/** Begins the minute at the first visit, with the opening run just as it is. */
export function beginMinute(app: Pick<App, 'document'>): void {
  if (readChoice(KEY) === 'seen' || app.document.presetName() !== PRESETS[0]?.name) return;
  if (app.document.differences() > 0) return;
  writeChoice(KEY, 'seen');
  setMinuteAsked(true);
}

/** Shows the minute again, from the opening run on. */
export async function showMinute(
  app: Pick<App, 'document' | 'transport' | 'selection' | 'studies' | 'dialogs'>,
): Promise<void> {
  const [first] = PRESETS;
  if (!first) return;
  endMinute();
  app.dialogs.setHelp(false);
  setLearning(false);
  setLesson(undefined);
  app.studies.setComparing(false);
  app.selection.select(NOTHING);
  app.selection.setDrawer(false);
  fold();
  app.transport.pause();
  await app.document.openPreset(first);
  setMinuteAsked(true);
  playFirst(app);
}

/** Ends the minute, whether it was finished or not. */
export function endMinute(): void {
  setMinuteAsked(false);
  setMinute(undefined);
}
