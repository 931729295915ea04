// The strip of decisions as a number line: where each request stands by the tokens that its home would have computed.
import type { DecisionMark, SplitFrame } from '../generated/boundary.ts';
import type { Box } from './layout.ts';

/** Room for the words about the chosen request, at the right. */
export const WORDS = 148;
/** Room for words above the marks, and for the ticks below the line. */
const PAD = { top: 12, foot: 14 } as const;

export type DeciderAxis = {
  readonly low: number;
  readonly high: number;
  readonly x: (tokens: number) => number;
  readonly y: number;
  readonly right: number;
};

/** Powers of two around all requests and the threshold. */
export function deciderAxis({ latest, decider }: SplitFrame, box: Box): DeciderAxis {
  const marks = latest.map((d) => d.uncached).filter((n) => n > 0);
  if (decider.uncached_tokens > 0) marks.push(decider.uncached_tokens / 2, decider.uncached_tokens * 2);
  const low = 2 ** Math.floor(Math.log2(Math.max(1, Math.min(1024, ...marks))));
  const high = 2 ** Math.ceil(Math.log2(Math.max(low * 16, ...marks)));
  const right = box.x + box.w - WORDS;
  const x = (tokens: number): number =>
    box.x + ((right - box.x) * Math.log2(Math.min(high, Math.max(low, tokens)) / low)) / Math.log2(high / low);
  return { low, high, x, y: box.y + box.h - PAD.foot, right };
}

/** The height of a mark above the line: the same for a request in every frame. */
export const jitter = (request: number): number => ((request * 7919) % 13) - 6;

/** Where the mark of a decision is. */
export function decisionPlace(axis: DeciderAxis, box: Box, d: DecisionMark): readonly [x: number, y: number] {
  const middle = (box.y + PAD.top + axis.y) / 2;
  return [axis.x(d.uncached), middle + jitter(d.request) * 0.6];
}

/** The decision at a point, the latest if several are there. */
export function decisionAt(split: SplitFrame, box: Box, x: number, y: number): DecisionMark | undefined {
  if (y < box.y || y > box.y + box.h) return undefined;
  const axis = deciderAxis(split, box);
  return split.latest.findLast((d) => {
    const [dx, dy] = decisionPlace(axis, box, d);
    return Math.abs(dx - x) <= 5 && Math.abs(dy - y) <= 6;
  });
}
