// A replica that starts or is down, and what is wrong with one for a while, in words and numbers.
import { count, durationUs, plain, text } from '../base/units.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { isDown } from './facts.ts';

/** The present instant of a frame. */
type Now = { readonly now_us: number };

/** A duration on a card: from ten seconds to ten minutes in whole seconds, so that it is short and seldom changes. */
function span(us: number): string {
  if (us < 10_000_000 || us >= 600_000_000) return text(durationUs(Math.max(0, us)));
  return text({ value: String(Math.round(us / 1e6)), unit: 's' });
}

/** The current step of a starting replica; of one that is down, since when. */
export function startWords(now: Now, r: ReplicaFrame): string {
  return isDown(r) ? `${downWord(r)} ${agoWords(now, r)}, cache empty` : r.life?.step || 'starting';
}

/** Why a replica is down. */
export const downWord = ({ crash }: ReplicaFrame): string => (crash?.planned ? 'stopped' : 'crashed');

/** How long ago a replica went down. */
export const agoWords = ({ now_us }: Now, r: ReplicaFrame): string => `${span(now_us - (r.life?.since_us ?? 0))} ago`;

/** How many attempts a crash hit, and what became of them. */
export function hitWords({ crash }: ReplicaFrame): readonly [string, string] {
  if (!crash || crash.broken === 0) return ['nothing was hit', ''];
  return [`${count(crash.broken)} hit`, `${count(crash.broken - crash.lost)} go on, ${count(crash.lost)} lost`];
}

/** When a starting replica will serve, or how long it is still down; empty if unknown. */
export function servesAt(now: Now, r: ReplicaFrame): string {
  const us = r.life?.ready_us ?? 0;
  if (isDown(r)) return us > 0 ? `${span(us - now.now_us)} left` : 'does not come back';
  return us > 0 ? `serves at ${plain(Math.round(us / 100_000) / 10)} s` : '';
}

/** The progress of a starting replica, as the length of a bar. */
export function startShare({ now_us }: Now, r: ReplicaFrame): number {
  const { since_us: since = 0, ready_us: ready = 0 } = r.life ?? {};
  return ready > since ? (now_us - since) / (ready - since) : 0;
}

/** The first fault of a replica in words, and how long it still lasts, unless it is ejected: `slow ×3`, `20 s left`. */
export function faultWords({ now_us }: Now, r: ReplicaFrame): readonly [string, string] | undefined {
  const [first] = r.faults ?? [];
  if (!first) return undefined;
  const words = first.factor > 1 ? `${first.short} ×${plain(first.factor)}` : first.short;
  if (r.life?.phase === 'ejected') return [words, 'ejected'];
  return [words, first.until_us === undefined ? 'until the end' : `${span(first.until_us - now_us)} left`];
}
