// Values of a lesson with the units that its file gives them.
import { count, DASH, NBSP, plain, type Quantity, quantity, sig3, text } from './units.ts';

/** A value with its unit: `ms`, `s`, `req/s`, `%` of a share, `×`, `tokens`, or another word; empty for a plain number. */
export const inUnit = (value: number | null | undefined, unit: string): Quantity =>
  quantity(value, unit, (n) => {
    if (unit === 'tokens') return Math.abs(n) < 100 ? sig3(n) : count(n);
    return Number.isInteger(n) ? plain(n) : sig3(n);
  });

/** Both as one text. */
export function unitText(value: number | null | undefined, unit: string): string {
  return text(inUnit(value, unit));
}

/** Two values with the unit once, if it is the same: 697–821 ms. A dash if one is missing. */
export function rangeText(low: number | null | undefined, high: number | null | undefined, unit: string): string {
  const [a, b] = [inUnit(low, unit), inUnit(high, unit)];
  if (a.value === DASH || b.value === DASH) return DASH;
  return a.unit === b.unit ? `${a.value}–${text(b)}` : `${text(a)} – ${text(b)}`;
}

/** The number for an axis of that unit, without the unit. */
export function axisText(value: number, unit: string): string {
  return plain(unit === '%' ? Number((value * 100).toPrecision(12)) : value);
}

/** A place on an axis with its unit, as it is written: 2 req/s, 50 %. */
export function placeText(value: number | undefined, unit: string): string {
  if (value === undefined || !Number.isFinite(value)) return DASH;
  return unit === '' ? axisText(value, unit) : axisText(value, unit) + NBSP + unit;
}

/** A typed number in that unit; undefined if it is none. Percents become shares. */
export function typedIn(written: string, unit: string): number | undefined {
  const plainText = written
    .trim()
    .replace(/,(?=\d{3})/g, '')
    .replace(unit, '')
    .trim();
  if (plainText === '' || !/^-?\d*\.?\d+(e-?\d+)?$/i.test(plainText)) return undefined;
  const value = Number(plainText);
  return Number.isFinite(value) ? (unit === '%' ? value / 100 : value) : undefined;
}

/** The same number as it is typed: three significant digits. */
export function asTyped(value: number, unit: string): string {
  return String(Number((unit === '%' ? value * 100 : value).toPrecision(3)));
}
