// Selection on the stage: by click, and with the arrow keys and Enter.
import type { Offset } from '../base/pointer.ts';
import type { StageProps } from '../base/view.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { bandHit } from './bands.ts';
import { dotsAt } from './cardMenu.ts';
import { describeReplica, present, requestsOf } from './facts.ts';
import { type Box, hitTest, type StageLayout } from './layout.ts';
import { requestAt, roleAt } from './splitHits.ts';

/** Opens the menu of what is under the pointer: a replica, one of its requests, or the stage; false if there is no menu. */
export function askFor(
  event: Offset,
  layout: StageLayout,
  replicas: readonly ReplicaFrame[],
  props: StageProps,
): boolean {
  if (!props.onBreak) return false;
  const hit = hitTest(layout, event.offsetX, event.offsetY, (i) => replicas[i]?.batch.requests.length ?? 0);
  const r = hit && replicas[hit.replica];
  const request = r && (r.queue[hit.chip]?.request ?? r.batch.requests[hit.bar]);
  if (r) props.onSelect({ request: undefined, replica: r.id });
  props.onBreak(r?.id, event.offsetX, event.offsetY, request);
  return true;
}

/** The key of menus opens that of the replica in focus, or of the stage; false for any other key. */
export function askByKey(
  event: KeyboardEvent,
  focus: number | undefined,
  boxes: () => readonly Box[],
  props: StageProps,
): boolean {
  const asks = event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
  if (!asks || !props.onBreak || event.target !== event.currentTarget) return false;
  event.preventDefault();
  event.stopPropagation();
  const at = present(props.frame?.replicas ?? []).findIndex((r) => r.id === focus);
  const { x, y, h } = boxes()[at] ?? { x: 0, y: 0, h: 24 };
  props.onBreak(focus, x + 24, y + h / 2, props.selected.request);
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
 * Arrow keys select the previous or next replica, and from a request on, left and right the one beside it. Enter goes one level deeper;
 * where there are no levels, Enter and Shift + Enter select a request of the replica. Each selection is announced.
 */
export function choose(event: KeyboardEvent, replicas: readonly ReplicaFrame[], props: StageProps): void {
  if (event.target !== event.currentTarget) return;
  const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
  const at = replicas.findIndex((r) => r.id === props.selected.replica);
  const r = replicas[at];
  const aside = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
  if (by !== undefined && replicas.length > 0) {
    event.preventDefault();
    event.stopPropagation();
    if (r && aside && props.onDeeper && props.selected.request !== undefined) {
      stepAmong(r, by, props);
      return;
    }
    const next = replicas[at < 0 ? 0 : Math.min(replicas.length - 1, Math.max(0, at + by))];
    if (!next) return;
    props.onSelect({ request: undefined, replica: next.id });
    props.onSay?.(describeReplica(next));
  } else if (event.key === 'Enter' && r) {
    event.preventDefault();
    event.stopPropagation();
    if (props.onDeeper && !event.shiftKey) props.onDeeper();
    else stepAmong(r, event.shiftKey ? -1 : 1, props);
  }
}

/** Selects the request of a replica after the selected one, or before it. */
function stepAmong(r: ReplicaFrame, by: number, props: StageProps): void {
  const all = requestsOf(r);
  const now = all.findIndex((entry) => entry.request === props.selected.request);
  const next = all[(Math.max(now, by < 0 ? 0 : -1) + all.length + by) % Math.max(1, all.length)];
  if (!next) return;
  props.onSelect({ request: next.request, replica: r.id });
  props.onSay?.(`Request ${next.request}, ${next.where}`);
}
