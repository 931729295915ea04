// Reads a trace file in a thread of its own, which ends afterwards. The page's module takes the trace.
import type { TraceFigures, TraceRead } from '../generated/boundary.ts';
import { Asking } from './asking.ts';
import type { TraceChanges } from './traceTypes.ts';

/** What was read of a file that is inspected: a run takes it without another reading. */
const kept = new WeakMap<File, TraceRead>();
/** The columns that were named for a file. */
const named = new WeakMap<File, string>();

type Progress = (bytes: number) => void;

/** Reads a file, unless it was inspected just before; `progress` gets the number of bytes read. */
export async function readTraceFile(file: File, progress: Progress): Promise<TraceRead> {
  const before = kept.get(file);
  kept.delete(file);
  return before ?? read(file, progress);
}

/** Reads a file, with names for its columns if some are given, and keeps what was read for a run. */
export async function inspectTraceFile(
  file: File,
  progress: Progress,
  stop: AbortSignal,
  columns?: string,
): Promise<TraceRead> {
  if (columns !== undefined) named.set(file, columns);
  const found = await read(file, progress, stop);
  if (found.outcome.ok) kept.set(file, found);
  return found;
}

/** Figures of what runs of a file that was inspected, from a thread of its own until `end`. */
export class TraceFiguresOf {
  private readonly thread = new Asking('links');
  private readonly rows: Promise<unknown>;

  constructor(file: File) {
    // A copy: a run takes what was kept.
    const packed = kept.get(file)?.packed.slice() ?? new Uint8Array();
    this.rows = this.thread.ask('trace-rows', packed);
    this.rows.catch(() => {});
  }

  /** `null` if the changes leave no row. */
  async of(changes: TraceChanges, seed: number): Promise<TraceFigures | null> {
    await this.rows;
    return this.thread.ask('trace-figures', { settings: JSON.stringify(changes), seed });
  }

  end(): void {
    this.thread.end();
  }
}

/** Reads in chunks, so that the file never has to fit in memory twice. */
async function read(file: File, progress: Progress, stop?: AbortSignal): Promise<TraceRead> {
  const thread = new Asking('links');
  // Its open question is then lost.
  stop?.addEventListener('abort', () => thread.end());
  try {
    await thread.ask('trace-open', { name: file.name, columns: named.get(file) });
    const reader = file.stream().getReader();
    let bytes = 0;
    for (let piece = await reader.read(); piece.value; piece = await reader.read()) {
      bytes += piece.value.byteLength;
      stop?.throwIfAborted();
      await thread.ask('trace-push', piece.value);
      progress(bytes);
    }
    stop?.throwIfAborted();
    return await thread.ask('trace-finish', null);
  } finally {
    thread.end();
  }
}
