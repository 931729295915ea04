// Published experiments beside their simulations, as scripts/reproduce found them. All figures come from there; this file only
// words them and finds the scenario to open.
import { DASH, NBSP, sig3 } from '../../base/units.ts';
import { presetNamed, presetText } from '../../state/run/presets.ts';

/** A published figure, ours, and ours over the published one; the same with the one fitted rate, where there is one. */
export type ReproducedFigure = {
  readonly figure: string;
  readonly unit: string;
  readonly published: number;
  readonly ours: number;
  readonly ratio: number;
  readonly fitted?: number;
  readonly fitted_ratio?: number;
  /** Why they differ, where it is by more than a factor of 1.5. */
  readonly why?: string;
};

export type Claim = { readonly claim: string; readonly holds: boolean };

export type Reproduced = {
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly date: string;
  readonly setup: string;
  readonly differs: string;
  /** The built-in scenario, or the one beside the figures, that shows it. */
  readonly opens: string;
  readonly figures: readonly ReproducedFigure[];
  readonly rankings: readonly Claim[];
};

export type ReproducedPage = {
  readonly summary: {
    readonly figures: number;
    readonly within: number;
    readonly factor: number;
    readonly rankings: number;
    readonly hold: number;
  };
  readonly fitted: string;
  readonly experiments: readonly Reproduced[];
};

const TEXTS = import.meta.glob<string>(
  ['../../../../docs/data/reproduced/*.json', '!../../../../docs/data/reproduced/experiments.json'],
  { query: '?raw', import: 'default' },
);

/** The headline: how many figures are near the published ones, and how many rankings agree. */
export function reproducedHeadline({ summary: s }: ReproducedPage): string {
  return `${s.within} of ${s.figures} published figures within a factor of ${s.factor}, ${s.hold} of ${s.rankings} rankings agree`;
}

/** A figure with its unit. */
export function withUnit(x: number, unit: string): string {
  return unit === '' ? sig3(x) : `${sig3(x)}${NBSP}${unit}`;
}

/** Ours over the published figure: 0.86×. */
export function ratioText(ratio: number | undefined): string {
  return ratio === undefined ? DASH : `${sig3(ratio)}×`;
}

/** Whether a ratio is beyond the factor, in either direction. */
export function beyond(ratio: number, factor: number): boolean {
  return ratio > factor || ratio * factor < 1;
}

/** The text of the scenario that shows an experiment, and its title in the document bar. */
export async function scenarioText(e: Reproduced): Promise<string> {
  const preset = presetNamed(e.opens);
  if (preset) return presetText(preset);
  const load = TEXTS[`../../../../docs/data/reproduced/${e.opens}.json`];
  if (!load) throw new Error(`there is no scenario ${e.opens}`);
  return load();
}
