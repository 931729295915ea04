// Work under way that moves the run: to an instant, or to the next event of a kind. It is shown only if it takes long.
import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import type { Frame, StepKind } from '../generated/boundary.ts';
import type { Mode } from '../sim/protocol.ts';

/** Shorter work is not shown, because it would end before it could be read. */
const TOLD_AFTER_MS = 250;

/** The target of the run. */
export type Errand =
  | { readonly kind: 'instant'; readonly toUs: number }
  | { readonly kind: 'event'; readonly step: StepKind; readonly back: boolean }
  | { readonly kind: 'occasion'; readonly what: string };

/** The progress of work: the share done, if its end is known. */
export type Progress = { readonly errand: Errand; readonly share: number | undefined };

export function createErrand(frame: Accessor<Frame | undefined>, mode: Accessor<Mode>) {
  const [errand, setErrand] = createSignal<Errand>();
  const [told, setTold] = createSignal(false);
  const busy = (): boolean => mode() === 'seeking' || mode() === 'stepping';
  createEffect(() => {
    if (!busy()) {
      setTold(false);
      return;
    }
    const timer = setTimeout(() => setTold(true), TOLD_AFTER_MS);
    onCleanup(() => clearTimeout(timer));
  });
  const progress = (): Progress | undefined => {
    const to = errand();
    if (!told() || !busy() || !to) return undefined;
    return { errand: to, share: shareOf(to, frame()) };
  };
  return { progress, setErrand };
}

/** The progress, from 0 to 1; undefined if the length is unknown. */
export function shareOf(errand: Errand, frame: Frame | undefined): number | undefined {
  if (errand.kind !== 'instant' || !frame) return undefined;
  const end = frame.horizon_us > 0 ? Math.min(errand.toUs, frame.horizon_us) : errand.toUs;
  if (end <= 0 || end >= Number.MAX_SAFE_INTEGER) return undefined;
  return Math.min(1, frame.now_us / end);
}

const EVENTS: Readonly<Record<StepKind, string>> = {
  event: 'event',
  'engine-step': 'engine step',
  arrival: 'arrival',
  completion: 'completion',
  preemption: 'preemption',
};

/** The work under way, in words. */
export function sayErrand(errand: Errand, seconds: (us: number) => string): string {
  if (errand.kind === 'event') return `Looking for the ${errand.back ? 'latest' : 'next'} ${EVENTS[errand.step]}`;
  if (errand.kind === 'occasion') return `Looking for the next ${errand.what}`;
  return errand.toUs >= Number.MAX_SAFE_INTEGER ? 'Running to the end' : `Going to ${seconds(errand.toUs)} s`;
}
