// Figures and ranges as text. Names, labels and units of further figures come from the core.
import { count, NBSP, percent, sig3, text } from '../../base/units.ts';
import type { MetricUnit } from '../../generated/boundary.ts';

const SAY: Readonly<Record<MetricUnit, (value: number) => string>> = {
  count,
  ratio: sig3,
  share: (value) => text(percent(value, 1)),
  seconds: (value) => `${sig3(value)} s`,
  milliseconds: (value) => `${sig3(value)} ms`,
  'per-second': (value) => `${sig3(value)}/s`,
  usd: (value) => `$${value.toPrecision(3)}`,
};

export function metricText(unit: MetricUnit, value: number): string {
  // The mean of counts over several seeds is no whole number.
  return unit === 'count' && !Number.isInteger(value) ? sig3(value) : SAY[unit](value);
}

/** Both ends of an interval; the unit once if they share it. */
export function rangeText(lo: string, hi: string): string {
  const unitOf = (said: string): string => said.split(NBSP)[1] ?? '';
  return unitOf(lo) === unitOf(hi) ? `${lo.split(NBSP)[0]} to ${hi}` : `${lo} to ${hi}`;
}
