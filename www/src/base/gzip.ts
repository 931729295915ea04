// Files compressed with gzip, unpacked by the browser. A file is gzip by its first two bytes, regardless of its name.
import type { Diagnostic } from '../generated/boundary.ts';

const MARK = [0x1f, 0x8b] as const;

/** Why a gzip file cannot be unpacked. */
export class GzipError extends Error {
  readonly problem: Diagnostic;

  constructor(problem: Diagnostic) {
    super(problem.found);
    this.problem = problem;
  }
}

/** The file itself, or its content if it is gzip. Throws a GzipError if that is damaged or larger than `mostBytes`. */
export async function unpacked(file: File, mostBytes: number): Promise<File> {
  const [first, second] = new Uint8Array(await file.slice(0, MARK.length).arrayBuffer());
  if (first !== MARK[0] || second !== MARK[1]) return file;
  const stream = file.stream().pipeThrough(new DecompressionStream('gzip'));
  return new File(await piecesOf(stream, mostBytes), file.name.replace(/(.)\.gz$/i, '$1'));
}

async function piecesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  mostBytes: number,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = stream.getReader();
  try {
    for (let piece = await reader.read(); piece.value; piece = await reader.read()) {
      bytes += piece.value.byteLength;
      if (bytes > mostBytes) throw new GzipError(tooLarge(mostBytes));
      pieces.push(piece.value);
    }
    return pieces;
  } catch (error) {
    // A file that cannot be read is an exception of the browser; damaged data is an error of the decompression.
    if (error instanceof GzipError || error instanceof DOMException) throw error;
    throw new GzipError(damaged(bytes));
  } finally {
    void reader.cancel().catch(() => {});
  }
}

function tooLarge(mostBytes: number): Diagnostic {
  return {
    severity: 'error',
    path: '',
    found: `more than ${Math.floor(mostBytes / 2 ** 20)} MiB after unpacking`,
    allowed: `at most ${Math.floor(mostBytes / 2 ** 20)} MiB`,
    fix: 'use the command line for it',
  };
}

function damaged(bytes: number): Diagnostic {
  return {
    severity: 'error',
    path: '',
    found: `damaged gzip data after ${bytes.toLocaleString('en')} unpacked bytes`,
    allowed: 'one whole gzip file',
    fix: 'copy or download it again, or unpack it and open its content',
  };
}
