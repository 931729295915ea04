// The picture of Little's law: a rectangle as wide as requests arrive and as high as each stays, beside a square of the
// area L. Both have the same scale, so that equal areas are equal numbers.

export type LittleShapes = {
  readonly rectangle: { readonly width: number; readonly height: number };
  readonly side: number;
};

/** The larger of the two has this area, in square pixels. */
const AREA = 2400;
/** How much wider than high the rectangle may be, and the reverse. */
const FLATTEST = 3;

/** `undefined` while nothing has arrived. */
export function littleShapes(of: {
  readonly inside: number;
  readonly perSecond: number;
  readonly seconds: number;
}): LittleShapes | undefined {
  const { inside, perSecond, seconds } = of;
  const product = perSecond * seconds;
  if (!(product > 0) || !(inside > 0)) return undefined;
  const scale = AREA / Math.max(product, inside);
  const flat = Math.min(FLATTEST, Math.max(1 / FLATTEST, Math.sqrt(perSecond / seconds / 10)));
  const height = Math.sqrt((product * scale) / flat);
  return { rectangle: { width: height * flat, height }, side: Math.sqrt(inside * scale) };
}
