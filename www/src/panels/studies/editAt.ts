// A document with an edit at an instant.
import { getAt, type Json, setAt } from '../../base/json.ts';
import { withEdit } from '../../state/edits.ts';

/**
 * The document with values set at an instant: an edit placed after those up to then, since edits are in order of time.
 */
export function withEditAt(document: Json, atUs: number, set: Readonly<Record<string, Json>>): Json {
  if (atUs === 0) return withEdit(document, { set });
  const edits = getAt(document, 'edits');
  const all = Array.isArray(edits) ? edits : [];
  const after = all.findIndex((edit) => Number(getAt(edit, 'at_us')) > atUs);
  return setAt(document, 'edits', all.toSpliced(after < 0 ? all.length : after, 0, { at_us: atUs, set }));
}
