// Files on the page: what a file is, and where it goes. A scenario is opened, a trace is read in a worker and replayed, a benchmark
// goes to its panel; what a box of the page takes is asked for there.
import type { Accessor, Setter } from 'solid-js';
import { GzipError, unpacked } from '../base/gzip.ts';
import { isObject, type Json } from '../base/json.ts';
import { writeDocument } from '../base/text.ts';
import { readYaml } from '../base/yaml.ts';
import type { Diagnostic, TraceSummary } from '../generated/boundary.ts';
import type { Client } from '../sim/client.ts';
import type { App } from './app.ts';
import { onTrace } from './document.ts';
import type { BenchmarkFile } from './measured.ts';
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

/** What a file is by its name and its text. A table may be a trace or a benchmark's: the reader of traces decides. */
export type FileKind = 'scenario' | 'benchmark' | 'model' | 'policies' | 'table';

/** Where a file belongs that is taken by one box of the page only. */
const BOXES = {
  model: 'describes a model: drop it on the box below “Paste a config.json…” in the form of a pool',
  policies: 'holds policies of another program: drop it on the box of “Paste policies…” under YAML',
} as const;

/** Unpacks a file and hands it to what asked for it: a box, a link that waits for its trace, or else the page. */
export async function takeFile(
  app: Pick<App, 'document' | 'dialogs' | 'links'>,
  file: File,
  box?: (file: BenchmarkFile) => void,
): Promise<void> {
  const waits = app.links.trouble()?.waits;
  try {
    const plain = await unpacked(file, Number(app.document.schema.said('workload.trace.file', 'x-max-bytes')));
    if (box) box({ name: plain.name, text: await plain.text() });
    else if (waits) await app.links.giveTrace(plain);
    else await app.document.openFile(plain);
  } catch (error) {
    if (!(error instanceof GzipError)) throw error;
    if (waits && !box) app.links.setTrouble({ problems: [...waits.problems, error.problem], waits });
    else app.dialogs.setNotice({ kind: 'problem', text: `${file.name}: ${explain(error.problem)}` });
  }
}

/** The action that opens a file that is not packed, whatever it is. */
export function createFiles(client: Client, page: PageState): (file: File) => Promise<void> {
  return async (file) => {
    const kind = await kindOf(file, page);
    switch (kind) {
      case 'benchmark':
        page.onBenchmark({ name: file.name, text: await file.text() });
        break;
      case 'scenario':
        await openScenarioFile(file, page);
        break;
      case 'model':
      case 'policies':
        page.setNotice({ kind: 'problem', text: `${file.name} ${BOXES[kind]}.` });
        break;
      case 'table':
        await openTraceFile(file, client, page);
        break;
      default:
        kind satisfies never;
    }
  };
}

async function kindOf(file: File, page: PageState): Promise<FileKind> {
  const name = file.name.toLowerCase();
  if (!/\.(ya?ml|json)$/.test(name)) return 'table';
  // A larger file is not read to find out: the reader of scenarios refuses it.
  if (file.size > page.traceBytes) return 'scenario';
  return kindOfText(await file.text(), name.endsWith('.json'), page.scenarioKeys);
}

/** What a text of JSON or YAML is. What is neither goes to the reader of scenarios, which says why. */
export function kindOfText(text: string, isJson: boolean, scenarioKeys: ReadonlySet<string>): FileKind {
  if (!isJson) return /^kind:/m.test(text) ? 'policies' : 'scenario';
  let document: Json;
  try {
    document = JSON.parse(text);
  } catch {
    return 'scenario';
  }
  if (Array.isArray(document)) return 'benchmark';
  if (!isObject(document)) return 'scenario';
  const keys = Object.keys(document);
  if (keys.length === 0 || keys.some((key) => scenarioKeys.has(key))) return 'scenario';
  if (typeof document.kind === 'string') return 'policies';
  return typeof document.model_type === 'string' ? 'model' : 'benchmark';
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

async function openScenarioFile(file: File, page: PageState): Promise<void> {
  const { setNotice } = page;
  const text = await file.text();
  try {
    if (await page.open(writeDocument(await readYaml(text)), file.name, false)) {
      setNotice({ kind: 'info', text: `Loaded ${file.name}.`, diagnostics: [] });
    } else {
      setNotice({ kind: 'problem', text: `${file.name}: ${refusal(page)}` });
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    setNotice({ kind: 'problem', text: `${file.name} cannot be read: ${error.message.split('\n')[0] ?? ''}` });
  }
}

async function openTraceFile(file: File, client: Client, page: PageState): Promise<void> {
  const { setReading, setNotice, traceBytes } = page;
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
    await runTrace(file, result.summary, result.diagnostics, page);
  } catch (error) {
    setReading(undefined);
    setNotice({
      kind: 'problem',
      text: `${file.name} could not be read: ${error instanceof Error ? error.message : ''} Your run is untouched.`,
    });
  }
}

async function runTrace(
  file: File,
  summary: TraceSummary,
  diagnostics: readonly Diagnostic[],
  page: PageState,
): Promise<void> {
  const { name } = file;
  const before = page.trace();
  page.setTrace(summary);
  const next = onTrace(page.document(), name);
  if (await page.open(writeDocument(next), name, true, 0)) {
    page.setTraceFile(file);
    const minutes = (summary.duration_s / 60).toFixed(1);
    const text = `${name}: ${summary.requests.toLocaleString('en')} requests over ${minutes} min (${summary.format}).`;
    page.setNotice({ kind: 'info', text, diagnostics });
  } else {
    page.setTrace(before);
    page.setNotice({ kind: 'problem', text: `${name}: ${refusal(page)}` });
  }
}

/** Why the scenario was refused. */
function refusal(page: PageState): string {
  return [...page.problems().values()].map(explain).join(' · ');
}
