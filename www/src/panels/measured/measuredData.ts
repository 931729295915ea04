// The recorded replays of measured experiments as the panel shows them. All figures come from the core; this file only
// selects and words them.
import { isObject, type Json } from '../../base/json.ts';
import { DASH } from '../../base/units.ts';
import type { PercentPoint } from '../../state/studies/measured.ts';

/** Measured, simulated, and the error as a share of what was measured. */
export type Triple = readonly [measured: number, simulated: number, error: number | null];

export type Stage = {
  readonly stage: string;
  readonly regime?: string;
  readonly fitted?: boolean;
  readonly figures: Readonly<Record<string, Triple>>;
  readonly client?: Json;
  readonly horizon_s?: number;
  readonly tp?: number;
};

export type Experiment = {
  readonly id: string;
  readonly group: string;
  readonly model: string;
  readonly gpu: string;
  readonly tp: number | null;
  readonly engine: string;
  readonly source: string;
  readonly stages: readonly Stage[];
  readonly cluster?: Json;
  readonly why_not?: string;
};

export type Group = {
  readonly group: string;
  readonly gpu: string;
  readonly regime: string;
  readonly figure: string;
  readonly experiments: number;
  readonly median: number;
  readonly signed: number;
  readonly worst: number;
  readonly worst_id: string;
};

export type PublishedFigure = { readonly figure: string; readonly published: number };

/**
 * A set of figures of one kind of prediction. `dots`: by group, GPU, regime and figure, the error of each stage, and 1
 * if the stage was used for fitting.
 */
export type Level = {
  readonly level: LevelName;
  /** By figure; missing if there is no target. */
  readonly targets: Readonly<Record<string, number>>;
  readonly groups: readonly Group[];
  readonly dots: Readonly<Record<string, readonly (readonly [error: number, fitted: number])[]>>;
};

/** The signed errors of a model below the knee, with the GPU of each, and the median of the predictions. */
export type ModelResidual = {
  readonly model: string;
  readonly median: number | null;
  readonly dots: readonly (readonly [error: number, gpu: string, fitted: number])[];
};

export type RankedSet = {
  readonly set: string;
  readonly metric: string;
  readonly configurations: number;
  readonly pairs: number;
  readonly tau_b: number | null;
};

export type Rankings = {
  readonly target: number;
  readonly told: number;
  readonly reached: number;
  readonly median: number;
  readonly sets: readonly RankedSet[];
};

/** The absolute error of a figure in a regime, of what the coefficients had not seen, with a lower and an upper bound: shares. */
export type Distance = {
  readonly distance: string;
  readonly regime: string;
  readonly figure: string;
  readonly n: number;
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly mean: number;
  readonly worst: number;
  readonly worst_id: string;
};

export type MeasuredPage = {
  /** By regime and distance; missing in data of earlier versions. */
  readonly distances?: readonly Distance[];
  readonly figures: readonly PublishedFigure[];
  readonly levels: readonly Level[];
  readonly models: Readonly<Record<string, readonly ModelResidual[]>>;
  readonly rankings: Rankings;
  readonly experiments: readonly Experiment[];
};

export type LevelName = 'raw' | 'calibrated' | 'transfer';
/** The content of the middle of the panel. */
export type Shown = LevelName | 'distance' | 'ranking' | 'published';

export const SHOWN: readonly (readonly [name: Shown, label: string, about: string])[] = [
  ['raw', 'Raw', 'Errors without fitting: with the catalogue’s coefficients, else the roofline.'],
  [
    'calibrated',
    'Calibrated',
    'Errors of the simulation with built-in coefficients, against measured runs; stages used for fitting are hollow and do not count.',
  ],
  ['transfer', 'Transfer', 'Errors of coefficients fitted without this token budget, this parallelism or this GPU.'],
  [
    'distance',
    'Distance',
    'Errors by what the coefficients had not seen, below, near and over the knee: absolute, each experiment once.',
  ],
  [
    'ranking',
    'Ranking',
    'Whether the simulation ranks configurations like the measurements: Kendall’s τ-b, 1 is the same order.',
  ],
  [
    'published',
    'Published',
    'Experiments that others published, with their set-up: their figures, ours, and why they differ where they do.',
  ],
];

export type Regime = 'below' | 'near' | 'overload' | 'any';

export const REGIMES: readonly (readonly [Regime, string])[] = [
  ['below', 'Below the knee'],
  ['near', 'Near'],
  ['overload', 'Over'],
  ['any', 'Other'],
];

const NAMES: Readonly<Record<string, string>> = {
  'tpot_ms mean': 'TPOT mean',
  'e2e_ms mean': 'E2E mean',
  'ttft_ms mean': 'TTFT mean',
  'e2e_ms p99': 'E2E p99',
};

/** A figure's name, such as "TTFT p99". */
export function figureName(figure: string): string {
  if (NAMES[figure]) return NAMES[figure];
  const [metric = '', stat = ''] = figure.split(' ');
  const words: Readonly<Record<string, string>> = {
    req_per_s: 'Requests/s',
    out_tok_per_s: 'Output tok/s',
    kv_blocks: 'KV blocks',
    running: 'Running',
    waiting: 'Waiting',
    preemptions: 'Preemptions',
    reused_prompt_share: 'Prompt reused',
    queue_ms: 'Queue',
    prefill_ms: 'Prefill',
    decode_ms: 'Decode',
    inference_ms: 'Inference',
    kv_usage: 'KV usage',
    prompt_tok_per_s: 'Prompt tok/s',
    preemptions_per_s: 'Preemptions/s',
  };
  const name = words[metric] ?? metric.replace(/_ms$/, '').toUpperCase();
  return stat === 'value' || stat === '' ? name : `${name} ${stat}`;
}

/** An error with its sign: +4.2 %. */
export function errorText(error: number | null | undefined): string {
  if (error === null || error === undefined || !Number.isFinite(error)) return DASH;
  const percent = Math.abs(error * 100);
  const digits = percent >= 99.5 ? percent.toFixed(0) : percent.toFixed(1);
  if (Number(digits) === 0) return '0 %';
  return `${error < 0 ? '−' : '+'}${digits} %`;
}

/** A share without a sign: 4.2 %. */
export function shareText(share: number): string {
  const percent = share * 100;
  return `${percent >= 99.5 ? percent.toFixed(0) : percent.toFixed(1)} %`;
}

/** The stage that represents an experiment in a list: the whole run, or its first stage. */
export function stageOf(e: Experiment): Stage | undefined {
  return e.stages.find((s) => s.stage === 'all' && Object.keys(s.figures).length > 0) ?? e.stages[0];
}

/** The name of an experiment within its group. */
export function shortName(e: Experiment): string {
  return e.id.replace(/^[a-z]-/, '');
}

export type Listed = { readonly name: string; readonly about: string; readonly experiments: readonly Experiment[] };

/** Experiments by group, with their GPUs. */
export function groupsOf(data: MeasuredPage): readonly Listed[] {
  const names = [...new Set(data.experiments.map((e) => e.group))].toSorted();
  return names.map((name) => {
    const experiments = data.experiments.filter((e) => e.group === name);
    const gpus = [...new Set(experiments.map((e) => e.gpu))];
    return { name, about: gpus.join(', '), experiments };
  });
}

const IN_REGIME: Readonly<Record<Regime, string>> = {
  below: 'below the knee',
  near: 'near the knee',
  overload: 'over the knee',
  any: 'in no regime',
};
const UNSEEN: Readonly<Record<LevelName, string>> = {
  raw: 'nothing fitted',
  calibrated: 'not fitted to',
  transfer: 'not seen',
};
/** The figure of the headline. */
export const E2E = 'e2e_ms mean';

/** The experiments that count for a level, in words. */
export function filterText(level: LevelName, regime: Regime): string {
  return `${IN_REGIME[regime]}, ${UNSEEN[level]}`;
}

/** The headline: the error of end-to-end latency, and its experiments. */
export function headline(level: Level | undefined, regime: Regime): string {
  const all = level?.groups.find((g) => g.group === 'all' && g.regime === regime && g.figure === E2E);
  if (!level || !all) return 'No end-to-end latency was measured here';
  return `E2E mean of ${all.experiments} experiments ${filterText(level.level, regime)}: ${shareText(all.median)} off in the median, ${shareText(all.worst)} at worst`;
}

/** The predicted stages of an experiment in a regime, with their error of E2E; the calibrated headline counts these. */
export function countedStages(e: Experiment, regime: Regime): readonly Stage[] {
  return e.stages.filter((s) => {
    const error = s.figures[E2E]?.[2];
    return (s.regime ?? 'any') === regime && s.fitted !== true && error !== null && error !== undefined;
  });
}

/**
 * Whether the calibrated headline counts an experiment. In group C, coefficients fitted to the first half of a run
 * predict its second half: the table has that error, the recorded whole run does not.
 */
export function counts(e: Experiment, regime: Regime): boolean {
  return countedStages(e, regime).length > 0 || (regime === 'any' && e.group === 'C');
}

/**
 * The errors of an experiment in a list: of its single stage, or the least and greatest of several, or, without stages,
 * of the whole run.
 */
export function listedError(e: Experiment, stages?: readonly Stage[]): string {
  if (stages?.length === 0) return DASH;
  if (!stages) return errorText(stageOf(e)?.figures[E2E]?.[2] ?? stageOf(e)?.figures['tpot_ms mean']?.[2]);
  const errors = stages.flatMap((s) => s.figures[E2E]?.[2] ?? []).toSorted((x, y) => x - y);
  const [least, greatest] = [errors[0], errors.at(-1)].map(errorText);
  return least === greatest ? (least ?? '') : `${least?.replace(/ %$/, '')} to ${greatest}`;
}

/** The headline of the rankings. */
export function rankingHeadline(rankings: Rankings): string {
  return `τ-b of ${rankings.target} or more in ${rankings.reached} of ${rankings.told} sets, ${rankings.median.toFixed(2)} in the median`;
}

/** The scenario of a stage. */
export function scenarioOf(e: Experiment, stage: Stage): Json {
  const cluster = isObject(e.cluster) ? e.cluster : {};
  const pools = Array.isArray(cluster.pools) ? cluster.pools : [];
  const own = pools.map((pool) => (isObject(pool) && stage.tp !== undefined ? { ...pool, tp: stage.tp } : pool));
  const title = stage.stage === '' ? e.id : `${e.id} · ${stage.stage}`;
  const note = `Measured by ${e.source}: ${e.model} on ${e.gpu}. Arrivals and lengths are drawn like the measured ones.`;
  return {
    title,
    note,
    run: { horizon_s: stage.horizon_s ?? 0 },
    cluster: { ...cluster, pools: own },
    workload: { clients: stage.client === undefined ? [] : [stage.client] },
  };
}

/** The measured percentiles of a metric, for a distribution. */
export function measuredPoints(stage: Stage, metric: string): readonly PercentPoint[] {
  return [50, 90, 95, 99].flatMap((percent): PercentPoint[] => {
    const found = stage.figures[`${metric} p${percent}`];
    return found ? [[percent, found[0]]] : [];
  });
}

/** The figures that configurations are ranked by. */
export function rankedBy(metric: string): string {
  return metric === 'tok_per_s_per_gpu' ? 'Tokens/s a GPU' : figureName(metric);
}

/** The choices that the data can show. */
export function shownOf(data: MeasuredPage): typeof SHOWN {
  return SHOWN.filter(([name]) => name !== 'distance' || (data.distances?.length ?? 0) > 0);
}

/** The values of a key of the distances, each once, in their order. */
export function distinct(distances: readonly Distance[], key: 'distance' | 'figure'): readonly string[] {
  return [...new Set(distances.map((d) => d[key]))];
}

/** The regimes of the distances, from below the knee to over it. */
export function regimesOf(distances: readonly Distance[]): readonly (readonly [string, string])[] {
  return REGIMES.filter(([name]) => distances.some((d) => regimeKey(d) === name));
}

/** The regime of a distance, as the levels name it. */
function regimeKey(d: Distance): string {
  return d.regime === 'over' ? 'overload' : d.regime;
}

/** The error of a distance in a regime; nothing where none was measured. */
export function distanceAt(
  distances: readonly Distance[],
  distance: string,
  regime: string,
  figure: string,
): Distance | undefined {
  return distances.find((d) => d.distance === distance && regimeKey(d) === regime && d.figure === figure);
}

/** The headline of the distances: where the time per output token is worst below the knee. */
export function distanceHeadline(distances: readonly Distance[]): string {
  const worst = distances
    .filter((d) => d.figure.startsWith('tpot') && d.regime === 'below')
    .toSorted((a, b) => b.median - a.median)[0];
  if (!worst) return 'Errors by distance';
  return `${figureName(worst.figure)} below the knee: ${shareText(worst.median)} off in the median for ${worst.distance}`;
}
