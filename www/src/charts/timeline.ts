// The timeline in numbers and words: its picture as data for its painter, and the positions of instants and pennants.
import type { Cluster } from '../base/anomalies.ts';
import { plain } from '../base/units.ts';
import type { ViewColumns } from '../base/view.ts';
import type { Flag, Frame } from '../generated/boundary.ts';
import type { Edges } from './flags.ts';
import { EDGE } from './timePicture.ts';

/** The parts of a frame used for drawing. */
export type TimelineFrame = Pick<Frame, 'now_us' | 'axis_end_us' | 'flags' | 'faults'>;

export type TimelinePicture = {
  readonly of: 'timeline';
  readonly frame: TimelineFrame;
  readonly data: ViewColumns | undefined;
  /** The health of a second run, drawn below that of the first. */
  readonly beside?: ViewColumns | undefined;
  readonly warmUpS: number;
  readonly anomalies: readonly Cluster[];
  /** The index of the cluster under the pointer or in focus; −1 for none. */
  readonly pointed: number;
  /** Decisions of autoscalers that changed the wanted number. */
  readonly decisions?: readonly { readonly us: number; readonly more: boolean }[];
  /** Whether it is that of the first view: health alone, few labels, and the edges of the chart above it. */
  readonly few?: boolean;
  /** A dragged flag with its new instant, in microseconds. */
  readonly carried: number | undefined;
};

/** How much lower the timeline of the first view is, which has no lanes for edits and anomalies. */
export const LOWER = 20;

/** Left and right edge of the time axis: 16 px from the window, 10 on a phone; in the first view those of the chart. */
export function scrubberEdges(width: number, few = false): { readonly left: number; readonly right: number } {
  if (few) return { left: EDGE.left, right: Math.max(EDGE.left + 1, width - EDGE.right) };
  const margin = width < 720 ? 10 : 16;
  return { left: margin, right: Math.max(margin + 1, width - margin) };
}

/** The position of an instant, in seconds, on the timeline. */
export function placeOn(
  frame: Pick<Frame, 'axis_end_us'> | undefined,
  width: number,
  few = false,
): (t: number) => number {
  const { left, right } = scrubberEdges(width, few);
  const endS = Math.max(1e-6, (frame?.axis_end_us ?? 0) / 1e6);
  return (t) => left + ((right - left) * Math.min(t, endS)) / endS;
}

/** The flags of a frame, their positions, and the bounds of their pennants. */
export function flagPlaces(
  frame: TimelineFrame,
  width: number,
  few = false,
): { readonly flags: readonly Flag[]; readonly places: readonly number[]; readonly edges: Edges } {
  const { left, right } = scrubberEdges(width, few);
  const x = placeOn(frame, width, few);
  return {
    flags: frame.flags,
    places: frame.flags.map((f) => x(f.at_us / 1e6)),
    edges: { left, right: right + 8, playhead: x(frame.now_us / 1e6), knob: 6 },
  };
}

/** The timeline in one sentence. */
export function describeTimeline(frame: Frame | undefined, data: ViewColumns | undefined, decisions = 0): string {
  if (!frame) return 'Timeline: nothing has been simulated yet.';
  const missed = data?.columns[1];
  let bad = 0;
  let known = 0;
  if (missed) {
    for (const v of missed) {
      if (!Number.isFinite(v)) continue;
      known += 1;
      if (v >= 15) bad += 1;
    }
  }
  const health =
    known === 0
      ? 'no request has ended'
      : `in ${Math.round((100 * bad) / known)} % of the stretches in which requests ended, 15 % of them or more missed an objective`;
  const out = data?.columns[data.names.indexOf('outage')]?.filter((v) => v > 0).length ?? 0;
  const outage = out === 0 ? '' : `; in ${out} of ${data?.columns[0]?.length} stretches requests waited and none ended`;
  const flags =
    frame.flags.length === 0 ? '' : `; ${frame.flags.length} ${frame.flags.length === 1 ? 'edit' : 'edits'}`;
  return `Timeline at ${plain(Number((frame.now_us / 1e6).toFixed(3)))} of ${plain(frame.axis_end_us / 1e6)} s: ${health}${outage}${flags}${decisionsSaid(decisions)}${anomaliesOf(frame)}.`;
}

function decisionsSaid(decisions: number): string {
  if (decisions === 0) return '';
  return `; ${decisions} scaling ${decisions === 1 ? 'decision' : 'decisions'}`;
}

function anomaliesOf(frame: Frame): string {
  if (frame.anomaly_count === 0) return '';
  return `; ${frame.anomaly_count} ${frame.anomaly_count === 1 ? 'anomaly' : 'anomalies'}`;
}
