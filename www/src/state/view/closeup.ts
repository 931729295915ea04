// What the charts' area shows, and where the close-ups look. Small on purpose: the first page has it, the views are loaded when
// opened.
import { batch, createSignal } from 'solid-js';
import type { LatencyBox, Measure } from '../../generated/boundary.ts';

export const AREAS = ['charts', 'lanes', 'kv', 'density', 'tiers', 'sessions'] as const;
export type Area = (typeof AREAS)[number];
export const BLOCK_COLOURS = ['owner', 'group', 'age', 'references'] as const;
export type BlockColour = (typeof BLOCK_COLOURS)[number];

const [area, showArea] = createSignal<Area>('charts');
const [tall, setTall] = createSignal(false);

export {
  /** Which view the charts' area shows. */
  area,
  setTall,
  /** Whether the area has the height and the stage is a strip above it. */
  tall,
};

/** Shows a view: a close-up takes the height, the charts give it back. */
export function setArea(next: Area): void {
  batch(() => {
    if (next !== area()) setTall(next !== 'charts');
    showArea(next);
  });
}
/** The part of the time axis on screen, in seconds; undefined shows all of it. Shared by charts, lanes and density. */
export const [timeWindow, setTimeWindow] = createSignal<{ readonly fromS: number; readonly toS: number }>();
/** The replica whose requests or blocks are shown, if not the selected one. */
export const [openReplica, setOpenReplica] = createSignal<number>();
/** What colours the blocks. */
export const [blockColour, setBlockColour] = createSignal<BlockColour>('owner');
/** The latency of the heat map. */
export const [measure, setMeasure] = createSignal<Measure>('ttft');
/** The boxes brushed on the heat map. */
export const [boxes, setBoxes] = createSignal<readonly LatencyBox[]>([]);
/** The step selected in the lanes. */
export const [chosenStep, setChosenStep] = createSignal<{ readonly replica: number; readonly seq: number }>();
/** The block selected in the grid. */
export const [chosenBlock, setChosenBlock] = createSignal<{ readonly replica: number; readonly block: number }>();
