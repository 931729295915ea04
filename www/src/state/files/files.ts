// Files on the page: their kind and their handling. A scenario is opened, a trace is read in a worker and replayed, a
// benchmark goes to its panel. For files that belong to a box, a message names the box.
import type { Accessor, Setter } from 'solid-js';
import { GzipError, unpacked } from '../../base/gzip.ts';
import { isObject, type Json } from '../../base/json.ts';
import { writeDocument } from '../../base/text.ts';
import { readYaml } from '../../base/yaml.ts';
import type { Diagnostic, TraceOutcome, TraceSummary } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import type { Client } from '../../sim/client.ts';
import type { TraceChanges, TraceRead } from '../../sim/traceTypes.ts';
import { onTrace } from '../edits/document.ts';
import { setLearning, setOwnFile } from '../lessons/lesson.ts';
import { explain, type Notice, type TraceReading } from '../notices/notices.ts';
import type { LinksSlice } from '../slices/links.ts';
import { dropStudy } from '../studies/droppedStudy.ts';
import type { BenchmarkFile } from '../studies/measured.ts';
import { isReport, pythonsNumbers } from './benchmarkText.ts';
import { askExchange } from './exchange.ts';
import { tableOf } from './traceTable.ts';

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
const MODEL_BOX = 'describes a model: drop it on the box below “Paste a config.json…” in the form of a pool';

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
      dropStudy({ name: file.name, text: await file.text() });
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
      page.setNotice({ kind: 'problem', text: `${file.name} ${MODEL_BOX}.` });
      break;
    case 'policies':
      askExchange({ kind: 'import', texts: [{ name: file.name, text: await file.text() }] });
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
    return /^lesson:/m.test(text) ? 'lesson' : isForeign(text, scenarioKeys) ? 'policies' : 'scenario';
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

/** Whether a YAML text is the configuration of another program, by the names at its left edge. */
function isForeign(text: string, scenarioKeys: ReadonlySet<string>): boolean {
  const names = [...text.matchAll(/^["']?([\w.-]+)["']?:(?=\s)/gm)].map(([, name = '']) => name);
  if (names.includes('kind')) return true;
  return !names.includes('cluster') && names.some((name) => !scenarioKeys.has(name));
}

/** Texts longer than this are no configuration. */
const MOST_CONFIGURATION = 262_144;

/** Whether a text that is neither a trace nor a benchmark is the configuration of another program. */
async function isConfiguration(text: string, scenario: Json): Promise<boolean> {
  if (text.length > MOST_CONFIGURATION) return false;
  const reader = new Asking('exchange');
  const texts = [{ name: 'file', text }];
  try {
    const found = await reader.ask('import', { texts, into: writeDocument(scenario), settled: [] });
    return found.counts.exact + found.counts.near > 0;
  } catch {
    return false;
  } finally {
    reader.end();
  }
}

/** Whether a file that is not a trace is the output of a benchmark tool or a server. */
async function isBenchmark(text: string): Promise<boolean> {
  const benchmarks = new Asking('measured');
  try {
    return (await benchmarks.ask('read', text)).length > 0;
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

async function openTraceFile(file: File, client: Client, page: PageState, columns?: string): Promise<void> {
  const { setReading, setNotice, traceBytes } = page;
  if (file.size > traceBytes) {
    const most = `${Math.floor(traceBytes / 2 ** 20)} MiB`;
    setNotice({ kind: 'problem', text: `${file.name} is larger than ${most}; use the command line for it.` });
    return;
  }
  try {
    let other: (() => void) | undefined;
    const read = await inspect(setReading, file, columns, async (problems) => {
      other = await otherKind({ name: file.name, text: await file.text() }, page);
      const table = problems.some(({ fix }) => fix.startsWith('name its columns')) && tableOf(await head(file));
      if (!other && table) {
        const opened = { file, table, read: (named: string) => openTraceFile(file, client, page, named) };
        other = () => askExchange({ kind: 'columns', columns: opened });
      }
      return other !== undefined;
    });
    if (!read) {
      other?.();
      return;
    }
    const { summary, diagnostics, inspection } = read;
    const run = async (changes: TraceChanges): Promise<void> => {
      await client.readTrace(file, () => {});
      await runTrace(file, summary, diagnostics, page, changes);
    };
    if (inspection) askExchange({ kind: 'trace', trace: { file, inspection, run } });
    else await run({});
  } catch (error) {
    setReading(undefined);
    setNotice({
      kind: 'problem',
      text: `${file.name} could not be read: ${error instanceof Error ? error.message : ''} Your run is unchanged.`,
    });
  }
}

/** The beginning of a file, which has its first rows. */
const head = (file: File): Promise<string> => file.slice(0, 65_536).text();

/** What opens a file that is not a trace; undefined if it is of no kind. */
async function otherKind(named: BenchmarkFile, page: PageState): Promise<(() => void) | undefined> {
  if (await isBenchmark(named.text)) return () => page.onBenchmark(named);
  if (await isConfiguration(named.text, page.document())) return () => askExchange({ kind: 'import', texts: [named] });
  return undefined;
}

/**
 * Reads a trace to look at it before it runs, with a dialog for progress and errors. `undefined` if it is not a trace;
 * `isOther` gets what was wrong with it.
 */
async function inspect(
  setReading: Setter<TraceReading | undefined>,
  file: File,
  columns: string | undefined,
  isOther: (problems: readonly Diagnostic[]) => Promise<boolean>,
): Promise<(ReadTrace & Pick<TraceRead, 'inspection'>) | undefined> {
  const { inspectTraceFile } = await import('../../sim/traceFile.ts');
  const stop = new AbortController();
  let found: Pick<TraceRead, 'outcome' | 'inspection'> | undefined;
  const read = async (_: File, progress: (bytes: number) => void): Promise<TraceOutcome> => {
    found = await inspectTraceFile(file, progress, stop.signal, columns);
    return found.outcome;
  };
  const other = (): Promise<boolean> => isOther(found?.outcome.diagnostics ?? []);
  try {
    const trace = await readTrace({ readTrace: read }, setReading, file, other, () => stop.abort());
    return trace && { ...trace, inspection: found?.inspection ?? null };
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    setReading(undefined);
    return undefined;
  }
}

type ReadTrace = { readonly summary: TraceSummary; readonly diagnostics: readonly Diagnostic[] };

/**
 * Reads a trace, with a dialog for progress and errors, unless `isOther` recognises another kind of file. `undefined`
 * if it is not a trace.
 */
export async function readTrace(
  client: Pick<Client, 'readTrace'>,
  setReading: Setter<TraceReading | undefined>,
  file: File,
  isOther: () => Promise<boolean> = () => Promise.resolve(false),
  cancel?: () => void,
): Promise<ReadTrace | undefined> {
  const begun = { name: file.name, size: file.size, read: 0, done: false, diagnostics: [], summary: null, cancel };
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
  changes: TraceChanges = {},
): Promise<void> {
  const { name } = file;
  const before = page.trace();
  page.setTrace(summary);
  const next = onTrace(page.document(), name, changes);
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
