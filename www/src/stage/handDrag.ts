// A drag on the stage as data: what it holds, what is said and drawn of it, and what it does when it ends.
import { amountText, pulledTo, ratioAfter } from '../base/pulls.ts';
import type { Amount } from '../base/view.ts';
import type { EdgeGrip, Grip } from './grips.ts';
import type { Box } from './layout.ts';

type Point = { readonly x: number; readonly y: number };

/** What the page does with what is let go. An edge without an amount has nothing to change. */
export type HandActs = {
  readonly amountOf: (grip: Grip) => Amount | undefined;
  readonly set: (edge: EdgeGrip, value: number) => void;
  readonly send: (request: number, to: number) => void;
};

export type Drag = {
  readonly grip: Grip;
  /** Of an edge, when it was taken. */
  readonly amount: Amount | undefined;
  readonly from: Point;
  readonly at: Point;
  /** The replica under a request that is carried, if it is another one. */
  readonly over: { readonly replica: number; readonly box: Box } | undefined;
};

/** Pixels towards more. */
function pulledPx({ grip, from, at }: Drag): number {
  if (grip.on === 'request') return 0;
  if (grip.axis === 'x') return at.x - from.x;
  // Prefill stands above decode: its part grows downwards. All else grows upwards.
  return grip.on === 'ratio' ? at.y - from.y : from.y - at.y;
}

/** The value that an edge is pulled to. */
export function heldValue(drag: Drag): number {
  const { amount } = drag;
  if (!amount) return 0;
  if (amount.all !== undefined) return ratioAfter(amount.now, amount.all, pulledPx(drag));
  return pulledTo(amount, pulledPx(drag));
}

/** One edit for a drag that changed something, and none for another. */
export function letGo(drag: Drag, acts: HandActs): void {
  const { grip, amount, over } = drag;
  if (grip.on === 'request') {
    if (over) acts.send(grip.request, over.replica);
  } else if (amount && heldValue(drag) !== amount.now) acts.set(grip, heldValue(drag));
}

export type Said = Point & { readonly before: string; readonly after: string; readonly unit: string };

/** What is said beside the pointer: of a drag the old and the new, of an edge under it the present. */
export function saidOf(drag: Drag | undefined, over: Grip | undefined, acts: HandActs): Said | undefined {
  if (!drag) {
    const amount = over && over.on !== 'request' ? acts.amountOf(over) : undefined;
    if (!over || over.on === 'request' || !amount) return undefined;
    const { x, y, w } = over.box;
    const words = `${amount.name} ${amountText(amount, amount.now)}`;
    return { x: x + w, y, before: words, after: '', unit: amount.unit };
  }
  const { grip, amount, at } = drag;
  if (grip.on === 'request') {
    const from = grip.replica === undefined ? '' : ` on r${grip.replica}`;
    const to = drag.over ? `r${drag.over.replica}` : '';
    return { ...at, before: `#${grip.request}${from}`, after: to, unit: to === '' ? 'to another replica' : '' };
  }
  if (!amount) return undefined;
  const text = (value: number): string => amountText(amount, value);
  return { ...at, before: `${amount.name} ${text(amount.now)}`, after: text(heldValue(drag)), unit: amount.unit };
}

const DOT = 10;
/** A ribbon never covers more of the stage. */
const MOST_RIBBON = 80;

/** The mark that goes with the hand: the edge where it is now, the ribbon as thick as it would be, the request. */
export function ghostOf(drag: Drag): Box {
  const { grip, amount, at } = drag;
  if (grip.on === 'request') return { x: at.x - DOT / 2, y: at.y - DOT / 2, w: DOT, h: DOT };
  const { x, y, w, h } = grip.box;
  if (grip.on === 'rate' && amount) {
    const times = amount.now > 0 ? heldValue(drag) / amount.now : 1;
    const thick = Math.min(MOST_RIBBON, Math.max(1, 10 * times));
    return grip.axis === 'x' && h > w
      ? { x: x + w / 2 - thick / 2, y, w: thick, h }
      : { x, y: y + h / 2 - thick / 2, w, h: thick };
  }
  return grip.axis === 'x' ? { x: at.x - 1, y, w: 2, h } : { x, y: at.y - 1, w, h: 2 };
}
