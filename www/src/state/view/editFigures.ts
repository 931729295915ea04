// The figures before and after an edit: around which instant, and what the run answers.
import { createSignal } from 'solid-js';
import type { Around } from '../../generated/boundary.ts';

/** Whether figures before and after an edit are shown. */
export const [aroundOn, setAroundOn] = createSignal(false);
/** The instant of the chosen edit, in microseconds; undefined is the latest one that was passed. */
export const [aroundAt, setAroundAt] = createSignal<number>();
/** The figures around an instant. */
export type AroundEdit = Around & { readonly atUs: number };
export const [around, setAround] = createSignal<AroundEdit>();
