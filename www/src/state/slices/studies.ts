// Views over the run: the comparison, studies of many runs, measured runs and benchmarks; with their input from the run
// on screen.
import { type Accessor, createSignal, type Setter } from 'solid-js';
import type { ViewColumns } from '../../base/view.ts';
import type { RequestDetail, View } from '../../generated/boundary.ts';
import type { Client } from '../../sim/client.ts';
import type { ColumnsAnswer } from '../../sim/protocol.ts';
import type { Beside } from '../studies/compare.ts';
import type { BenchmarkFile, MeasuredRun } from '../studies/measured.ts';

export type StudiesSlice = {
  /** Whether a second run is shown beside the one on screen. */
  readonly comparing: Accessor<boolean>;
  readonly setComparing: (on: boolean) => void;
  /** B of the comparison that is open. */
  readonly compared: Accessor<Beside | undefined>;
  readonly setCompared: Setter<Beside | undefined>;
  /** The health of B over time. */
  readonly besideHealth: Accessor<ViewColumns | undefined>;
  readonly setBesideHealth: Setter<ViewColumns | undefined>;
  /** Whether a study covers the run, which disables its playhead. */
  readonly studying: Accessor<boolean>;
  readonly setStudying: Setter<boolean>;
  /** Whether the panel of measured runs is open. */
  readonly measured: Accessor<boolean>;
  readonly setMeasured: (on: boolean) => void;
  readonly benchmarkFile: Accessor<BenchmarkFile | undefined>;
  readonly setBenchmarkFile: Setter<BenchmarkFile | undefined>;
  /** The measured percentiles beside the run on screen, while that is of the experiment. */
  readonly measuredRun: () => MeasuredRun | undefined;
  readonly setMeasuredRun: Setter<MeasuredRun | undefined>;
  /** The outcomes of the requests of the run on screen. */
  readonly outcomes: () => Promise<Uint8Array<ArrayBuffer>>;
  readonly columns: (views: readonly View[]) => Promise<readonly ColumnsAnswer[]>;
  readonly inspect: (request: number) => Promise<RequestDetail | null>;
};

/** The slice, and functions by which a file or a link opens a view over the run, without closing others. */
type Studying = StudiesSlice & { readonly showMeasured: () => void; readonly showComparison: () => void };

export function createStudies(client: () => Client, presetName: Accessor<string>): Studying {
  const [comparing, setComparing] = createSignal(false);
  const [compared, setCompared] = createSignal<Beside>();
  const [besideHealth, setBesideHealth] = createSignal<ViewColumns>();
  const [studying, setStudying] = createSignal(false);
  const [measured, setMeasured] = createSignal(false);
  const [benchmarkFile, setBenchmarkFile] = createSignal<BenchmarkFile>();
  const [measuredRun, setMeasuredRun] = createSignal<MeasuredRun>();
  return {
    comparing,
    setComparing: (on) => {
      if (on) setMeasured(false);
      setComparing(on);
    },
    compared,
    setCompared,
    besideHealth,
    setBesideHealth,
    studying,
    setStudying,
    measured,
    setMeasured: (on) => {
      if (on) setComparing(false);
      setMeasured(on);
    },
    benchmarkFile,
    setBenchmarkFile,
    measuredRun: () => (measuredRun()?.name === presetName() ? measuredRun() : undefined),
    setMeasuredRun,
    outcomes: () => client().ask('outcomes', null),
    columns: (views) => client().columns(views),
    inspect: (request) => client().ask('inspect', request),
    showMeasured: () => setMeasured(true),
    showComparison: () => setComparing(true),
  };
}
