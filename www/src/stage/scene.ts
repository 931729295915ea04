// The input of every drawing step of the stage.

import type { Palette } from '../draw/inks.ts';
import type { Pen } from '../draw/pen.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import type { Dots } from './dots.ts';
import type { Trends } from './history.ts';
import type { StageLayout } from './layout.ts';
import type { StageFrame } from './picture.ts';

export type Scene = {
  readonly pen: Pen;
  readonly p: Palette;
  readonly frame: StageFrame;
  /** The frame whose numbers are written. */
  readonly written: StageFrame;
  /** The replicas drawn: those of the layout's boxes, in order. */
  readonly replicas: readonly ReplicaFrame[];
  readonly layout: StageLayout;
  readonly request: number | undefined;
  /** The replica in focus: picked, or holding the picked request. */
  readonly focus: number | undefined;
  /** Whether the card in focus has dots that open its menu. */
  readonly menu: boolean;
  /** Context tokens of a bar of full height. */
  readonly scale: number;
  readonly trends: Trends;
  readonly dots: Dots;
  /** Wall time of this display frame in milliseconds. */
  readonly wallMs: number;
  /** Whether traffic is drawn as ribbons because single requests cannot be followed. */
  readonly ribbons: boolean;
  /** Whether those ribbons flow. */
  readonly flows?: boolean;
};
