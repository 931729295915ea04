// The paints of a drawing: the tokens, which are texts and can be posted, and the hatches, which each drawing thread
// makes from them.
import { HATCHES, type Hatch } from './looks.ts';

/** The tokens of the visual language that are colours, with their names in styles. */
export const INKS = {
  bg: '--bg',
  surface: '--surface',
  raised: '--raised',
  line: '--line',
  lineStrong: '--line-strong',
  ink: '--ink',
  ink2: '--ink-2',
  ink3: '--ink-3',
  accent: '--accent',
  onAccent: '--on-accent',
  prefill: '--prefill',
  decode: '--decode',
  warn: '--warn',
  miss: '--miss',
  preempt: '--preempt',
  missText: '--miss-text',
  warnText: '--warn-text',
  kvUsed: '--kv-used',
  kvShared: '--kv-shared',
  kvCached: '--kv-cached',
  kvFree: '--kv-free',
  band1: '--band-1',
  band2: '--band-2',
  shade: '--shade',
} as const;
export type Ink = keyof typeof INKS;

/** The tokens, as canvas paint. */
export type Tokens = Readonly<Record<Ink, string>> & { readonly dark: boolean; readonly font: string };

export type Palette = Tokens & {
  /** Hatch for cached blocks and for time not simulated yet; a flat colour if patterns are not supported. */
  readonly cachedHatch: CanvasPattern | string;
  readonly voidHatch: CanvasPattern | string;
  /** Hatch for the time in which ranks wait for each other. */
  readonly waitHatch: CanvasPattern | string;
  /** Crossed lines over a replica that is down. */
  readonly downHatch: CanvasPattern | string;
};

/** The part of a palette that can be posted. */
export function tokensOf({ cachedHatch, voidHatch, waitHatch, downHatch, ...tokens }: Palette): Tokens {
  return tokens;
}

export function withHatches(tokens: Tokens): Palette {
  return {
    ...tokens,
    cachedHatch: hatch(tokens, HATCHES.cached),
    voidHatch: hatch(tokens, HATCHES.void),
    waitHatch: hatch(tokens, HATCHES.wait),
    downHatch: hatch(tokens, HATCHES.down),
  };
}

function hatch(tokens: Tokens, { ink, step, width, ground, crossed }: Hatch): CanvasPattern | string {
  const colour = tokens[ink];
  const scale = 2;
  const tile = tileOf(step * scale);
  const g = tile.getContext('2d');
  if (!g) return colour;
  g.scale(scale, scale);
  if (ground > 0) {
    g.globalAlpha = ground;
    g.fillStyle = colour;
    g.fillRect(0, 0, step, step);
    g.globalAlpha = 1;
  }
  g.strokeStyle = colour;
  g.lineWidth = width;
  g.beginPath();
  for (const shift of [-step, 0, step]) {
    g.moveTo(shift, step);
    g.lineTo(shift + step, 0);
    if (!crossed) continue;
    g.moveTo(shift, 0);
    g.lineTo(shift + step, step);
  }
  g.stroke();
  const pattern = g.createPattern(tile, 'repeat');
  if (!pattern) return colour;
  pattern.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern;
}

let tileOf = (size: number): OffscreenCanvas => new OffscreenCanvas(size, size);

/** An old browser has only canvases in pages, so the page provides how to make one. */
export function tilesBy(make: (size: number) => OffscreenCanvas): void {
  tileOf = make;
}
