// A pen that writes SVG instead of painting, for the same drawing code. It knows what drawings use: paths, rectangles, text, dashes,
// opacity, clips and transforms. Texts are measured by the caller, such as with a canvas.
import { trust } from '../../base/trust.ts';
import type { Palette, Tokens } from '../inks.ts';
import { HATCHES, type Hatch } from '../looks.ts';
import type { Pen } from '../pen.ts';

/** The width of a text in a canvas font. */
export type Measure = (text: string, font: string) => number;

type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];
type State = {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  lineJoin: string;
  lineCap: string;
  globalAlpha: number;
  font: string;
  textAlign: string;
  textBaseline: string;
  dash: readonly number[];
  matrix: Matrix;
  clip: string;
};

const WHOLE: Matrix = [1, 0, 0, 1, 0, 0];
const FULL = 2 * Math.PI;
/** Names of the patterns for hatches, which a palette for this pen has as paints. */
const NAMES = { cached: 'hatch-cached', void: 'hatch-void', wait: 'hatch-wait' } as const;

/** The palette of tokens with hatches as patterns of the SVG. */
export function svgPalette(tokens: Tokens): Palette {
  return {
    ...tokens,
    cachedHatch: `url(#${NAMES.cached})`,
    voidHatch: `url(#${NAMES.void})`,
    waitHatch: `url(#${NAMES.wait})`,
    downHatch: tokens.kvFree,
  };
}

const tidy = (x: number): string => String(Math.round(x * 100) / 100);

export function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (c) => names[c] ?? c);
}

/** The path under construction, in the coordinates of its points. */
class Path {
  d = '';
  beginPath(): void {
    this.d = '';
  }
  closePath(): void {
    this.d += 'Z';
  }
  moveTo(x: number, y: number): void {
    this.d += `M${tidy(x)} ${tidy(y)}`;
  }
  lineTo(x: number, y: number): void {
    this.d += `${this.d === '' ? 'M' : 'L'}${tidy(x)} ${tidy(y)}`;
  }
  quadraticCurveTo(...at: number[]): void {
    this.d += `Q${at.map(tidy).join(' ')}`;
  }
  bezierCurveTo(...at: number[]): void {
    this.d += `C${at.map(tidy).join(' ')}`;
  }
  rect(x: number, y: number, w: number, h: number): void {
    this.d += `M${tidy(x)} ${tidy(y)}h${tidy(w)}v${tidy(h)}h${tidy(-w)}Z`;
  }
  roundRect(x: number, y: number, w: number, h: number, radius: number | readonly number[] = 0): void {
    const r = Math.min(typeof radius === 'number' ? radius : (radius[0] ?? 0), w / 2, h / 2);
    const turn = (dx: number, dy: number): string => `a${tidy(r)} ${tidy(r)} 0 0 1 ${tidy(dx)} ${tidy(dy)}`;
    this.d += `M${tidy(x + r)} ${tidy(y)}h${tidy(w - 2 * r)}${turn(r, r)}v${tidy(h - 2 * r)}${turn(-r, r)}`;
    this.d += `h${tidy(2 * r - w)}${turn(-r, -r)}v${tidy(2 * r - h)}${turn(r, -r)}Z`;
  }
  arc(x: number, y: number, r: number, from: number, to: number, back = false): void {
    const at = (angle: number): string => `${tidy(x + r * Math.cos(angle))} ${tidy(y + r * Math.sin(angle))}`;
    const sweep = back ? 0 : 1;
    const size = tidy(r);
    this.d += `${this.d === '' || this.d.endsWith('Z') ? 'M' : 'L'}${at(from)}`;
    const turn = Math.min(FULL, back ? from - to : to - from);
    if (turn >= FULL - 1e-9) {
      // A whole circle is two halves: an arc that ends where it begins is empty.
      this.d += `A${size} ${size} 0 1 ${sweep} ${at(from + Math.PI)}A${size} ${size} 0 1 ${sweep} ${at(from)}Z`;
      return;
    }
    const whole = ((turn % FULL) + FULL) % FULL;
    this.d += `A${size} ${size} 0 ${whole > Math.PI ? 1 : 0} ${sweep} ${at(to)}`;
  }
}

class SvgWriter extends Path {
  readonly parts: string[] = [];
  readonly defs: string[] = [];
  private saved: State[] = [];
  private readonly measure: Measure;
  private s: State = {
    fillStyle: '#000',
    strokeStyle: '#000',
    lineWidth: 1,
    lineJoin: 'miter',
    lineCap: 'butt',
    globalAlpha: 1,
    font: '11px sans-serif',
    textAlign: 'left',
    textBaseline: 'alphabetic',
    dash: [],
    matrix: WHOLE,
    clip: '',
  };

  constructor(measure: Measure) {
    super();
    this.measure = measure;
  }

  get state(): State {
    return this.s;
  }
  save(): void {
    this.saved.push({ ...this.s });
  }
  restore(): void {
    this.s = this.saved.pop() ?? this.s;
  }
  translate(x: number, y: number): void {
    const [a, b, c, d, e, f] = this.s.matrix;
    this.s.matrix = [a, b, c, d, e + a * x + c * y, f + b * x + d * y];
  }
  scale(x: number, y: number): void {
    const [a, b, c, d, e, f] = this.s.matrix;
    this.s.matrix = [a * x, b * x, c * y, d * y, e, f];
  }
  rotate(angle: number): void {
    const [a, b, c, d, e, f] = this.s.matrix;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    this.s.matrix = [a * cos + c * sin, b * cos + d * sin, c * cos - a * sin, d * cos - b * sin, e, f];
  }
  setTransform(...matrix: number[]): void {
    this.s.matrix = trust<Matrix>(matrix.length === 6 ? matrix : WHOLE);
  }
  setLineDash(dash: readonly number[]): void {
    this.s.dash = [...dash];
  }
  clip(): void {
    const id = `clip-${this.defs.length}`;
    const within = this.s.clip === '' ? '' : ` clip-path="url(#${this.s.clip})"`;
    this.defs.push(`<clipPath id="${id}"${within}><path d="${this.d}"${this.placed(false)}/></clipPath>`);
    this.s.clip = id;
  }
  clearRect(): void {}

  /** The attributes of place: transform, clip and opacity. */
  private placed(clips = true): string {
    const { matrix, globalAlpha } = this.s;
    const moved = matrix.some((n, i) => n !== WHOLE[i]) ? ` transform="matrix(${matrix.map(tidy).join(' ')})"` : '';
    if (!clips) return moved;
    return `${moved}${globalAlpha === 1 ? '' : ` opacity="${tidy(globalAlpha)}"`}`;
  }
  /** A part within the clip in force; its own transform does not move the clip. */
  private put(part: string): void {
    const { clip } = this.s;
    this.parts.push(clip === '' ? part : `<g clip-path="url(#${clip})">${part}</g>`);
  }
  private stroked(): string {
    const { strokeStyle, lineWidth, dash, lineJoin, lineCap } = this.s;
    const dashes = dash.length > 0 ? ` stroke-dasharray="${dash.map(tidy).join(' ')}"` : '';
    const joined = lineJoin === 'miter' ? '' : ` stroke-linejoin="${lineJoin}"`;
    const capped = lineCap === 'butt' ? '' : ` stroke-linecap="${lineCap}"`;
    return ` fill="none" stroke="${escaped(strokeStyle)}" stroke-width="${tidy(lineWidth)}"${dashes}${joined}${capped}`;
  }
  fill(path?: unknown): void {
    // A path made elsewhere says its text: a browser's path cannot be read.
    const d = typeof path === 'object' && path !== null && 'd' in path ? String(path.d) : this.d;
    if (d !== '') this.put(`<path d="${escaped(d)}" fill="${escaped(this.s.fillStyle)}"${this.placed()}/>`);
  }
  stroke(): void {
    if (this.d !== '') this.put(`<path d="${this.d}"${this.stroked()}${this.placed()}/>`);
  }
  private box(x: number, y: number, w: number, h: number): string {
    const [left, top] = [Math.min(x, x + w), Math.min(y, y + h)];
    return `<rect x="${tidy(left)}" y="${tidy(top)}" width="${tidy(Math.abs(w))}" height="${tidy(Math.abs(h))}"`;
  }
  fillRect(x: number, y: number, w: number, h: number): void {
    if (w !== 0 && h !== 0) this.put(`${this.box(x, y, w, h)} fill="${escaped(this.s.fillStyle)}"${this.placed()}/>`);
  }
  strokeRect(x: number, y: number, w: number, h: number): void {
    this.put(`${this.box(x, y, w, h)}${this.stroked()}${this.placed()}/>`);
  }
  measureText(text: string): { readonly width: number } {
    return { width: this.measure(text, this.s.font) };
  }
  fillText(text: string, x: number, y: number): void {
    if (text === '') return;
    const { font, textAlign, fillStyle } = this.s;
    const [, weight = '400', size = '11', family = 'sans-serif'] = /^(?:(\d+) )?([\d.]+)px (.*)$/.exec(font) ?? [];
    const anchors: Readonly<Record<string, string>> = { right: 'end', end: 'end', center: 'middle' };
    const anchor = anchors[textAlign] === undefined ? '' : ` text-anchor="${anchors[textAlign]}"`;
    const look = ` font-family="${escaped(family)}" font-size="${size}"${weight === '400' ? '' : ` font-weight="${weight}"`}`;
    // As wide as measured, wherever the font is another one.
    const wide = ` textLength="${tidy(this.measure(text, font))}" lengthAdjust="spacingAndGlyphs"`;
    this.put(
      `<text x="${tidy(x)}" y="${tidy(y)}"${look}${anchor}${wide} fill="${escaped(fillStyle)}"${this.placed()}>${escaped(text)}</text>`,
    );
  }
}

const STATE: ReadonlySet<string> = new Set([
  'fillStyle',
  'strokeStyle',
  'lineWidth',
  'lineJoin',
  'lineCap',
  'globalAlpha',
  'font',
  'textAlign',
  'textBaseline',
]);

/** A pen, and the text of what it has drawn: definitions, then shapes. */
export function svgPen(measure: Measure): { readonly pen: Pen; readonly body: () => string } {
  const writer = new SvgWriter(measure);
  const state = (): Record<string, unknown> => trust<Record<string, unknown>>(writer.state);
  const pen = new Proxy(writer, {
    get: (on, name) => {
      if (STATE.has(String(name))) return state()[String(name)];
      const found: unknown = Reflect.get(on, name, on);
      return typeof found === 'function' ? found.bind(on) : found;
    },
    set: (_, name, value) => {
      if (STATE.has(String(name))) state()[String(name)] = value;
      return true;
    },
  });
  const body = (): string =>
    `${writer.defs.length > 0 ? `<defs>${writer.defs.join('')}</defs>` : ''}${writer.parts.join('')}`;
  return { pen: trust<Pen>(pen), body };
}

/** The hatches of a palette for this pen, as patterns. */
export function hatchDefs(tokens: Tokens): string {
  const pattern = (name: keyof typeof NAMES, { ink, step, width, ground }: Hatch = HATCHES[name]): string =>
    `<pattern id="${NAMES[name]}" width="${step}" height="${step}" patternUnits="userSpaceOnUse">` +
    `<path d="M0 0h${step}v${step}H0Z" fill="${escaped(tokens[ink])}" opacity="${ground}"/>` +
    `<path d="M${-step / 2} ${step / 2}L${step / 2} ${-step / 2}M0 ${step}L${step} 0M${step / 2} ${1.5 * step}L${1.5 * step} ${step / 2}" ` +
    `stroke="${escaped(tokens[ink])}" stroke-width="${width}"/></pattern>`;
  return `<defs>${pattern('cached')}${pattern('void')}${pattern('wait')}</defs>`;
}
