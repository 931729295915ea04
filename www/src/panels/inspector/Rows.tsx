// Rows of the run as a file: the same bytes as the command line's, streamed from a thread that repeats the run.
import { createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { sentence } from '../../base/schema.ts';
import { writeDocument } from '../../base/text.ts';
import { durationUs, text } from '../../base/units.ts';
import type { BenchmarkClient } from '../../sim/benchmarkClient.ts';
import { ROW_FORMATS, ROW_TABLES, type RowFormat, type RowTable } from '../../sim/benchmarkProtocol.ts';
import { LostError, RefusedError } from '../../sim/client.ts';
import type { App } from '../../state/app.ts';
import { save } from '../parts/save.ts';

const WHAT: Readonly<Record<RowTable, string>> = {
  requests: 'a row for each request: its times, tokens, replica and reason of refusal',
  decisions: 'a row for each routing decision and candidate: what the router saw and scored',
  events: 'a row for each event, in order',
  series: 'a row for each bucket of time, of the cluster and of each replica',
};

export function RowsBlock(props: { app: Pick<App, 'document'> }): JSX.Element {
  const app = props.app;
  const [table, setTable] = createSignal<RowTable>('requests');
  const [format, setFormat] = createSignal<RowFormat>('csv');
  /** The progress of the run for the rows, while there is one. */
  const [atUs, setAtUs] = createSignal<number>();
  const [told, setTold] = createSignal('');
  let benchmarks: BenchmarkClient | undefined;
  const end = (): void => {
    benchmarks?.end();
    benchmarks = undefined;
    setAtUs(undefined);
  };
  onCleanup(end);

  async function download(): Promise<void> {
    const { BenchmarkClient, spawnBenchmark } = await import('../../sim/benchmarkClient.ts');
    benchmarks = new BenchmarkClient(spawnBenchmark);
    setTold('');
    setAtUs(0);
    try {
      const name = `${app.document.presetName().replace(/\.\w+$/, '')}-${table()}.${format()}`;
      const scenario = writeDocument(app.document.current());
      const trace = app.document.trace() === undefined ? undefined : app.document.traceFile();
      await benchmarks.ask({ kind: 'rows-open', scenario, table: table(), format: format(), trace });
      // Each piece becomes a Blob at once, because the browser can keep Blobs outside of memory.
      const pieces: Blob[] = [];
      for (let piece = await next(); piece; piece = await next()) {
        pieces.push(new Blob([piece.bytes]));
        setAtUs(piece.nowUs);
      }
      const file = new Blob(pieces);
      save(name, file, 'text/plain');
      setTold(`${name}: ${Math.ceil(file.size / 1024).toLocaleString('en')} KiB`);
    } catch (error) {
      if (error instanceof RefusedError) setTold(error.diagnostics.map((d) => `${d.found}; ${d.fix}`).join(' · '));
      else if (!(error instanceof LostError)) throw error;
    } finally {
      end();
    }
  }

  function next() {
    return benchmarks?.ask({ kind: 'rows-next' }) ?? Promise.resolve(null);
  }

  return (
    <div class="blk rows-block">
      <div class="blk-head">
        <h2>Rows</h2>
        <span class="m">from start to end</span>
      </div>
      <p class="say">For a spreadsheet or a notebook: {WHAT[table()]}. The command line writes the same bytes.</p>
      <div class="offers">
        <select
          class="in"
          aria-label="Rows of"
          onChange={(event) => setTable(ROW_TABLES[event.currentTarget.selectedIndex] ?? 'requests')}
        >
          <For each={ROW_TABLES}>{(name) => <option selected={name === table()}>{sentence(name)}</option>}</For>
        </select>
        <select
          class="in"
          aria-label="Written as"
          onChange={(event) => setFormat(ROW_FORMATS[event.currentTarget.selectedIndex] ?? 'csv')}
        >
          <For each={ROW_FORMATS}>{(name) => <option selected={name === format()}>{name.toUpperCase()}</option>}</For>
        </select>
        <Show
          when={atUs() !== undefined}
          fallback={
            <button type="button" class="btn box" onClick={() => void download()}>
              Download
            </button>
          }
        >
          <button type="button" class="btn box" onClick={end}>
            Cancel
          </button>
        </Show>
      </div>
      <p class="m" role="status">
        <Show when={atUs() !== undefined} fallback={told()}>
          Running to {text(durationUs(atUs() ?? 0))} for the rows…
        </Show>
      </p>
    </div>
  );
}
