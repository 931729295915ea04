// The axis of time of a comparison: its end, the playhead, the warm-up, the edits and the objectives, which all charts
// of both runs share.
import { getAt, type Json } from '../../base/json.ts';
import type { Flag, Frame } from '../../generated/boundary.ts';

/** An edit on the axis, and the runs that have it. */
export type SceneEdit = { readonly atS: number; readonly of: 'A' | 'B' | 'A and B'; readonly says: string };

export type Scene = {
  /** The right edge, that of the timeline. */
  readonly endS: number;
  readonly nowS: number;
  readonly warmUpS: number;
  readonly edits: readonly SceneEdit[];
  /** The objectives of all classes without their own, in milliseconds; 0 for none. */
  readonly ttftMs: number;
  readonly e2eMs: number;
};

type Flags = readonly Pick<Flag, 'at_us' | 'label'>[];

/** The edits of both runs in order; one that both have at one instant is listed once. */
export function editsOf(a: Flags, b: Flags): readonly SceneEdit[] {
  const rest = [...b];
  const ofA = a.map((flag): SceneEdit => {
    const same = rest.findIndex((other) => other.at_us === flag.at_us && other.label === flag.label);
    if (same >= 0) rest.splice(same, 1);
    return { atS: flag.at_us / 1e6, of: same >= 0 ? 'A and B' : 'A', says: flag.label };
  });
  const ofB = rest.map((flag): SceneEdit => ({ atS: flag.at_us / 1e6, of: 'B', says: flag.label }));
  return [...ofA, ...ofB].toSorted((x, y) => x.atS - y.atS);
}

const numberAt = (document: Json, path: string): number => {
  const found = getAt(document, path);
  return typeof found === 'number' ? found : 0;
};

type FrameA = Pick<Frame, 'axis_end_us' | 'now_us' | 'flags'>;

export function sceneOf(a: FrameA | undefined, flagsOfB: Flags, document: Json, warmUpS: number): Scene {
  return {
    endS: Math.max(1, (a?.axis_end_us ?? 0) / 1e6),
    nowS: (a?.now_us ?? 0) / 1e6,
    warmUpS,
    edits: editsOf(a?.flags ?? [], flagsOfB),
    ttftMs: numberAt(document, 'slo.ttft_ms'),
    e2eMs: numberAt(document, 'slo.e2e_ms'),
  };
}
