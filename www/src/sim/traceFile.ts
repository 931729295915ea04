// Reads a trace file in a thread of its own, which ends afterwards. The page's module takes the trace.
import { Asking } from './asking.ts';
import type { LinkAnswers, LinkQuestion, TraceRead } from './linkProtocol.ts';
import { spawnLinks } from './spawnLinks.ts';

/** Reads in chunks, so that the file never has to fit in memory twice; `progress` gets the number of bytes read. */
export async function readTraceFile(file: File, progress: (bytes: number) => void): Promise<TraceRead> {
  const thread = new Asking<LinkQuestion, LinkAnswers>(spawnLinks);
  try {
    await thread.ask({ kind: 'trace-open', name: file.name });
    const reader = file.stream().getReader();
    let read = 0;
    for (let piece = await reader.read(); piece.value; piece = await reader.read()) {
      read += piece.value.byteLength;
      await thread.ask({ kind: 'trace-push', bytes: piece.value });
      progress(read);
    }
    return await thread.ask({ kind: 'trace-finish' });
  } finally {
    thread.end();
  }
}
