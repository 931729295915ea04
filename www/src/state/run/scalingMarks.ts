// The decisions of autoscalers that changed the wanted number of replicas, for the timeline.
import { createSignal } from 'solid-js';

/** When it was made, in microseconds, and whether it wanted more replicas. */
export type ScalingMark = { readonly us: number; readonly more: boolean };

export const [scalingMarks, setScalingMarks] = createSignal<readonly ScalingMark[]>([]);
