// The tokens of the visual language as canvas paint, read once for each theme and never while drawing.
import { type Accessor, createSignal } from 'solid-js';
import { trust } from '../base/trust.ts';
import { INKS, type Ink, type Palette, tilesBy, withHatches } from './inks.ts';

if (typeof OffscreenCanvas === 'undefined')
  tilesBy((size) =>
    trust<OffscreenCanvas>(Object.assign(document.createElement('canvas'), { width: size, height: size })),
  );

/** Reads the tokens in force. Costs a style computation: call it when the theme changes, not when drawing. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const forced = matchMedia('(forced-colors: active)').matches;
  const v = (name: string): string => (forced ? forcedPaint(name) : style.getPropertyValue(name).trim());
  return withHatches({
    dark: document.documentElement.dataset.theme !== 'light',
    font: style.getPropertyValue('--font').trim() || 'system-ui, sans-serif',
    ...trust<Record<Ink, string>>(Object.fromEntries(Object.entries(INKS).map(([ink, name]) => [ink, v(name)]))),
  });
}

/** The paint of a token with forced colours. */
function forcedPaint(name: string): string {
  // System colours have no translucent variants, so bands and shades are left out; their edges and labels remain. They
  // are not resolved, as the browser would give their text the colour of all text.
  return name.startsWith('--band') || name === '--shade' ? 'transparent' : resolved(systemColour(name));
}

/** With forced colours only shape, hatch and dash distinguish marks; the selection has the system's highlight. */
function systemColour(name: string): string {
  if (name === '--accent') return 'Highlight';
  if (name === '--on-accent') return 'HighlightText';
  if (GROUNDS.has(name)) return 'Canvas';
  return name === '--line' ? 'GrayText' : 'CanvasText';
}
/** A system colour resolved on the page, because drawing threads do not know system colours. */
function resolved(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = name;
  document.documentElement.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const GROUNDS: ReadonlySet<string> = new Set(['--bg', '--surface', '--raised', '--kv-free']);

let shared: Accessor<Palette> | undefined;

/**
 * The palette of the page as a signal: it changes with the theme, with the system's contrast setting and when the font
 * loads.
 */
export function pagePalette(): Accessor<Palette> {
  if (shared) return shared;
  const [palette, set] = createSignal(readPalette());
  const again = (): void => {
    set(readPalette());
  };
  const attributeFilter = ['data-theme', 'class', 'style'];
  new MutationObserver(again).observe(document.documentElement, { attributes: true, attributeFilter });
  // Drawing canvas text requests the font, so draw again once it has loaded.
  document.fonts.addEventListener('loadingdone', again);
  matchMedia('(forced-colors: active)').addEventListener('change', again);
  shared = palette;
  return palette;
}
