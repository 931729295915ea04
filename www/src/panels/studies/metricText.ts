// Further figures of whole runs as text. Their names, labels and units come from the core.
import { count, percent, sig3, text } from '../../base/units.ts';
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
