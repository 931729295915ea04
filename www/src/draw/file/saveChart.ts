// A drawing as a file: SVG, PNG at twice its size, or its columns as CSV. Each names the chart, the run, the span and the link, so that
// it can be found again. Any drawing code can be saved: it gets a pen and a palette.

import { plain } from '../../base/units.ts';
import type { ViewColumns } from '../../base/view.ts';
import { type Palette, type Tokens, tokensOf, withHatches } from '../inks.ts';
import { font, label, shortened } from '../marks.ts';
import type { Pen } from '../pen.ts';
import { escaped, hatchDefs, type Measure, svgPalette, svgPen } from './svgPen.ts';

/** What the file says beside the drawing. */
export type About = {
  /** Such as `TTFT over time`. */
  readonly title: string;
  /** The name of the run. */
  readonly run: string;
  /** Such as `0 to 131.25 s`. */
  readonly span: string;
  readonly link: string;
};

export type Drawing = {
  readonly width: number;
  readonly height: number;
  readonly draw: (pen: Pen, palette: Palette) => void;
};

/** Room for the title above the drawing, and for the link below it. */
const HEAD = 40;
const FOOT = 20;
const MARGIN = 12;
/** Device pixels of a PNG for each pixel of the drawing. */
const SCALE = 2;

const subtitle = ({ run, span }: About): string => [run, span].filter((part) => part !== '').join(' · ');

function drawAll(pen: Pen, p: Palette, about: About, { width, height, draw }: Drawing): void {
  pen.fillStyle = p.surface;
  pen.fillRect(0, 0, width, HEAD + height + FOOT);
  pen.font = font(p, 14, 600);
  label(pen, about.title, MARGIN, 18, p.ink);
  pen.font = font(p, 11);
  const measure = (text: string): number => pen.measureText(text).width;
  label(pen, shortened(subtitle(about), width - 2 * MARGIN, measure), MARGIN, 33, p.ink2);
  pen.save();
  pen.translate(0, HEAD);
  draw(pen, p);
  pen.restore();
  pen.font = font(p, 11);
  label(pen, shortened(about.link, width - 2 * MARGIN, measure), MARGIN, HEAD + height + 14, p.ink3);
}

/** The drawing as the text of an SVG file; the whole link is in its description. */
export function chartSvg(about: About, drawing: Drawing, palette: Palette, measure: Measure): string {
  const tokens: Tokens = tokensOf(palette);
  const { pen, body } = svgPen(measure);
  drawAll(pen, svgPalette(tokens), about, drawing);
  const [w, h] = [drawing.width, HEAD + drawing.height + FOOT];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img">` +
    `<title>${escaped(`${about.title}, ${subtitle(about)}`)}</title><desc>${escaped(about.link)}</desc>` +
    `${hatchDefs(tokens)}${body()}</svg>\n`
  );
}

/** Measures texts with a canvas. */
export function canvasMeasure(): Measure {
  const pen = document.createElement('canvas').getContext('2d');
  return (text, font) => {
    if (!pen) return text.length * 6;
    pen.font = font;
    return pen.measureText(text).width;
  };
}

/** The drawing as a PNG; title, run, span and link are texts of the file too. */
export async function chartPng(about: About, drawing: Drawing, palette: Palette): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(drawing.width * SCALE);
  canvas.height = Math.round((HEAD + drawing.height + FOOT) * SCALE);
  const pen = canvas.getContext('2d');
  if (!pen) throw new Error('this browser cannot draw');
  pen.scale(SCALE, SCALE);
  drawAll(pen, withHatches(tokensOf(palette)), about, drawing);
  const made = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!made) throw new Error('this browser cannot write a PNG');
  const bytes = new Uint8Array(await made.arrayBuffer());
  const texts = { Title: about.title, Description: subtitle(about), Source: about.link };
  return new Blob([withTexts(bytes, texts)], { type: 'image/png' });
}

/** Length of a PNG's signature and header. */
const PNG_HEAD = 33;

/** A PNG with texts (iTXt) right after its header. */
export function withTexts(png: Uint8Array, texts: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const chunks = Object.entries(texts).map(([key, text]) => {
    const data = new TextEncoder().encode(`iTXt${key}\0\0\0\0\0${text}`);
    const chunk = new Uint8Array(data.length + 8);
    const view = new DataView(chunk.buffer);
    view.setUint32(0, data.length - 4);
    chunk.set(data, 4);
    view.setUint32(data.length + 4, crc32(data));
    return chunk;
  });
  const out = new Uint8Array(png.length + chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  out.set(png.subarray(0, PNG_HEAD));
  let at = Math.min(PNG_HEAD, png.length);
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  out.set(png.subarray(PNG_HEAD), at);
  return out;
}

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Columns as CSV, under comments with title, run, span and link. A missing value is an empty field. */
export function chartCsv(about: About, { names, columns }: ViewColumns): string {
  const said = [about.title, about.run, about.span, about.link].filter((line) => line !== '');
  const rows = columns[0]?.length ?? 0;
  const cell = (x: number | undefined): string => (x !== undefined && Number.isFinite(x) ? String(x) : '');
  const lines = Array.from({ length: rows }, (_, i) => columns.map((column) => cell(column[i])).join(','));
  return `${[...said.map((line) => `# ${line.replaceAll(/[\r\n]+/g, ' ')}`), names.join(','), ...lines].join('\n')}\n`;
}

/** The name of a file of a chart. */
export function fileName(about: About, ending: string): string {
  const words = `${about.run} ${about.title}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `${words.replaceAll(/^-+|-+$/g, '').slice(0, 80) || 'chart'}.${ending}`;
}

/** A span of seconds in words. */
export const spanWords = (fromS: number, toS: number): string =>
  `${plain(Number(fromS.toFixed(3)))} to ${plain(Number(toS.toFixed(3)))} s`;
