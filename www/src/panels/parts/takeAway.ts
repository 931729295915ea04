// Files made of a whole run by a thread of its own, with progress: rows, a trace for Perfetto, a page of HTML.
import { writeDocument } from '../../base/text.ts';
import type { BenchmarkClient } from '../../sim/benchmarkClient.ts';
import type { FileKind } from '../../sim/benchmarkProtocol.ts';
import { LostError, RefusedError } from '../../sim/client.ts';
import type { App } from '../../state/app.ts';

/** A file that is asked for. */
export type AskedFile = FileKind & {
  /** The part of the run that a trace holds, in microseconds; all of it if it is missing. */
  readonly spanUs?: readonly [number, number] | undefined;
  /** The address that a page gives for the run. */
  readonly link?: string;
};

/** A file, or why there is none; nothing if it was cancelled. */
export type TakenFile =
  | { readonly name: string; readonly file: Blob; readonly note: string }
  | { readonly trouble: string }
  | undefined;

/** One file at a time: it can be cancelled. */
export class TakeAway {
  #client: BenchmarkClient | undefined;
  readonly #app: Pick<App, 'document'>;
  readonly #progress: (atUs: number | undefined) => void;

  /** `progress` is called with the instant that the run for the file has reached, and with nothing at its end. */
  constructor(app: Pick<App, 'document'>, progress: (atUs: number | undefined) => void) {
    this.#app = app;
    this.#progress = progress;
  }

  /** Ends the work under way. */
  end(): void {
    this.#client?.end();
    this.#client = undefined;
    this.#progress(undefined);
  }

  /** Runs the scenario from start to end for a file. */
  async make(asked: AskedFile): Promise<TakenFile> {
    const { BenchmarkClient, spawnBenchmark } = await import('../../sim/benchmarkClient.ts');
    const client = new BenchmarkClient(spawnBenchmark);
    this.#client = client;
    this.#progress(0);
    const { document } = this.#app;
    try {
      const scenario = writeDocument(document.current());
      const trace = document.trace() === undefined ? undefined : document.traceFile();
      await client.ask({ kind: 'rows-open', scenario, trace, ...asked });
      // Each piece becomes a Blob at once, because the browser can keep Blobs outside of memory.
      const pieces: Blob[] = [];
      const next = () => client.ask({ kind: 'rows-next' });
      for (let piece = await next(); piece; piece = await next()) {
        pieces.push(new Blob([piece.bytes]));
        this.#progress(piece.nowUs);
      }
      const note = await client.ask({ kind: 'rows-note' });
      return { name: fileName(document.presetName(), asked), file: new Blob(pieces), note };
    } catch (error) {
      if (error instanceof RefusedError) {
        return { trouble: error.diagnostics.map((d) => `${d.found}; ${d.fix}`).join(' · ') };
      }
      if (error instanceof LostError) return undefined;
      throw error;
    } finally {
      if (this.#client === client) this.end();
    }
  }
}

/** `kv-pressure-requests.csv`, `kv-pressure.html`. */
export function fileName(preset: string, asked: FileKind): string {
  const stem = preset.replace(/\.\w+$/, '');
  return asked.table === 'page' ? `${stem}.${asked.format}` : `${stem}-${asked.table}.${asked.format}`;
}

/** A size for people. */
export function kibibytes(file: Blob): string {
  return `${Math.ceil(file.size / 1024).toLocaleString('en')} KiB`;
}

/** The same bytes compressed with gzip. */
export function compressed(file: Blob): Promise<Blob> {
  return new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).blob();
}
