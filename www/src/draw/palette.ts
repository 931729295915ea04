// The tokens of the visual language as canvas paint, read once for each theme and never while drawing.
import { type Accessor, createEffect, createSignal, onCleanup, onMount } from 'solid-js';
import { theme } from '../base/theme.ts';

export type Palette = {
  readonly dark: boolean;
  readonly font: string;
  readonly bg: string;
  readonly surface: string;
  readonly raised: string;
  readonly line: string;
  readonly lineStrong: string;
  readonly ink: string;
  readonly ink2: string;
  readonly ink3: string;
  readonly accent: string;
  readonly onAccent: string;
  readonly prefill: string;
  readonly decode: string;
  readonly warn: string;
  readonly miss: string;
  readonly preempt: string;
  readonly missText: string;
  readonly warnText: string;
  readonly kvUsed: string;
  readonly kvShared: string;
  readonly kvCached: string;
  readonly kvFree: string;
  readonly band1: string;
  readonly band2: string;
  readonly shade: string;
  /** Hatch for blocks that are cached and for time not simulated yet; a flat colour where patterns cannot be made. */
  readonly cachedHatch: CanvasPattern | string;
  readonly voidHatch: CanvasPattern | string;
};

/** Reads the tokens in force. Costs a style computation: call it when the theme changes, not when drawing. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const forced = matchMedia('(forced-colors: active)').matches;
  const v = (name: string): string => (forced ? systemColour(name) : style.getPropertyValue(name).trim());
  const kvCached = v('--kv-cached');
  const line = v('--line');
  return {
    dark: document.documentElement.dataset.theme !== 'light',
    font: style.getPropertyValue('--font').trim() || 'system-ui, sans-serif',
    bg: v('--bg'),
    surface: v('--surface'),
    raised: v('--raised'),
    line,
    lineStrong: v('--line-strong'),
    ink: v('--ink'),
    ink2: v('--ink-2'),
    ink3: v('--ink-3'),
    accent: v('--accent'),
    onAccent: v('--on-accent'),
    prefill: v('--prefill'),
    decode: v('--decode'),
    warn: v('--warn'),
    miss: v('--miss'),
    preempt: v('--preempt'),
    missText: v('--miss-text'),
    warnText: v('--warn-text'),
    kvUsed: v('--kv-used'),
    kvShared: v('--kv-shared'),
    kvCached,
    kvFree: v('--kv-free'),
    band1: v('--band-1'),
    band2: v('--band-2'),
    shade: v('--shade'),
    cachedHatch: hatch(kvCached, 4, 1.4, 0.18),
    voidHatch: hatch(line, 6, 1, 0),
  };
}

/** With forced colours only shape, hatch and dash tell things apart; the selection is the system's highlight. */
function systemColour(name: string): string {
  if (name === '--accent') return 'Highlight';
  if (name === '--on-accent') return 'HighlightText';
  if (GROUNDS.has(name)) return 'Canvas';
  // System colours have no translucent variants: bands and shades are left out, their edges and labels remain.
  if (name.startsWith('--band') || name === '--shade') return 'transparent';
  return name === '--line' ? 'GrayText' : 'CanvasText';
}
const GROUNDS: ReadonlySet<string> = new Set(['--bg', '--surface', '--raised', '--kv-free']);

/** Parallel lines at 45°, `step` apart along each axis, over a faint ground of the same colour. */
function hatch(colour: string, step: number, width: number, ground: number): CanvasPattern | string {
  const scale = 2;
  const tile = document.createElement('canvas');
  tile.width = step * scale;
  tile.height = step * scale;
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
  }
  g.stroke();
  const pattern = g.createPattern(tile, 'repeat');
  if (!pattern) return colour;
  pattern.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern;
}

/** The palette as a signal: it changes with the theme, with the system's contrast setting and when the face arrives. */
export function createPalette(): Accessor<Palette> {
  const [palette, set] = createSignal(readPalette());
  createEffect(() => {
    theme();
    set(readPalette());
  });
  onMount(() => {
    const again = (): void => {
      set(readPalette());
    };
    const watch = new MutationObserver(again);
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'class', 'style'] });
    // Canvas text asks for the face while drawing: draw once more when it has come.
    document.fonts.addEventListener('loadingdone', again);
    const contrast = matchMedia('(forced-colors: active)');
    contrast.addEventListener('change', again);
    onCleanup(() => {
      watch.disconnect();
      contrast.removeEventListener('change', again);
      document.fonts.removeEventListener('loadingdone', again);
    });
  });
  return palette;
}
