// The result of a step or of a run to an occasion: in a sentence, with its request. Loaded with the first result.
import { clock, plain } from '../../base/units.ts';
import type { EventKind, EventRow, Frame, Occasion } from '../../generated/boundary.ts';
import type { Client } from '../../sim/client.ts';
import { sayWanted, type Wanted } from '../run/occasions.ts';

/** The most lines of one instant that are searched. */
const MOST_LINES = 50;

/** `#1335 routed to r1`, `#1335 first token on r1: TTFT 24.1 ms`. */
export function eventSaid({ kind, request, replica, text }: EventRow): string {
  const who = request === undefined ? '' : `#${request} `;
  const what = `${who}${kind.replaceAll('-', ' ')}`;
  if (kind === 'routed') return `${what} ${text}`;
  const where = replica === undefined ? '' : ` on r${replica}`;
  return `${what}${where}${text === '' ? '' : `: ${text}`}`;
}

/** The events at the instant that a step has reached. */
export async function stepSaid(client: Client, nowUs: number): Promise<string> {
  const { rows } = await client.ask('events', { kinds: [], limit: MOST_LINES });
  return linesSaid(rows, nowUs);
}

/** Several lines of one instant are described by the last one and their number. */
export function linesSaid(rows: readonly EventRow[], nowUs: number): string {
  const here = rows.filter((row) => row.at_us === nowUs);
  const last = here.at(-1);
  if (!last) return `${clock(nowUs)} s: no event of the log`;
  const more = here.length > 1 ? ` (${here.length} lines of the log at this instant)` : '';
  return `${clock(nowUs)} s: ${eventSaid(last)}${more}`;
}

/** The sentence for an occasion that does not come. */
export function noneSaid(wanted: Wanted, frame: Frame | undefined): string {
  const end = frame?.horizon_us ?? 0;
  return `No ${sayWanted(wanted)} up to the end ${end > 0 ? `at ${plain(end / 1e6)} s` : 'of the run'}.`;
}

/** The request of an occasion, if it belongs to one request. */
export async function requestOf(
  client: Client,
  { choice, value, occasion }: Wanted,
  nowUs: number,
): Promise<number | undefined> {
  if (choice.name === 'request') return Number(value);
  const kinds = kindsOf(occasion);
  if (kinds.length === 0) return undefined;
  const { rows } = await client.ask('events', { kinds, limit: MOST_LINES });
  const here = rows.filter((row) => row.at_us === nowUs).flatMap((row) => row.request ?? []);
  if (choice.name !== 'missed' || here.length < 2) return here.at(-1);
  // Of several finished by one step, the one that waited longest for its first token.
  const details = (await Promise.all(here.map((request) => client.ask('inspect', request)))).flatMap((d) => d ?? []);
  return details.toSorted((a, b) => (b.ttft_us ?? 0) - (a.ttft_us ?? 0))[0]?.request;
}

/** The kinds of log lines that carry the request of an occasion. */
function kindsOf(occasion: Occasion): EventKind[] {
  if (occasion === 'missed') return ['completed'];
  if (occasion === 'preemption') return ['preempted'];
  if (occasion === 'refusal') return ['rejected'];
  if (occasion === 'transfer') return ['transfer'];
  if (occasion === 'landing') return ['landed'];
  return typeof occasion === 'object' && 'event' in occasion ? [occasion.event] : [];
}
