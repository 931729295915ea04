// The document of a run that a benchmark calibrates.
import { getAt, type Json, setAt } from '../../base/json.ts';

/** The fields that calibration sets in a pool: its coefficients, and the server's values of its KV cache. */
const SET = ['latency', 'kv'] as const;

/**
 * A document with the calibrated fields from the beginning of its run. `calibrated` is the document in force at the
 * instant shown: edits have changed its other fields, and stay edits at their instants.
 */
export function calibratedDocument(document: Json, calibrated: Json): Json {
  const [pools, found] = [document, calibrated].map((of) => getAt(of, 'cluster.pools'));
  if (!Array.isArray(pools) || !Array.isArray(found)) {
    const cluster = getAt(calibrated, 'cluster');
    return cluster === undefined ? document : setAt(document, 'cluster', cluster);
  }
  let next = document;
  for (const i of pools.keys())
    for (const field of SET) {
      const value = getAt(calibrated, `cluster.pools[${i}].${field}`);
      if (value !== undefined) next = setAt(next, `cluster.pools[${i}].${field}`, value);
    }
  return next;
}
