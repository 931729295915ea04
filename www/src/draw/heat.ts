// The heat scale: cividis on dark, reversed on light, so that more is always further from the ground.

import type { Palette } from './inks.ts';
import type { Pen } from './pen.ts';

const CIVIDIS = [
  [0, 34, 78],
  [18, 53, 112],
  [59, 73, 108],
  [87, 93, 109],
  [112, 113, 115],
  [138, 134, 120],
  [165, 156, 116],
  [195, 179, 105],
  [225, 204, 85],
  [255, 233, 69],
] as const;
const STEPS = 64;

/** The colour of a value, 0 to 1. Zero has no colour: callers draw nothing for it. */
export function heatPaint(dark: boolean, value: number): string {
  const table = dark ? DARK : LIGHT;
  const i = Math.min(STEPS - 1, Math.max(0, Math.floor(value * STEPS)));
  return table[i] ?? '';
}

function tableOf(dark: boolean): string[] {
  return Array.from({ length: STEPS }, (_, i) => {
    const v = (i + 0.5) / STEPS;
    const place = (dark ? v : 1 - v) * (CIVIDIS.length - 1);
    const low = CIVIDIS[Math.floor(place)] ?? CIVIDIS[0];
    const high = CIVIDIS[Math.min(CIVIDIS.length - 1, Math.floor(place) + 1)] ?? low;
    const f = place - Math.floor(place);
    const mix = (a: number, b: number): number => Math.round(a + (b - a) * f);
    return `rgb(${mix(low[0], high[0])} ${mix(low[1], high[1])} ${mix(low[2], high[2])})`;
  });
}
const DARK = tableOf(true);
const LIGHT = tableOf(false);

/** The legend of the scale. */
export function heatRamp(pen: Pen, p: Palette, x: number, y: number, w: number, h: number): void {
  for (let i = 0; i < w; i++) {
    pen.fillStyle = heatPaint(p.dark, (i + 0.5) / w);
    pen.fillRect(x + i, y, 1, h);
  }
}
