// The picture of the stage as data for its painter.

import type { Frame, Move } from '../generated/boundary.ts';

/** The parts of a frame used for drawing. */
export type StageFrame = Pick<
  Frame,
  'now_us' | 'key' | 'gateway' | 'split' | 'clients' | 'pools' | 'counts' | 'moves' | 'replicas' | 'servers'
>;

/** The values of a frame for the history of the stage. */
export type StageNote = {
  readonly nowUs: number;
  readonly offeredPerS: number;
  /** Median TTFT by replica, of those that have a trend. */
  readonly ttftUs: readonly (readonly [replica: number, us: number])[];
  /** The moves and the speed; undefined if single requests are not followed. */
  readonly followed: { readonly moves: readonly Move[]; readonly speed: number } | undefined;
};

export type StagePicture = {
  readonly of: 'stage';
  /** The frame, or its bytes. */
  readonly frame: StageFrame | undefined;
  readonly bytes: Uint8Array | undefined;
  /** The frame whose numbers are written: this one, another, or, if undefined, that of the previous picture. */
  readonly written: StageFrame | 'this' | undefined;
  readonly request: number | undefined;
  /** The replica in focus: picked, or holding the picked request. */
  readonly focus: number | undefined;
  /** Whether the card in focus has dots that open its menu. */
  readonly menu?: boolean;
  /** Whether it is drawn as in the first view. */
  readonly calm?: boolean;
  /** Context tokens of a bar of full height. */
  readonly scale: number;
  /** Whether traffic is drawn as ribbons because single requests cannot be followed. */
  readonly ribbons: boolean;
  /** Whether those ribbons flow. */
  readonly flows?: boolean;
  /** Whether nothing is to move. */
  readonly still?: boolean;
  /** The router in force, in any words: another one is a gesture. */
  readonly router?: string | undefined;
  /** The notes of frames since the previous picture. */
  readonly notes: readonly StageNote[];
};
