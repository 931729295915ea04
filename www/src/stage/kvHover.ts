// What the cells of a replica's blocks stand for, said while the pointer is on them.
import { count } from '../base/units.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { type Box, cellGrid, marksTop, type StageLayout } from './layout.ts';
import { cellsTop } from './rowLayout.ts';

/** Where the cells of the boxes are; none where a stage has no room for them. */
function cellsOf({ split, detail, rows, boxes, columns, marks, stacked }: StageLayout): readonly Box[] {
  if (split || detail !== 'rows') return [];
  const kv = rows?.kv;
  if (kv) return boxes.map((box) => ({ ...kv, y: cellsTop(box, kv) }));
  return stacked ? boxes.map((box) => ({ ...columns.kv, y: marksTop(box), h: marks })) : [];
}

/** `r0: 1,200 KV blocks in 187 cells, 6.4 blocks a cell`; empty where there are no cells. */
export function kvSaid(layout: StageLayout, replicas: readonly ReplicaFrame[], x: number, y: number): string {
  const cells = cellsOf(layout);
  const at = cells.findIndex((c) => x >= c.x && x < c.x + c.w && y >= c.y && y < c.y + c.h);
  const [r, box] = [replicas[at], cells[at]];
  if (!r || !box || r.kv.cells === '') return '';
  const { shown } = cellGrid(box, box.h, r.kv.cells.length);
  const blocks = `r${r.id}: ${count(r.kv.total)} KV blocks`;
  if (shown >= r.kv.total) return `${blocks}, a cell each`;
  return `${blocks} in ${count(shown)} cells, ${Number((r.kv.total / shown).toPrecision(2))} blocks a cell`;
}
