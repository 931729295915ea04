// Where the popover of a word is: beside its anchor, wholly in the window.

export type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };
export type Size = { readonly width: number; readonly height: number };

const GAP = 8;

/** Left and top of a popover: below its anchor, else above; beside it where the anchor is at the right edge. */
export function placeOf(anchor: Box, own: Size, within: Size): { readonly left: number; readonly top: number } {
  const inside = (at: number, size: number, all: number): number => Math.max(GAP, Math.min(at, all - size - GAP));
  // The panel at the right keeps its rows in sight.
  if (anchor.left > within.width * 0.7 && anchor.left - own.width - 2 * GAP > 0) {
    const top = inside(anchor.top - 3 * GAP, own.height, within.height);
    return { left: anchor.left - own.width - GAP, top };
  }
  const below = anchor.bottom + GAP;
  const above = anchor.top - own.height - GAP;
  const top = below + own.height + GAP <= within.height || above < GAP ? below : above;
  return { left: inside(anchor.left, own.width, within.width), top: inside(top, own.height, within.height) };
}
