// Where each built-in scenario is worth looking at first: queues stand, preemptions happen, a burst is on.

const OPENINGS_S: Readonly<Record<string, number>> = { 'chat-4xh100': 48, 'kv-pressure': 56, 'router-showdown': 42 };
/** Any other scenario: far enough for queues to have filled. */
const OPENING_S = 25;

/** The instant at which a run is shown when it is loaded, in microseconds. */
export function openingUs(preset: string): number {
  return (OPENINGS_S[preset] ?? OPENING_S) * 1e6;
}
