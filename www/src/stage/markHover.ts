// What a mark or a card stands for, said while the pointer is on it: the same as the inspector says after a click.
import { count } from '../base/units.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { contextAt, describeReplica } from './facts.ts';
import { hitTest, type StageLayout } from './layout.ts';

/** `#1265: decoding on r1, 1,292 tokens`; of a row or a card without columns its load; empty elsewhere. */
export function markSaid(layout: StageLayout, replicas: readonly ReplicaFrame[], x: number, y: number): string {
  const hit = hitTest(layout, x, y, (i) => replicas[i]?.batch.requests.length ?? 0);
  const r = hit && replicas[hit.replica];
  if (!r) return '';
  const chip = r.queue[hit.chip];
  if (chip) {
    const state = chip.preempted ? 'preempted, waits again' : 'waiting';
    return `#${chip.request}: ${state} at r${r.id}, ${count(hit.chip + 1)} of ${count(r.waiting)} in line`;
  }
  const request = r.batch.requests[hit.bar];
  if (request !== undefined) {
    const all = count(contextAt(r.batch, hit.bar));
    if (hit.bar < r.batch.decoding) return `#${request}: decoding on r${r.id}, ${all} tokens`;
    return `#${request}: in prefill on r${r.id}, ${count(r.batch.contexts[hit.bar] ?? 0)} of ${all} tokens`;
  }
  return layout.rows || layout.detail === 'cards' || layout.detail === 'heat' ? describeReplica(r) : '';
}
