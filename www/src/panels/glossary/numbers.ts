// How the numbers of the glossary are written: in the unit that the glossary gives, so that a formula with numbers holds.
import { count, DASH, durationMs, NBSP, percent, sig3, text, usd } from '../../base/units.ts';

const ASIDE = ['ms', '%', '$', ''];

/** A number in a formula, without its unit. */
export function inFormula(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  if (unit === '%') return text(percent(value, 1));
  if (unit === '$') return usd(value);
  if (Number.isInteger(value)) return count(value);
  return Math.abs(value) < 0.01 ? String(Number(value.toPrecision(3))) : sig3(value);
}

/** A number with its unit. */
export function withUnit(value: number | null | undefined, unit: string): string {
  const number = inFormula(value, unit);
  if (number === DASH || value === null || value === undefined) return DASH;
  if (unit === 'ms') return text(durationMs(value));
  return ASIDE.includes(unit) ? number : number + NBSP + unit;
}
