// The charts on screen, each with the picture it would have at any size, for files.
import { onCleanup } from 'solid-js';
import type { ViewColumns } from '../base/view.ts';
import type { Drawing } from '../draw/file/saveChart.ts';
import type { EcdfPicture } from './ecdfPicture.ts';
import type { StripPicture } from './stripPicture.ts';
import type { TimelinePicture } from './timeline.ts';
import type { TimePicture } from './timePicture.ts';

export type ChartPicture = TimePicture | StripPicture | EcdfPicture | TimelinePicture;

export type Offered = {
  readonly title: string;
  readonly picture: (width: number, height: number) => ChartPicture | undefined;
  readonly columns: () => ViewColumns | undefined;
  /** The drawing itself, for one that has code of its own; that is loaded then. */
  readonly drawn?: () => Promise<Drawing>;
  /** The unit of its values. */
  readonly unit?: () => string;
  /** The span of a distribution in words; the others say it by their axes. */
  readonly span?: () => string;
};

const all = new Set<Offered>();

/** Offers the picture of a chart while its component is on the page. */
export function offers(one: Offered): void {
  all.add(one);
  onCleanup(() => all.delete(one));
}

export const offered = (): readonly Offered[] => [...all];
