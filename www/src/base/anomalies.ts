// Anomalies on the page: their names and shapes, those ahead of the playhead, and the clustering of marks on a line.
import type { AnomalyKind, AnomalyMark, Frame } from '../generated/boundary.ts';
import { trust } from './trust.ts';

/** The shape shows the kind; the paths are drawn in a square of nine. */
export type AnomalyShape = {
  readonly name: string;
  readonly path: string;
  readonly meaning: string;
};

const BY_KIND: Readonly<Record<AnomalyKind, AnomalyShape>> = {
  'priority-inversion': {
    name: 'priority inversion',
    path: 'M0 0h9L4.5 4.5zM4.5 4.5L9 9H0z',
    meaning: 'a less urgent request went first',
  },
  'head-of-line-blocking': {
    name: 'head-of-line blocking',
    path: 'M0 0h2.5v9H0zM4.5 1.5h4.5v6H4.5z',
    meaning: 'the first of a queue waited for KV blocks and held up the others',
  },
  'kv-thrashing': {
    name: 'KV thrashing',
    path: 'M6 0L.5 5.2h3L2.5 9 8.5 3.6h-3.2z',
    meaning: 'KV blocks were lost again soon after they were restored',
  },
  livelock: {
    name: 'livelock',
    path: 'M4.5 0a4.5 4.5 0 1 0 .01 0zM4.5 2.3a2.2 2.2 0 1 1-.01 0z',
    meaning: 'many preemptions and nothing finished between them',
  },
  'load-imbalance': {
    name: 'load imbalance',
    path: 'M0 6h2.3v3H0zM3.4 4h2.2v5H3.4zM6.7 0H9v9H6.7z',
    meaning: 'some replicas had much more load than others',
  },
  oscillation: {
    name: 'oscillation',
    path: 'M0 4.5L2.2 0l2.3 4.5L6.8 0 9 4.5V9L6.8 4.5 4.5 9 2.2 4.5 0 9z',
    meaning: 'an autoscaler reversed its previous change',
  },
  'capacity-never-reached': {
    name: 'capacity never reached',
    path: 'M0 0h9v2H0zM4.5 3.5L8 9H1z',
    meaning: 'an autoscaler did not get the replicas that it wanted',
  },
  'tuner-locked-out': {
    name: 'tuner locked out',
    path: 'M0 4h9v5H0zM1.5 4V2.5a3 3 0 0 1 6 0V4H6V2.5a1.5 1.5 0 0 0-3 0V4z',
    meaning: 'the filter of an autoscaler rejected all measurements',
  },
  'starved-band': {
    name: 'starved band',
    path: 'M0 0h9v2.4H0zM0 6.6h2.6V9H0zM3.2 6.6h2.6V9H3.2zM6.4 6.6H9V9H6.4z',
    meaning: 'a band of the gateway’s queue sent none while others did',
  },
  'decode-pool-full': {
    name: 'decode pool full',
    path: 'M0 0h3v9H0zM4.5 0H9v4H4.5zM4.5 5H9v4H4.5z',
    meaning: 'computed prompts waited for room at their home',
  },
  'port-saturated': {
    name: 'port saturated',
    path: 'M0 1h4v2H0zM0 6h4v2H0zM4 3.2h2.5V0L9 4.5 6.5 9V5.8H4z',
    meaning: 'transfers shared the ports of a replica all the time',
  },
  'retry-storm': {
    name: 'retry storm',
    path: 'M0 0h6.5v2H2v5h5V5.4H5.2L8 2.2 9 4v5H0z',
    meaning: 'a third of all attempts and more were retries',
  },
  'unavailable-pool': {
    name: 'unavailable pool',
    path: 'M0 1.4L1.4 0 4.5 3.1 7.6 0 9 1.4 5.9 4.5 9 7.6 7.6 9 4.5 5.9 1.4 9 0 7.6 3.1 4.5z',
    meaning: 'all replicas of a pool that served were down',
  },
  'slow-recovery': {
    name: 'slow recovery',
    path: 'M0 0h2l1.5 6L6 7.4 9 4v5H0z',
    meaning: 'goodput was not back half a minute after a fault was over',
  },
};

/** All kinds, in the order in which lists show them. */
export const SHOWN_KINDS = trust<readonly AnomalyKind[]>(Object.keys(BY_KIND));

/** Shape and words of a kind. */
export function shapeOf(kind: AnomalyKind): AnomalyShape {
  return BY_KIND[kind];
}

/**
 * The known anomalies of a run after a frame: those of the frame, and those seen before the playhead moved back. The
 * same run has the same anomalies, so these are ahead.
 */
export function known(before: readonly AnomalyMark[], frame: Frame): readonly AnomalyMark[] {
  const id = (a: AnomalyMark): string => `${a.kind} ${a.replica} ${a.at_us} ${a.request ?? ''}`;
  const here = new Set(frame.anomalies.map(id));
  const ahead = before.filter((a) => !here.has(id(a)));
  return ahead.length === 0 ? frame.anomalies : [...frame.anomalies, ...ahead];
}

/** A cluster of marks that would touch. */
export type Cluster = { readonly x: number; readonly marks: readonly AnomalyMark[] };

/** Marks in order of time, clustered if closer than `gap` to the first of a cluster. */
export function clusters(
  marks: readonly AnomalyMark[],
  place: (timeS: number) => number,
  gap: number,
): readonly Cluster[] {
  const out: { x: number; marks: AnomalyMark[] }[] = [];
  for (const mark of marks.toSorted((a, b) => a.at_us - b.at_us)) {
    const x = place(mark.at_us / 1e6);
    const last = out.at(-1);
    if (last && x - last.x < gap) last.marks.push(mark);
    else out.push({ x, marks: [mark] });
  }
  return out;
}

/** The stretches of time that any of these anomalies covers, in seconds, without overlap. */
export function spans(marks: readonly AnomalyMark[], nowUs: number): readonly (readonly [number, number])[] {
  const out: [number, number][] = [];
  for (const mark of marks.toSorted((a, b) => a.at_us - b.at_us)) {
    const from = mark.at_us / 1e6;
    const to = Math.max(mark.at_us, mark.end_us ?? nowUs) / 1e6;
    const last = out.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}

/** A cluster in a few words: `2 × KV thrashing, load imbalance`. */
export function named(marks: readonly AnomalyMark[]): string {
  const counts = new Map<AnomalyKind, number>();
  for (const { kind } of marks) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, n]) => (n > 1 ? `${n} × ${shapeOf(kind).name}` : shapeOf(kind).name)).join(', ');
}

/** The same in fewer words, if there is more than one. */
export function briefly(marks: readonly AnomalyMark[]): readonly string[] {
  return marks.length < 2 ? [] : [`${marks.length} anomalies`, `×${marks.length}`];
}

/** Whether words are no more than a number. */
export const isBrief = (words: string): boolean => words.startsWith('×');

/** For short lists that come with each frame: equal lists update nothing on the page. */
export function sameMarks(a: readonly AnomalyMark[], b: readonly AnomalyMark[]): boolean {
  return a === b || (a.length === b.length && JSON.stringify(a) === JSON.stringify(b));
}
