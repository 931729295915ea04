// Selection on the stage: by click, and with the arrow keys and Enter.
import type { Offset } from '../base/pointer.ts';
import type { StageProps } from '../base/view.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { bandHit } from './bands.ts';
import { dotsAt } from './cardMenu.ts';
import { describeReplica, requestsOf } from './facts.ts';
import { hitTest, type StageLayout } from './layout.ts';
import { requestAt, roleAt } from './splitHits.ts';

/** Opens the menu of the replica under the pointer; false if there is none. */
export function askFor(
  event: Offset,
  layout: StageLayout,
  replicas: readonly ReplicaFrame[],
  props: StageProps,
): boolean {
  const hit = hitTest(layout, event.offsetX, event.offsetY, () => 0);
  const r = hit && replicas[hit.replica];
  if (!r || !props.onBreak) return false;
  props.onSelect({ request: undefined, replica: r.id });
  props.onBreak(r.id, event.offsetX, event.offsetY);
  return true;
}

/** Selects the request or the replica under the pointer, or nothing. */
export function pick(
  event: Offset,
  layout: StageLayout,
  replicas: readonly ReplicaFrame[],
  props: StageProps,
  focus: number | undefined,
): void {
  const dots = props.onBreak && dotsAt(layout, replicas, focus, event.offsetX, event.offsetY);
  if (dots !== undefined) {
    props.onBreak?.(dots, event.offsetX, event.offsetY);
    return;
  }
  const held = bandHit(layout, event.offsetX, event.offsetY);
  if (held) {
    const request = props.frame?.gateway?.bands[held.band]?.queue[held.mark]?.request;
    props.onSelect({ request, replica: undefined });
    return;
  }
  const role = roleAt(layout, replicas, event.offsetX, event.offsetY);
  if (role !== undefined && props.onRole) {
    props.onRole(role, event.offsetX, event.offsetY);
    return;
  }
  const moving = props.frame && requestAt(layout, props.frame, replicas, event.offsetX, event.offsetY);
  if (moving) {
    props.onSelect(moving);
    return;
  }
  const hit = hitTest(layout, event.offsetX, event.offsetY, (i) => replicas[i]?.batch.requests.length ?? 0);
  const r = hit ? replicas[hit.replica] : undefined;
  if (!hit || !r) {
    props.onSelect({ request: undefined, replica: undefined });
    return;
  }
  const chip = r.queue[hit.chip];
  props.onSelect({ request: chip?.request ?? r.batch.requests[hit.bar], replica: r.id });
}

/**
 * Arrow keys select the previous or next replica, Enter and Shift + Enter one of its requests. Each selection is
 * announced.
 */
export function choose(event: KeyboardEvent, replicas: readonly ReplicaFrame[], props: StageProps): void {
  if (event.target !== event.currentTarget) return;
  const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
  const at = replicas.findIndex((r) => r.id === props.selected.replica);
  if (by !== undefined && replicas.length > 0) {
    const next = replicas[at < 0 ? 0 : Math.min(replicas.length - 1, Math.max(0, at + by))];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    props.onSelect({ request: undefined, replica: next.id });
    props.onSay?.(describeReplica(next));
  } else if (event.key === 'Enter') {
    const r = replicas[at];
    const all = r ? requestsOf(r) : [];
    const now = all.findIndex((entry) => entry.request === props.selected.request);
    const next = all[(now + (event.shiftKey ? all.length - 1 : 1)) % Math.max(1, all.length)];
    if (!r || !next) return;
    event.preventDefault();
    props.onSelect({ request: next.request, replica: r.id });
    props.onSay?.(`Request ${next.request}, ${next.where}`);
  }
}
