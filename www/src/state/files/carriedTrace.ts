// Traces that travel inside a scenario: taken out of it, and read as a dropped file is.
import { GzipError, unpacked } from '../../base/gzip.ts';
import { getAt, type Json } from '../../base/json.ts';
import type { Diagnostic, TraceSummary } from '../../generated/boundary.ts';
import { type Client, RefusedError } from '../../sim/client.ts';

/** Where the rows stand in a document. */
const ROWS = 'workload.trace.rows';

/** A trace that was read, and the file that further runs read again. */
export type Carried = { readonly summary: TraceSummary; readonly file: File };

/** Reads the trace that a document carries; throws a RefusedError with one problem if its data is damaged. */
export async function readCarried(
  client: Pick<Client, 'readTrace'>,
  document: Json,
  mostBytes: number,
): Promise<Carried> {
  const name = getAt(document, 'workload.trace.file');
  const packed = new File(
    [bytesOf(String(getAt(document, ROWS)))],
    typeof name === 'string' && name !== '' ? name : ROWS,
  );
  const file = await unpacked(packed, mostBytes).catch((error: unknown) => {
    if (error instanceof GzipError) throw refused(error.problem.found);
    throw error;
  });
  if (file === packed) throw refused('damaged data, no gzip file');
  const { ok, summary, diagnostics } = await client.readTrace(file, () => {});
  if (ok && summary) return { summary, file };
  const [first] = diagnostics;
  throw refused(`rows that are not a trace${first ? `: ${first.path}: ${first.found}` : ''}`);
}

function bytesOf(rows: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(rows), (letter) => letter.charCodeAt(0));
  } catch {
    throw refused('damaged data, no base64');
  }
}

function refused(found: string): RefusedError {
  const problem: Diagnostic = {
    severity: 'error',
    path: ROWS,
    found,
    allowed: 'the text of a trace, compressed with gzip to at most 64 KB, in base64',
    fix: 'write it with `tokenyard link SCENARIO --trace FILE --carry NEW`, or drop the file of the trace',
  };
  return new RefusedError([problem]);
}
