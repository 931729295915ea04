// Work under way that moves the run: to an instant, or to the next event of a kind. It is shown only if it takes long.
import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import type { Frame, StepKind } from '../../generated/boundary.ts';
import type { Mode } from '../../sim/protocol.ts';

/** Shorter work is not shown, because it would end before it could be read. */
const SHOWN_AFTER_MS = 250;

/** The target of the run. */
export type RunTarget =
  | { readonly kind: 'instant'; readonly toUs: number }
  | { readonly kind: 'event'; readonly step: StepKind; readonly back: boolean }
  | { readonly kind: 'occasion'; readonly what: string };

/** The progress of work: the share done, if its end is known. */
export type Progress = { readonly target: RunTarget; readonly share: number | undefined };

export function createTarget(frame: Accessor<Frame | undefined>, mode: Accessor<Mode>) {
  const [target, setTarget] = createSignal<RunTarget>();
  const [shown, setShown] = createSignal(false);
  const busy = (): boolean => mode() === 'seeking' || mode() === 'stepping';
  createEffect(() => {
    if (!busy()) {
      setShown(false);
      return;
    }
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MS);
    onCleanup(() => clearTimeout(timer));
  });
  const progress = (): Progress | undefined => {
    const to = target();
    if (!shown() || !busy() || !to) return undefined;
    return { target: to, share: shareOf(to, frame()) };
  };
  return { progress, setTarget };
}

/** The progress, from 0 to 1; undefined if the length is unknown. */
export function shareOf(target: RunTarget, frame: Frame | undefined): number | undefined {
  if (target.kind !== 'instant' || !frame) return undefined;
  const end = frame.horizon_us > 0 ? Math.min(target.toUs, frame.horizon_us) : target.toUs;
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
export function targetWords(target: RunTarget, seconds: (us: number) => string): string {
  if (target.kind === 'event') return `Looking for the ${target.back ? 'latest' : 'next'} ${EVENTS[target.step]}`;
  if (target.kind === 'occasion') return `Looking for the next ${target.what}`;
  return target.toUs >= Number.MAX_SAFE_INTEGER ? 'Running to the end' : `Going to ${seconds(target.toUs)} s`;
}
