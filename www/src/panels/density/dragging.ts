// The brush by pointer: a drag over the map makes a box, over a corner sizes it, over a box moves it.
import type { LatencyBox } from '../../generated/boundary.ts';
import { between, boxOf, type Cell, cellAt, type Grid, hitOf, movedBy, type Range, rangeOf } from './brush.ts';

/** What is under a pointer: an instant and a latency, in microseconds. */
export type Spot = { readonly atUs: number; readonly us: number };

type Around = {
  readonly grid: () => Grid | undefined;
  readonly boxes: () => readonly LatencyBox[];
  readonly active: () => number;
  readonly set: (boxes: readonly LatencyBox[], active: number) => void;
  readonly spotOf: (event: PointerEvent) => Spot;
  /** Whether a corner of the map is close enough to a pointer to be taken. */
  readonly isNear: (event: PointerEvent, atUs: number, us: number) => boolean;
};

type Held = {
  readonly index: number;
  /** The boxes without the held one. */
  readonly kept: readonly LatencyBox[];
  readonly from: Cell;
  /** A box that moves keeps its size; else the cell opposite to the pointer stays. */
  readonly moves: Range | undefined;
  readonly anchor: Cell;
};

export function createDragging(around: Around) {
  let held: Held | undefined;
  const cellOf = (grid: Grid, event: PointerEvent): Cell => {
    const { atUs, us } = around.spotOf(event);
    return cellAt(grid, atUs, us);
  };
  const take = (event: PointerEvent & { readonly currentTarget: Element }): void => {
    const grid = around.grid();
    if (!grid || event.button !== 0 || !event.isPrimary) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const boxes = around.boxes();
    const from = cellOf(grid, event);
    const near = (atUs: number, us: number): boolean => around.isNear(event, atUs, us);
    const hit = event.shiftKey
      ? { on: 'nothing' as const }
      : hitOf(grid, boxes, around.active(), around.spotOf(event), near);
    if (hit.on === 'corner') {
      const index = around.active();
      held = { index, kept: boxes.toSpliced(index, 1), from, moves: undefined, anchor: hit.anchor };
      return;
    }
    const box = hit.on === 'box' ? boxes[hit.index] : undefined;
    if (hit.on === 'box' && box) {
      held = { index: hit.index, kept: boxes.toSpliced(hit.index, 1), from, moves: rangeOf(grid, box), anchor: from };
      around.set(boxes, hit.index);
      return;
    }
    const kept = event.shiftKey ? boxes : [];
    held = { index: kept.length, kept, from, moves: undefined, anchor: from };
    around.set([...kept, boxOf(grid, between(from, from))], kept.length);
  };
  const drag = (event: PointerEvent): void => {
    const grid = around.grid();
    if (!held || !grid || event.buttons === 0) return;
    const to = cellOf(grid, event);
    const { index, kept, from, moves, anchor } = held;
    const range = moves ? movedBy(grid, moves, to.column - from.column, to.row - from.row) : between(anchor, to);
    const box = boxOf(grid, range);
    const before = around.boxes()[index];
    if (before && JSON.stringify(before) === JSON.stringify(box)) return;
    around.set(kept.toSpliced(index, 0, box), index);
  };
  const release = (): void => {
    held = undefined;
  };
  return { take, drag, release };
}
