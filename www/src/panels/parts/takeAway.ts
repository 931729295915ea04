// Files made of a whole run by a thread of its own, with progress: rows, a trace for Perfetto, a page of HTML.
import { writeDocument } from '../../base/text.ts';
import type { RowFormat, RowsQuery, RowTable } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import { LostError, RefusedError } from '../../sim/client.ts';
import type { Given } from '../../sim/packet.ts';
import { readTraceFile } from '../../sim/traceFile.ts';
import type { App } from '../../state/app.ts';

/** A file that is made of a whole run: rows, a trace for Perfetto, a page. */
type FileKind =
  | { readonly table: RowTable; readonly format: RowFormat }
  | { readonly table: 'perfetto'; readonly format: 'json' }
  | { readonly table: 'page'; readonly format: 'html' };

/** A file that is asked for, with the part of the run that it holds or the address that it gives. */
export type AskedFile = FileKind & Pick<Given<RowsQuery>, 'span' | 'link'>;

/** A file, or why there is none; nothing if it was cancelled. */
export type TakenFile =
  | { readonly name: string; readonly file: Blob; readonly note: string }
  | { readonly trouble: string }
  | undefined;

/** One file at a time: it can be cancelled. */
export class TakeAway {
  #client: Asking<'measured'> | undefined;
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
    const client = new Asking('measured');
    this.#client = client;
    this.#progress(0);
    const { document } = this.#app;
    try {
      const scenario = writeDocument(document.current());
      const file = document.trace() === undefined ? undefined : document.traceFile();
      const trace = file && (await readTraceFile(file, () => {})).packed;
      // It may have been cancelled meanwhile.
      if (this.#client !== client) return undefined;
      await client.ask('rows-open', { scenario, trace, ...asked });
      // Each piece becomes a Blob at once, because the browser can keep Blobs outside of memory.
      const pieces: Blob[] = [];
      const next = () => client.ask('rows-next', null);
      for (let piece = await next(); piece; piece = await next()) {
        pieces.push(new Blob([piece.bytes]));
        this.#progress(piece.now_us);
      }
      const note = await client.ask('rows-note', null);
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
