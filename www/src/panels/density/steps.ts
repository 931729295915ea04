// Steps by batch size: their columns, and the picture in a sentence.
import { count } from '../../base/units.ts';
import type { ViewColumns } from '../../base/view.ts';
import type { StepPoints } from '../../generated/boundary.ts';

/** The points as columns: running requests, time, and whether there was a part of a prompt in the step. */
export function stepColumns(points: StepPoints | undefined): ViewColumns {
  return {
    names: ['running', 'ms', 'with_a_chunk'],
    columns: [
      Float64Array.from(points?.running ?? []),
      Float64Array.from(points?.ms ?? []),
      Float64Array.from(points?.chunk ?? [], Number),
    ],
  };
}

export function stepsSentence(points: StepPoints | undefined, replica?: number): string {
  const of = `Step time by running requests${replica === undefined ? '' : ` of replica ${replica}`}`;
  if (!points || points.steps === 0) return `${of}: no step in this span.`;
  const chunks = count(points.chunk.filter(Boolean).length);
  return `${of}: the latest ${count(points.running.length)} of ${count(points.steps)} steps, ${chunks} of them with a part of a prompt.`;
}
