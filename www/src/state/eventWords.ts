// A line of the event log as one sentence.
import { clock } from '../base/units.ts';
import type { EventRow } from '../generated/boundary.ts';

/** `#1335 routed to r1`, `#1335 first token on r1: TTFT 24.1 ms`. */
export function eventSaid({ kind, request, replica, text }: EventRow): string {
  const who = request === undefined ? '' : `#${request} `;
  const what = `${who}${kind.replaceAll('-', ' ')}`;
  if (kind === 'routed') return `${what} ${text}`;
  const where = replica === undefined ? '' : ` on r${replica}`;
  return `${what}${where}${text === '' ? '' : `: ${text}`}`;
}

/** What happened at the instant that a step has led to; several lines of one instant are told by the last and their number. */
export function stepSaid(rows: readonly EventRow[], nowUs: number): string {
  const here = rows.filter((row) => row.at_us === nowUs);
  const last = here.at(-1);
  if (!last) return `${clock(nowUs)} s: nothing that the log lists`;
  const more = here.length > 1 ? ` (${here.length} lines of the log at this instant)` : '';
  return `${clock(nowUs)} s: ${eventSaid(last)}${more}`;
}
