// Whether a scenario breaks something: at instants of its own, or at random.
import { getAt, type Json } from '../../base/json.ts';

/** Whether an edit of the document is a fault, or replicas crash at random. */
export function breaks(document: Json): boolean {
  const edits = getAt(document, 'edits');
  if (Array.isArray(edits) && edits.some((edit) => getAt(edit, 'fault') !== undefined)) return true;
  return Number(getAt(document, 'cluster.faults.crash_mtbf_s') ?? 0) > 0;
}
