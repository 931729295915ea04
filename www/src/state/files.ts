// Files dropped on the page: scenarios are opened, traces are read in the worker and replayed.
import type { Accessor, Setter } from 'solid-js';
import type { Json } from '../base/json.ts';
import { readYaml, writeDocument } from '../base/text.ts';
import type { Diagnostic, TraceSummary } from '../generated/boundary.ts';
import type { Client } from '../sim/client.ts';
import { onTrace } from './document.ts';
import { type BenchmarkFile, isScenario } from './measured.ts';
import { explain, type Notice, type TraceReading } from './notices.ts';

/** The part of the page's state that opening a file reads and sets. */
type PageState = {
  readonly document: Accessor<Json>;
  /** The largest trace that the page reads. */
  readonly traceBytes: number;
  readonly problems: Accessor<ReadonlyMap<string, Diagnostic>>;
  readonly trace: Accessor<TraceSummary | undefined>;
  readonly setTrace: Setter<TraceSummary | undefined>;
  /** Keeps the file of the trace that is replayed: another run of it reads it again. */
  readonly setTraceFile: (file: File) => void;
  readonly setReading: Setter<TraceReading | undefined>;
  readonly setNotice: Setter<Notice | undefined>;
  /** The keys at the top of a scenario: a JSON file without any of them is something else. */
  readonly scenarioKeys: ReadonlySet<string>;
  /** Takes what a benchmark tool or a server wrote. */
  readonly onBenchmark: (file: BenchmarkFile) => void;
  /** Loads a scenario; false where it is refused. */
  readonly open: (text: string, name: string, useTrace: boolean, untilUs?: number) => Promise<boolean>;
};

/** The action that takes a file, whatever it is. */
export function createFiles(client: Client, page: PageState): (file: File) => Promise<void> {
  const { document, traceBytes, problems, trace, setTrace, setReading, setNotice, open } = page;

  async function openFile(file: File): Promise<void> {
    const name = file.name.toLowerCase();
    if (name.endsWith('.json') && file.size <= traceBytes) {
      const text = await file.text();
      if (!isScenario(text, page.scenarioKeys)) {
        page.onBenchmark({ name: file.name, text });
        return;
      }
    }
    if (/\.(ya?ml|json)$/.test(name)) await openScenarioFile(file);
    else await openTraceFile(file);
  }

  /** Whether a file that is no trace is what a benchmark tool or a server wrote. */
  async function isBenchmark(text: string): Promise<boolean> {
    const { BenchClient, spawnBench } = await import('../sim/benchClient.ts');
    const bench = new BenchClient(spawnBench);
    try {
      return (await bench.ask({ kind: 'read', text })).length > 0;
    } catch {
      return false;
    } finally {
      bench.end();
    }
  }

  async function openScenarioFile(file: File): Promise<void> {
    const text = await file.text();
    try {
      if (await open(writeDocument(await readYaml(text)), file.name, false)) {
        setNotice({ kind: 'info', text: `Loaded ${file.name}.`, diagnostics: [] });
      } else {
        setNotice({ kind: 'problem', text: `${file.name}: ${[...problems().values()].map(explain).join(' · ')}` });
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      setNotice({ kind: 'problem', text: `${file.name} cannot be read: ${error.message.split('\n')[0] ?? ''}` });
    }
  }

  async function openTraceFile(file: File): Promise<void> {
    if (file.size > traceBytes) {
      const most = `${Math.floor(traceBytes / 2 ** 20)} MiB`;
      setNotice({ kind: 'problem', text: `${file.name} is larger than ${most}; use the command line for it.` });
      return;
    }
    const begun = { name: file.name, size: file.size, read: 0, done: false, diagnostics: [], summary: null };
    setReading(begun);
    try {
      const result = await client.readTrace(file, (read) => setReading({ ...begun, read }));
      if (!result.ok || !result.summary) {
        const text = await file.text();
        if (await isBenchmark(text)) {
          setReading(undefined);
          page.onBenchmark({ name: file.name, text });
          return;
        }
        setReading({ ...begun, read: file.size, done: true, diagnostics: result.diagnostics });
        return;
      }
      setReading(undefined);
      await runTrace(file, result.summary, result.diagnostics);
    } catch (error) {
      setReading(undefined);
      setNotice({
        kind: 'problem',
        text: `${file.name} could not be read: ${error instanceof Error ? error.message : ''} Your run is untouched.`,
      });
    }
  }

  async function runTrace(file: File, summary: TraceSummary, diagnostics: readonly Diagnostic[]): Promise<void> {
    const { name } = file;
    const before = trace();
    setTrace(summary);
    const next = onTrace(document(), name);
    if (await open(writeDocument(next), name, true, 0)) {
      page.setTraceFile(file);
      const minutes = (summary.duration_s / 60).toFixed(1);
      const text = `${name}: ${summary.requests.toLocaleString('en')} requests over ${minutes} min (${summary.format}).`;
      setNotice({ kind: 'info', text, diagnostics });
    } else {
      setTrace(before);
      setNotice({ kind: 'problem', text: `${name}: ${[...problems().values()].map(explain).join(' · ')}` });
    }
  }

  return openFile;
}
