// Steps by batch size: their columns, and the picture in a sentence.

import { keysOf } from '../../base/trust.ts';
import { count } from '../../base/units.ts';
import type { ViewColumns } from '../../base/view.ts';
import type { StepPoints } from '../../generated/boundary.ts';

/** What is known of each step. */
type StepField = Exclude<keyof StepPoints, 'line' | 'steps'>;
/** The names of columns: all that the points have of a step. */
const NAMES: Readonly<Record<StepField, string>> = { running: 'running', ms: 'ms', chunk: 'with_a_chunk' };

/** The points as columns: running requests, time, and whether there was a part of a prompt in the step. */
export function stepColumns(points: StepPoints | undefined): ViewColumns {
  const fields = keysOf(NAMES);
  return {
    names: fields.map((field) => NAMES[field]),
    columns: fields.map((field) => Float64Array.from<number | boolean>(points?.[field] ?? [], Number)),
  };
}

export function stepsSentence(points: StepPoints | undefined, replica?: number): string {
  const of = `Step time by running requests${replica === undefined ? '' : ` of replica ${replica}`}`;
  if (!points || points.steps === 0) return `${of}: no step in this span.`;
  const chunks = count(points.chunk.filter(Boolean).length);
  return `${of}: the latest ${count(points.running.length)} of ${count(points.steps)} steps, ${chunks} of them with a part of a prompt.`;
}
