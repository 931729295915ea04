// Routers that choose without scores: what a decision of theirs says in place of them.
import { getAt, isObject, type Json } from '../../base/json.ts';
import { placedEdits } from '../../state/edits/edits.ts';

const ROUTING = 'cluster.routing';

const SAID: Readonly<Record<string, string>> = {
  'round-robin': 'Next in turn: round robin looks at no load.',
  random: 'Drawn at random: every replica was equally likely.',
};

/** How the router in force at an instant chose, if it gives no scores. */
export function unscoredAt(document: Json, us: number): string | undefined {
  let routing = getAt(document, ROUTING);
  for (const { atUs, edit, off } of placedEdits(document))
    if (!off && atUs <= us) routing = edit.set?.[ROUTING] ?? routing;
  return SAID[isObject(routing) ? (Object.keys(routing)[0] ?? '') : String(routing)];
}
