// Files on the page: their kind and their handling. A scenario is opened, a trace is read in a worker and replayed, a
// benchmark goes to its panel. For files that belong to a box, a message names the box.
import type { Accessor, Setter } from 'solid-js';
import { GzipError, unpacked } from '../base/gzip.ts';
import { isObject, type Json } from '../base/json.ts';
import { writeDocument } from '../base/text.ts';
import { readYaml } from '../base/yaml.ts';
import type { Diagnostic, TraceSummary } from '../generated/boundary.ts';
import type { Client } from '../sim/client.ts';
import { isReport, pythonsNumbers } from './benchmarkText.ts';
import { onTrace } from './document.ts';
import { setLearning, setOwnFile } from './lesson.ts';
import type { BenchmarkFile } from './measured.ts';
import { explain, type Notice, type TraceReading } from './notices.ts';
import { openStudy } from './openedStudy.ts';
import type { LinksSlice } from './slices/links.ts';

/** The part of the page's state used to open a file. */
type PageState = {
  readonly document: Accessor<Json>;
  /** The size limit of traces on the page. */
  readonly traceBytes: number;
  readonly problems: Accessor<ReadonlyMap<string, Diagnostic>>;
  readonly trace: Accessor<TraceSummary | undefined>;
  readonly setTrace: Setter<TraceSummary | undefined>;
  /** Keeps the file of the replayed trace, which further runs read again. */
  readonly setTraceFile: (file: File) => void;
  readonly setReading: Setter<TraceReading | undefined>;
  readonly setNotice: Setter<Notice | undefined>;
  /** The keys at the top of a scenario: a JSON file without any of them is something else. */
  readonly scenarioKeys: ReadonlySet<string>;
  /** Takes the output of a benchmark tool or a server. */
  readonly onBenchmark: (file: BenchmarkFile) => void;
  /** Shows the view of studies, which takes the file that was opened. */
  readonly onStudy: () => void;
  /** Loads a scenario; false if it is refused. */
  readonly open: (text: string, name: string, useTrace: boolean, untilUs?: number) => Promise<boolean>;
  readonly links: Pick<LinksSlice, 'trouble' | 'setTrouble' | 'giveTrace'>;
};

/** The handler of a box for the text of a file. */
export type Box = (text: string, name: string) => void;

/** The kind of a file by its name and text. A table may be a trace or a benchmark: the reader of traces decides. */
export type FileKind = 'scenario' | 'lesson' | 'study' | 'benchmark' | 'model' | 'policies' | 'table';

/** The box for a file that only one box takes. */
const BOXES = {
  model: 'describes a model: drop it on the box below “Paste a config.json…” in the form of a pool',
  policies: 'holds policies of another program: drop it on the box of “Paste policies…” under YAML',
} as const;

/**
 * Opens a file that was dropped or chosen, packed or not. A `box` under the drop gets the text, and a link that waits
 * for its trace gets the trace; other files are handled by kind.
 */
export async function openFile(client: Client, page: PageState, file: File, box?: Box): Promise<void> {
  const { links } = page;
  const waits = links.trouble()?.waits;
  try {
    const plain = await unpacked(file, page.traceBytes);
    if (box) box(await plain.text(), plain.name);
    else if (!waits) await openByKind(client, page, plain);
    else if (await links.giveTrace(plain)) page.setTraceFile(plain);
  } catch (error) {
    if (!(error instanceof GzipError)) throw error;
    if (waits && !box) links.setTrouble({ problems: [...waits.problems, error.problem], waits });
    else page.setNotice({ kind: 'problem', text: `${file.name}: ${explain(error.problem)}` });
  }
}

async function openByKind(client: Client, page: PageState, file: File): Promise<void> {
  const kind = await kindOf(file, page);
  switch (kind) {
    case 'benchmark':
      page.onBenchmark({ name: file.name, text: await file.text() });
      break;
    case 'study':
      openStudy({ name: file.name, text: await file.text() });
      page.onStudy();
      break;
    case 'lesson':
      setOwnFile({ name: file.name, text: await file.text() });
      setLearning(true);
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
}

async function kindOf(file: File, page: PageState): Promise<FileKind> {
  const name = file.name.toLowerCase();
  if (!/\.(ya?ml|json)$/.test(name)) return 'table';
  // A larger file is not parsed to find its kind: the reader of scenarios refuses it.
  if (file.size > page.traceBytes) return 'scenario';
  return kindOfText(await file.text(), name.endsWith('.json'), page.scenarioKeys);
}

/** The kind of a JSON or YAML text. Other text goes to the reader of scenarios, which reports the error. */
export function kindOfText(text: string, isJson: boolean, scenarioKeys: ReadonlySet<string>): FileKind {
  if (!isJson) {
    if (isReport(text)) return 'benchmark';
    return /^lesson:/m.test(text) ? 'lesson' : /^kind:/m.test(text) ? 'policies' : 'scenario';
  }
  let document: Json;
  try {
    document = JSON.parse(pythonsNumbers(text));
  } catch {
    return 'scenario';
  }
  if (Array.isArray(document)) return 'benchmark';
  if (!isObject(document)) return 'scenario';
  if (typeof document.tokenyard_study === 'number') return 'study';
  if (Object.hasOwn(document, 'lesson')) return 'lesson';
  if (Object.hasOwn(document, 'scenario') && ['results', 'metrics'].some((key) => Object.hasOwn(document, key)))
    return 'benchmark';
  const keys = Object.keys(document);
  if (keys.length === 0 || keys.some((key) => scenarioKeys.has(key))) return 'scenario';
  if (typeof document.kind === 'string') return 'policies';
  return typeof document.model_type === 'string' ? 'model' : 'benchmark';
}

/** Whether a file that is not a trace is the output of a benchmark tool or a server. */
async function isBenchmark(text: string): Promise<boolean> {
  const { BenchmarkClient, spawnBenchmark } = await import('../sim/benchmarkClient.ts');
  const benchmarks = new BenchmarkClient(spawnBenchmark);
  try {
    return (await benchmarks.ask({ kind: 'read', text })).length > 0;
  } catch {
    return false;
  } finally {
    benchmarks.end();
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
  try {
    let benchmark: string | undefined;
    const read = await readTrace(client, setReading, file, async () => {
      const text = await file.text();
      if (await isBenchmark(text)) benchmark = text;
      return benchmark !== undefined;
    });
    if (read) await runTrace(file, read.summary, read.diagnostics, page);
    else if (benchmark !== undefined) page.onBenchmark({ name: file.name, text: benchmark });
  } catch (error) {
    setReading(undefined);
    setNotice({
      kind: 'problem',
      text: `${file.name} could not be read: ${error instanceof Error ? error.message : ''} Your run is unchanged.`,
    });
  }
}

type ReadTrace = { readonly summary: TraceSummary; readonly diagnostics: readonly Diagnostic[] };

/**
 * Reads a trace, with a dialog for progress and errors, unless `isOther` recognises another kind of file. `undefined`
 * if it is not a trace.
 */
export async function readTrace(
  client: Client,
  setReading: Setter<TraceReading | undefined>,
  file: File,
  isOther: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<ReadTrace | undefined> {
  const begun = { name: file.name, size: file.size, read: 0, done: false, diagnostics: [], summary: null };
  setReading(begun);
  const { ok, summary, diagnostics } = await client.readTrace(file, (read) => setReading({ ...begun, read }));
  const found = ok && summary ? { summary, diagnostics } : undefined;
  const done = found !== undefined || (await isOther());
  setReading(done ? undefined : { ...begun, read: file.size, done: true, diagnostics });
  return found;
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

/** The problems of a refused scenario. */
function refusal(page: PageState): string {
  return [...page.problems().values()].map(explain).join(' · ');
}
