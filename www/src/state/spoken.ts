// What the polite live region says of a frame.
import type { Frame } from '../generated/boundary.ts';

export function sentenceOf(frame: Frame): string {
  const { counts } = frame;
  const s = Math.round(frame.now_us / 1e6);
  const state = frame.finished ? 'Finished' : 'At';
  return `${state} ${s} s: ${counts.running} running, ${counts.waiting} waiting, ${counts.completed} completed.`;
}
