// The span of time selected on the charts, and whether its account of slow requests is requested.
import { createSignal } from 'solid-js';
import type { AccountedTime } from '../../generated/boundary.ts';

/** From one instant to another, in seconds after the start, and on whose chart it was selected. */
export type SelectedSpan = { readonly fromS: number; readonly toS: number; readonly of: AccountedTime };

export const [span, setSpan] = createSignal<SelectedSpan>();
/** Whether the account of slow requests is open. */
export const [accountOpen, setAccountOpen] = createSignal(false);
/** Whether the account of the span is requested and not begun yet. */
export const [accountDue, setAccountDue] = createSignal(false);

/** A span between two instants within the simulated time, its limits rounded to what is readable on the axis. */
export function spanBetween(a: number, b: number, nowS: number, axisS: number, of: AccountedTime): SelectedSpan {
  const digits = axisS < 20 ? 3 : axisS < 2000 ? 2 : 1;
  const within = (s: number): number => Number(Math.min(nowS, Math.max(0, s)).toFixed(digits));
  return { fromS: within(Math.min(a, b)), toS: within(Math.max(a, b)), of };
}
