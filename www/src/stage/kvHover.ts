// What the cells of a replica's blocks stand for, said while the pointer is on them.
import { count } from '../base/units.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { cellGrid, marksTop, type StageLayout } from './layout.ts';

/** `r0: 1,200 KV blocks in 187 cells, 6.4 blocks a cell`; empty where there are no cells. */
export function kvSaid(layout: StageLayout, replicas: readonly ReplicaFrame[], x: number, y: number): string {
  const { kv } = layout.columns;
  if (layout.split || layout.detail !== 'rows' || x < kv.x || x >= kv.x + kv.w) return '';
  const at = layout.boxes.findIndex((box) => y >= marksTop(box, layout) && y < marksTop(box, layout) + layout.marks);
  const r = replicas[at];
  if (!r || r.kv.cells === '') return '';
  const { shown } = cellGrid(kv, layout.marks, r.kv.cells.length);
  const blocks = `r${r.id}: ${count(r.kv.total)} KV blocks`;
  if (shown >= r.kv.total) return `${blocks}, a cell each`;
  return `${blocks} in ${count(shown)} cells, ${Number((r.kv.total / shown).toPrecision(2))} blocks a cell`;
}
