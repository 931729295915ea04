// The pictures of the close-ups, which their painter draws. A picture is data; each view has its own.
import type { Picture } from '../draw/thread/paintProtocol.ts';
import type { HeatPart } from './heatPicture.ts';
import type { KvPicture } from './kvPicture.ts';
import type { LanesPicture } from './lanesPicture.ts';
import type { SpreadPart, StepsPart } from './spreadPicture.ts';

/** A heat map, a distribution of a span, or steps by batch size. */
export type DensityPicture = Picture & { readonly of: 'density' } & (HeatPart | SpreadPart | StepsPart);

export type CloseUpPicture = LanesPicture | KvPicture | DensityPicture;
