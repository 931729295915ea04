// The picture of the lanes as data for its painter. The answer comes as its bytes, once; the painter keeps it.

import { readFrame } from '../base/frameBytes.ts';
import type { Picture } from '../draw/thread/paintProtocol.ts';
import type { Lanes } from '../generated/boundary.ts';
import type { LaneGroup } from './lanesLayout.ts';

export type LanesView = {
  /** Right edge of the run's time axis. */
  readonly endUs: number;
  /** The replica whose requests are shown. */
  readonly open: number | undefined;
  readonly scroll: number;
  /** Servers whose ranks' lanes stand together. */
  readonly groups: readonly LaneGroup[];
  readonly cursorUs: number | undefined;
  readonly span: { readonly fromUs: number; readonly toUs: number } | undefined;
  readonly step: { readonly replica: number; readonly seq: number } | undefined;
  readonly request: number | undefined;
};

export type LanesPicture = Picture & { readonly of: 'lanes'; readonly view: LanesView };

/** What the painter remembers of a canvas. */
export type LanesMemory = { lanes?: Lanes };

/** Reads the answer that came with a picture. */
export function takeLanes(picture: LanesPicture, memory: LanesMemory): void {
  if (picture.bytes && picture.bytes.length > 0) memory.lanes = readFrame<Lanes>(picture.bytes);
}
