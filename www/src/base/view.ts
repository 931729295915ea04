// Types shared by the panels of the page: the selection, and the props of stage and charts.
import type { Flag, Frame, View } from '../generated/boundary.ts';
import type { ChartName } from './chartList.ts';

/** The user's selection; at most one of each. */
export type Selection = {
  readonly request: number | undefined;
  readonly replica: number | undefined;
};

export const NOTHING: Selection = { request: undefined, replica: undefined };

/** The span in seconds of every percentile on the page that names no other: the latest seconds. */
export const WINDOW_S = 30;

/**
 * That span in words; at the beginning of a run it is as long as the run. It is rounded to whole seconds, so that
 * labels do not flicker.
 */
export function lastSpan(frame: Frame | undefined): string {
  const length = frame?.key.window_s ?? WINDOW_S;
  return `last ${length > WINDOW_S - 3 ? WINDOW_S : Math.max(1, Math.round(length))} s`;
}

/**
 * With fewer samples than this, one request determines the p99, which is then shown in a lighter ink, beside their
 * number.
 */
export const FEW = 100;
export const isFew = (samples: number): boolean => samples > 0 && samples < FEW;

/** The replica that holds this request, if it is among those shown. */
export function holderOf(frame: Frame, request: number): number | undefined {
  for (const r of frame.replicas) {
    if (r.batch.requests.includes(request)) return r.id;
    for (const c of r.queue) if (c.request === request) return r.id;
  }
  for (const t of frame.split?.transfers ?? []) if (t.request === request) return t.to;
  return undefined;
}

/** What the page says of an edit: its words, and whether it came with the scenario. */
export type FlagWords = { readonly label: string; readonly scheduled: boolean };

/** A flag in the words of the page. */
export function saidFlag(flag: Flag, words: FlagWords | undefined): Flag & { readonly scheduled?: boolean } {
  return words ? { ...flag, label: words.label || flag.label, scheduled: words.scheduled } : flag;
}

/** Whether edits came with the scenario; those of the user's hand have its hue. */
export const areScheduled = (flags: readonly Flag[]): boolean =>
  flags.length > 0 && flags.every((flag) => 'scheduled' in flag && flag.scheduled === true);

/** The columns of one view, by name. */
export type ViewColumns = { readonly names: readonly string[]; readonly columns: readonly Float64Array[] };

/** The columns of the views the page has so far. */
export type ChartData = Readonly<Partial<Record<ChartName, ViewColumns>>>;

export const NO_DATA: ChartData = {};

/** The same run without the reader's last edit. */
export type Without = {
  /** Its name: `without Least loaded`. */
  readonly label: string;
  /** The instant of the edit. */
  readonly fromS: number;
  readonly data: ChartData;
  /** The instant that it has reached. */
  readonly nowUs: number;
};

/** Whether a view has lines or a curve that can be drawn of a second run too. */
export const isAsked = (view: View): boolean => view !== 'replica-lanes' && view !== 'health';

/** A place on the stage, in its own pixels. */
export type Spot = { readonly x: number; readonly y: number };

/** Where the tools stand; `rows` has a place for each replica that has one. */
export type ToolPlaces = {
  /** Missing where the stage has no room for them. */
  readonly source?: { readonly burst: Spot; readonly router: Spot };
  readonly rows: readonly (Spot & { readonly replica: number })[];
  /** Where each replica's batch is drawn: its first bar, their width and distance, the height of a full one, and how many there are. */
  readonly batches: readonly BatchPlace[];
};

export type BatchPlace = Spot & {
  readonly replica: number;
  readonly bar: number;
  readonly pitch: number;
  readonly height: number;
  readonly places: number;
};

export type StageProps = {
  readonly frame: Frame | undefined;
  /**
   * The frame whose numbers are written, if different: marks move with each frame, numbers change as often as they can
   * be read.
   */
  readonly written?: Frame | undefined;
  /** Requested simulated seconds per wall second; `Infinity` for as fast as possible. */
  readonly speed: number;
  readonly playing: boolean;
  readonly selected: Selection;
  /** The replica that has or had the selected request, where that is known. */
  readonly holder?: number | undefined;
  readonly onSelect: (selection: Selection) => void;
  /** Goes one level deeper into what is selected. */
  readonly onDeeper?: (() => void) | undefined;
  /** Announces a selection made with keys. */
  readonly onSay?: (sentence: string) => void;
  /** The role of a replica is to be changed, asked for at this place of the stage. */
  readonly onRole?: ((replica: number, x: number, y: number) => void) | undefined;
  /**
   * The menu of the stage is asked for at this place: what can break in a replica, what else can be changed, and where a request
   * can go.
   */
  readonly onBreak?:
    | ((replica: number | undefined, x: number, y: number, request?: number | undefined) => void)
    | undefined;
  readonly reducedMotion: boolean;
  /** The router in force, in any words. */
  readonly router?: string | undefined;
  /** Whether it is drawn as in the first view. */
  readonly calm?: boolean;
  /** Where its tools stand. */
  readonly onPlaces?: (places: ToolPlaces | undefined) => void;
};

/** An amount that a hand on the stage changes, in words and numbers of its field. */
export type Amount = {
  readonly name: string;
  readonly unit: string;
  readonly now: number;
  readonly least: number;
  readonly most: number;
  readonly whole: boolean;
  /** Of a part: what it is a part of. */
  readonly all?: number;
};

/** A place on a chart or a distribution: latencies of one kind, reported between two instants, up to a value. */
export type Place = {
  readonly of: 'ttft' | 'e2e';
  readonly fromS: number;
  readonly toS: number;
  readonly atMostMs: number;
};

/** The latencies of a request, each at the instant when it was known. */
export type RequestMarks = Readonly<Record<Place['of'], { readonly atS: number; readonly ms: number } | undefined>>;

/** Measured percentiles beside a run: percent of the requests, and milliseconds. */
export type MeasuredMarks = {
  readonly ttft: readonly (readonly [percent: number, ms: number])[];
  readonly e2e: readonly (readonly [percent: number, ms: number])[];
};

export type ChartsProps = {
  /** Opens the slowest request of a place. */
  readonly onPlace?: ((place: Place) => void) | undefined;
  readonly data: ChartData;
  /** Instant under the shared crosshair, in simulated seconds. */
  readonly cursorS: number | undefined;
  readonly onCursor: (timeS: number | undefined) => void;
  readonly frame: Frame | undefined;
  /** The frame of the figures beside the charts: that of the key figures. */
  readonly figures: Frame | undefined;
  readonly selected: Selection;
  readonly onSelect: (selection: Selection) => void;
  readonly onSeek?: ((timeS: number) => void) | undefined;
  /** Length of the warm-up, shaded on every time axis. */
  readonly warmUpS?: number | undefined;
  /** Whether charts keep to the height of their area on narrow screens too. */
  readonly fills?: boolean;
  /** Whether they are drawn as in the first view: the median and the 99th percentile, and no axis of their own. */
  readonly calm?: boolean;
  /** The charts shown, in order; those that suit the run if undefined. */
  readonly only?: readonly string[] | undefined;
  /** Whether a pool has an autoscaler. */
  readonly scales?: boolean;
  /** The part of the time axis on screen; all of it if undefined. */
  readonly window?: { readonly fromS: number; readonly toS: number } | undefined;
  readonly onWindow?: ((next: { readonly fromS: number; readonly toS: number } | undefined) => void) | undefined;
  /** The replica of the selected request, which holds it no more once it has finished. */
  readonly holder?: number | undefined;
  /** The selected request: when its first token came and when it finished, and its latencies. */
  readonly marks?: RequestMarks | undefined;
  readonly without?: Without | undefined;
  /** The measured values, if the run replays an experiment. */
  readonly measured?: MeasuredMarks | undefined;
};

/** The ratio of prefill to decode replicas that their loads suggest, in words: empty for none. */
export function hintSaid(hint: readonly number[] | null | undefined): string {
  return hint ? `hint ${hint[0] ?? 0} : ${hint[1] ?? 0}` : '';
}
