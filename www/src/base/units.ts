// Numbers in text: three significant digits, the unit after a no-break space, a dash for a missing value.

/** No-break space, between a number and its unit. */
export const NBSP = '\u00a0';
/** A missing value. Never 0. */
export const DASH = '–';

/** A number and its unit, apart, because the unit is set in a lighter ink. */
export type Quantity = { readonly value: string; readonly unit: string };

const MISSING: Quantity = { value: DASH, unit: '' };

/** Three significant digits, at most two of them decimals, thousands with a comma. */
export function sig3(x: number): string {
  if (!Number.isFinite(x)) return DASH;
  const size = Math.abs(x);
  if (size >= 99.95) return group(Math.round(x));
  return size >= 9.995 ? x.toFixed(1) : x.toFixed(2);
}

/** Whole numbers, exactly: 12,711. */
export function count(x: number): string {
  return Number.isFinite(x) ? group(Math.round(x)) : DASH;
}

/** Large counts in short: 420, 4.2k, 1.31M. */
export function short(x: number): string {
  if (!Number.isFinite(x)) return DASH;
  const size = Math.abs(x);
  if (size < 999.5) return String(Math.round(x));
  const [divisor, suffix] = size < 999_500 ? [1e3, 'k'] : size < 999_500_000 ? [1e6, 'M'] : [1e9, 'G'];
  const scaled = x / divisor;
  return `${Math.abs(scaled) < 99.95 ? trimmed(scaled, 1) : Math.round(scaled)}${suffix}`;
}

/** A duration given in microseconds: 24.1 ms, 2.28 s, 4.50 min. */
export function durationUs(us: number): Quantity {
  return durationMs(us / 1000);
}

/** A duration given in milliseconds: switches to seconds at 1,000 ms and to minutes at 120 s. */
export function durationMs(ms: number): Quantity {
  if (!Number.isFinite(ms)) return MISSING;
  const size = Math.abs(ms);
  if (size < 999.5) return { value: ms === 0 ? '0' : sig3(ms), unit: 'ms' };
  if (size < 119_950) return { value: sig3(ms / 1000), unit: 's' };
  return { value: sig3(ms / 60_000), unit: 'min' };
}

/** A duration given in seconds. */
export function durationS(s: number): Quantity {
  return durationMs(s * 1000);
}

/** A percentile of `samples` values in microseconds; a dash if there are none. */
export function percentileUs(us: number, samples: number): Quantity {
  return samples === 0 ? MISSING : durationUs(us);
}

/** A share, 0 to 1, in percent: whole in charts, one decimal in key figures. */
export function percent(share: number, decimals: 0 | 1 = 0): Quantity {
  return Number.isFinite(share) ? { value: (share * 100).toFixed(decimals), unit: '%' } : MISSING;
}

/** Requests per second. */
export function ratePerS(rate: number): Quantity {
  return Number.isFinite(rate) ? { value: trimmedRate(rate), unit: 'req/s' } : MISSING;
}

/** What stands in place of a cost where a GPU has no price. */
export const NO_PRICE = 'no price';

/** US dollars: $1.38. */
export function usd(x: number): string {
  return Number.isFinite(x) ? `$${x.toFixed(2)}` : DASH;
}

/** Quantities by the units that files name. */
const BY_UNIT: Readonly<Record<string, (value: number) => Quantity>> = {
  us: durationUs,
  µs: durationUs,
  ms: durationMs,
  s: durationS,
  'req/s': ratePerS,
  '%': (share) => percent(share, Math.abs(share) < 0.0995 ? 1 : 0),
  $: (value) => ({ value: usd(value), unit: '' }),
};

/** A value with the unit that a file gives it, by `other` where the unit is not one of ours; a dash for a missing value. */
export function quantity(value: number | null | undefined, unit: string, other: (value: number) => string): Quantity {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  return BY_UNIT[unit]?.(value) ?? { value: other(value), unit };
}

/** A difference with its sign: +1.71 s, −12.0 ms. A value that rounds to zero has no sign. */
export function signed({ value, unit }: Quantity): Quantity {
  const size = value.replace('-', '');
  const sign = /[1-9]/.test(size) ? (size === value ? '+' : '−') : '';
  return { value: sign + size, unit };
}

/** The clock, exactly: 131.250. */
export function clock(us: number): string {
  const ms = Math.floor(us / 1000);
  return `${group(Math.floor(ms / 1000))}.${String(ms % 1000).padStart(3, '0')}`;
}

/** The clock of the first view: tenths of a second. */
export const tenths = (us: number): string => (Math.floor(us / 1e5) / 10).toFixed(1);

/** A speed in simulated seconds per wall second: 0.01×, 10×, 1,200×. */
export function speed(x: number): string {
  if (x === Number.POSITIVE_INFINITY) return 'max';
  if (!Number.isFinite(x)) return DASH;
  if (x === 0) return '0×';
  const size = Math.abs(x);
  if (size >= 100) return `${group(Number(x.toPrecision(3)))}×`;
  return `${Number(x.toPrecision(size >= 1 ? 3 : 2))}×`;
}

/** Seconds for an axis or a label: 90, 0.5. */
export function plain(x: number): string {
  return Number.isInteger(x) ? group(x) : String(Number(x.toPrecision(4)));
}

/** A whole number with a real minus. */
export const minus = (x: number): string => String(x).replace('-', '−');

/** Number and unit as one text. */
export function text(q: Quantity): string {
  return q.unit === '' ? q.value : q.value + NBSP + q.unit;
}

function group(x: number): string {
  const [whole = '', rest] = String(x).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

function trimmed(x: number, decimals: number): string {
  return String(Number(x.toFixed(decimals)));
}

function trimmedRate(x: number): string {
  const size = Math.abs(x);
  return size >= 99.95 ? group(Math.round(x)) : size >= 0.095 || x === 0 ? x.toFixed(1) : x.toFixed(2);
}

/** A typed time, `131.25` or `2:11.25`, in seconds; undefined if invalid. */
export function secondsOf(text: string): number | undefined {
  const [, hours, minutes, seconds] = /^(?:(?:(\d+):)?(\d+):)?(\d+(?:\.\d*)?)$/.exec(text) ?? [];
  return seconds === undefined ? undefined : Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds);
}
