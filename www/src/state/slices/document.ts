// The scenario on screen: its document, its edits, its runs, and the files it is opened from.
import { type Accessor, createMemo, createSignal, type Setter } from 'solid-js';
import { getAt, type Json } from '../../base/json.ts';
import type { Schema } from '../../base/schema.ts';
import type { FlagWords } from '../../base/view.ts';
import type { Diagnostic, Frame, RunReport, TraceSummary } from '../../generated/boundary.ts';
import rawSchema from '../../generated/schema.json';
import type { Client } from '../../sim/client.ts';
import { describedLater } from '../edits/describedSchema.ts';
import type { Change, Edit, GrowingList, ListedEdit, PlacedEdit } from '../edits/edits.ts';
import type { Box } from '../files/files.ts';
import type { Compared } from '../run/differing.ts';
import type { NamedRuns } from '../run/namedRuns.ts';
import { type Preset, presetText } from '../run/presets.ts';
import { createRuns } from '../run/runs.ts';
import type { BenchmarkFile } from '../studies/measured.ts';
import type { DialogsSlice } from './dialogs.ts';
import type { LinksSlice } from './links.ts';
import type { createSelection } from './selection.ts';
import type { createStudies } from './studies.ts';
import type { createTransport } from './transport.ts';

export type DocumentSlice = {
  /** What the form knows of fields; descriptions come once the page runs. */
  readonly schema: Schema;
  /** Loads the descriptions of the schema. */
  readonly describe: () => Promise<void>;
  /** The document of the run, with its edits. */
  readonly current: Accessor<Json>;
  /** The document with the edits up to the playhead applied. */
  readonly inForce: Accessor<Json>;
  /** The document as it was opened, and its name. */
  readonly original: Accessor<Json>;
  readonly presetName: Accessor<string>;
  /** The replayed trace, and its file. */
  readonly trace: Accessor<TraceSummary | undefined>;
  readonly traceFile: Accessor<File | undefined>;
  readonly warmUpS: Accessor<number>;
  /** The problems of the document, by field. */
  readonly problems: Accessor<ReadonlyMap<string, Diagnostic>>;
  readonly setProblems: Setter<ReadonlyMap<string, Diagnostic>>;
  readonly edits: Accessor<readonly PlacedEdit[]>;
  readonly listed: Accessor<readonly ListedEdit[]>;
  readonly changed: Accessor<readonly Change[]>;
  /** The fields that differ between two documents: those of the former two, or undefined, until the answer comes. */
  readonly differing: (asked: () => Compared | undefined) => Accessor<readonly Change[] | undefined>;
  /** The number of differences from the loaded scenario. */
  readonly differences: Accessor<number>;
  /** Loads a scenario; false if it is refused. */
  readonly open: ReturnType<typeof createRuns>['open'];
  readonly openPreset: (preset: Preset) => Promise<void>;
  /** Opens a file of any kind; a box under the drop gets its text. */
  readonly openFile: (file: File, box?: Box) => Promise<void>;
  /** All problems of a scenario text, without running it. */
  readonly check: Client['check'];
  readonly freshSeed: () => ReturnType<Client['freshSeed']>;
  /** Sets a field, or everything under `path`; if that cannot be an edit, the run restarts. */
  readonly change: (path: string, value: Json) => Promise<boolean>;
  /** Makes an edit at the playhead, with its problems at `path`. */
  readonly applyEdit: (edit: Edit, path: string) => Promise<boolean>;
  readonly applyDocument: (next: Json) => Promise<boolean>;
  readonly restartWith: (next: Json, path?: string) => Promise<boolean>;
  /** Gives the run another title or note: words that change no result, so it goes on. */
  readonly rename: (path: 'title' | 'note', text: string) => void;
  readonly reset: () => Promise<void>;
  readonly add: (list: GrowingList) => Promise<boolean>;
  readonly removeEdit: (index: number) => Promise<void>;
  readonly moveEdit: (index: number, atUs: number) => Promise<void>;
  /** Ends the fault of an edit at another instant. */
  readonly stretchEdit: (index: number, untilUs: number) => Promise<void>;
  readonly switchEdit: (index: number) => Promise<void>;
  readonly reviseEdit: (index: number, path: string, value: Json) => Promise<boolean>;
  readonly undo: () => Promise<void>;
  readonly redo: () => Promise<void>;
  readonly canUndo: () => boolean;
  readonly canRedo: () => boolean;
  /** The runs of this scenario. */
  readonly namedRuns: Accessor<NamedRuns>;
  /** Updates the figures of the run on screen in the list. */
  readonly refreshNamedRun: () => Promise<void>;
  /** Changes the list of runs, not the run on screen. */
  readonly listRuns: (after: NamedRuns) => void;
  /** Keeps the run on screen under its name and continues in another one. */
  readonly branch: () => Promise<void>;
  /** The edits whose flag is open, by index. */
  readonly openFlags: Accessor<readonly number[]>;
  readonly setOpenFlags: Setter<readonly number[]>;
  /** The labels of flags. */
  readonly setFlagWords: Setter<readonly FlagWords[]>;
};

type Surroundings = {
  readonly client: () => Client;
  readonly schema: Schema;
  readonly transport: ReturnType<typeof createTransport>;
  readonly selection: ReturnType<typeof createSelection>;
  readonly dialogs: DialogsSlice;
  readonly studies: () => ReturnType<typeof createStudies>;
  readonly links: () => LinksSlice;
};

/** The slice, and the functions that other state uses. */
type Documents = DocumentSlice & {
  readonly setTrace: Setter<TraceSummary | undefined>;
  readonly addSecondRun: (name: string, scenario: string) => void;
  readonly flagWords: Accessor<readonly FlagWords[]>;
  readonly editsPassed: Accessor<number>;
  /** A report of the simulation under the title and note of the page. */
  readonly named: (report: RunReport) => Promise<RunReport>;
  readonly onFrame: (frame: Frame) => void;
};

export function createDocument(page: Surroundings): Documents {
  const { client, schema, transport, selection, dialogs, studies, links } = page;
  const { frame, playsOn, aim, onWay, speed } = transport;
  const { setReading, setNotice } = dialogs;
  const [traceFile, setTraceFile] = createSignal<File>();
  const [flagWords, setFlagWords] = createSignal<readonly FlagWords[]>([]);
  const [openFlags, setOpenFlags] = createSignal<readonly number[]>([]);
  const runs = createRuns({
    ...{ client, schema, frame, playsOn, setNotice, aim, onWay, takeCarried },
    onNewRun: (same, untilUs) => {
      if (!same) {
        selection.forgetRequest();
        transport.awaitRun(untilUs);
      }
      if (playsOn()) client().play(speed());
    },
  });
  const { current, problems, trace, setTrace } = runs;
  const { described, describe } = describedLater(schema);
  const warmUpS = createMemo(() => Number(getAt(current(), 'run.warmup_s') ?? 0));
  const open: DocumentSlice['open'] = (...scenario) => links().entering(() => runs.open(...scenario));

  /** The code that takes a trace out of a scenario is loaded with the first one that has it. */
  async function takeCarried(document: Json): Promise<TraceSummary | undefined> {
    if (!getAt(document, 'workload.trace.rows')) return undefined;
    const { readCarried } = await import('../files/carriedTrace.ts');
    const carried = await readCarried(client(), document, traceBytes());
    setTraceFile(carried.file);
    return carried.summary;
  }

  const traceBytes = (): number => Number(schema.said('workload.trace.file', 'x-max-bytes'));

  async function openPreset(preset: Preset): Promise<void> {
    await open(await presetText(preset), preset.name, false, preset.opens_us);
  }

  async function named(report: RunReport): Promise<RunReport> {
    const words = runs.staleWords();
    return words === undefined ? report : ((await links().renamed(report.json, words)) ?? report);
  }

  /** The code that reads files is loaded with the first file. */
  async function openFile(file: File, box?: Box): Promise<void> {
    const files = await import('../files/files.ts');
    const page = {
      ...{ document: current, problems, trace, setTrace, setTraceFile, setReading, setNotice, open, links: links() },
      traceBytes: traceBytes(),
      scenarioKeys: new Set(Object.keys(rawSchema.properties)),
      onBenchmark: (file: BenchmarkFile) => {
        studies().setBenchmarkFile(file);
        studies().showMeasured();
      },
      onStudy: () => studies().showComparison(),
    };
    await files.openFile(client(), page, file, box);
  }

  return {
    ...runs,
    get schema() {
      return described();
    },
    ...{ describe, traceFile, warmUpS, open, openPreset, openFile, named },
    ...{ flagWords, setFlagWords, openFlags, setOpenFlags },
    check: (text) => client().check(text),
    freshSeed: () => client().freshSeed(),
  };
}
