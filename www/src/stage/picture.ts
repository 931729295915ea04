// What the stage shows, as data for its painter.

import type { Frame, Move, ReplicaFrame } from '../generated/boundary.ts';

/** What drawing reads of a frame, besides its replicas. */
export type StageFrame = Pick<Frame, 'now_us' | 'key' | 'clients' | 'pools' | 'counts' | 'moves'>;

/** What a frame adds to what the stage remembers. */
export type StageNote = {
  readonly nowUs: number;
  readonly offeredPerS: number;
  /** Median TTFT by replica, of those that have a trend. */
  readonly ttftUs: readonly (readonly [replica: number, us: number])[];
  /** What moved, and how fast; nothing where single requests are not followed. */
  readonly followed: { readonly moves: readonly Move[]; readonly speed: number } | undefined;
};

export type StagePicture = {
  readonly of: 'stage';
  readonly frame: StageFrame;
  /** The replicas that are drawn, in order. */
  readonly replicas: readonly ReplicaFrame[];
  readonly request: number | undefined;
  /** The replica in focus: picked, or holding the picked request. */
  readonly focus: number | undefined;
  /** Context tokens of a bar of full height. */
  readonly scale: number;
  /** Whether traffic is drawn as ribbons because single requests cannot be followed. */
  readonly ribbons: boolean;
  /** Of the frames since the picture before. */
  readonly notes: readonly StageNote[];
};
