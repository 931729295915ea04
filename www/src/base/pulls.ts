// The amount that a drag sets: it doubles with each fixed distance in pixels, in round steps.
import { count, plain } from './units.ts';
import type { Amount } from './view.ts';

/** Pixels of twice as much, and of one replica. */
const TWICE_PX = 120;
const REPLICA_PX = 36;
/** A drag shorter than this, in pixels, changes nothing. */
const STILL_PX = 4;

const within = (value: number, { least, most }: Pick<Amount, 'least' | 'most'>): number =>
  Math.max(least, Math.min(most, value));

/** Two significant digits; whole where the amount is. */
function rounded(value: number, whole: boolean): number {
  const two = Number(value.toPrecision(2));
  return whole ? Math.round(two) : two;
}

/** The amount after a drag of this number of pixels towards more. */
export function pulledTo(amount: Amount, px: number): number {
  if (Math.abs(px) < STILL_PX) return amount.now;
  const from = amount.now > 0 ? amount.now : amount.whole ? 1 : 0.1;
  return within(rounded(from * 2 ** (px / TWICE_PX), amount.whole), amount);
}

/** A tenth more or less of a value, and always another one within the limits. */
export function stepped(amount: Amount, value: number, by: 1 | -1): number {
  if (amount.all !== undefined) return within(value + by, amount);
  const smallest = value > 0 ? 10 ** (Math.floor(Math.log10(value)) - 1) : 0.1;
  const unit = amount.whole ? Math.max(1, smallest) : smallest;
  const next = rounded(by > 0 ? value * 1.1 : value / 1.1, amount.whole);
  const other = by > 0 ? next > value : next < value;
  return within(other ? next : Number((value + by * unit).toPrecision(12)), amount);
}

/** The prefill replicas after a drag, of all replicas of both roles: each role keeps one. */
export function ratioAfter(prefill: number, all: number, px: number): number {
  return Math.max(1, Math.min(all - 1, prefill + Math.round(px / REPLICA_PX)));
}

/** A value of an amount as its field shows it. */
export function amountText({ all, whole }: Amount, value: number): string {
  if (all !== undefined) return `${count(value)} : ${count(all - value)}`;
  return whole || value >= 1000 ? count(value) : plain(value);
}
