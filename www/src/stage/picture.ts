// What the stage shows, as data for its painter.

import type { Frame, Move } from '../generated/boundary.ts';

/** What drawing reads of a frame. */
export type StageFrame = Pick<Frame, 'now_us' | 'key' | 'clients' | 'pools' | 'counts' | 'moves' | 'replicas'>;

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
  /** The frame, or its bytes. */
  readonly frame: StageFrame | undefined;
  readonly bytes: Uint8Array | undefined;
  /** The frame whose numbers are written: this one, another, or, where nothing is said, that of the picture before. */
  readonly told: StageFrame | 'this' | undefined;
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
