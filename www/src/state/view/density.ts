// What the view of density and the tab of its selection share: the answers of one instant, and how its table is sorted.
import { createSignal } from 'solid-js';
import type {
  Density,
  Ecdf,
  RequestFilter,
  RequestRows,
  SelectionSummary,
  SortKey,
  StepPoints,
} from '../../generated/boundary.ts';

/** What the latest instant answered. */
export type DensityAnswers = {
  readonly map: Density;
  /** The requests that arrived in the span on screen, without the warm-up. */
  readonly ecdf: Ecdf;
  /** Those of them before the latest edit; undefined without one. */
  readonly before: Ecdf | undefined;
  /** When that edit was, in seconds. */
  readonly editS: number | undefined;
  readonly points: StepPoints;
  readonly rows: RequestRows;
  /** The number of the first of the rows. */
  readonly offset: number;
  /** The requests of the rows. */
  readonly filter: RequestFilter;
};

export const [answers, setAnswers] = createSignal<DensityAnswers>();
/** What sets the brushed requests apart, and which they are; it stays while nothing is brushed. */
export const [summary, setSummary] = createSignal<{
  readonly of: RequestFilter;
  readonly found: SelectionSummary;
}>();
/** How the table is sorted. */
export const [sorting, setSorting] = createSignal<{ readonly by: SortKey; readonly descending: boolean }>({
  by: 'ttft',
  descending: true,
});
