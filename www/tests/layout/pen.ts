// A pen that records the positions of text instead of painting it, so that drawings can be checked without a browser.
import { trust } from '../../src/base/trust.ts';
import type { Palette } from '../../src/draw/inks.ts';
import type { Pen } from '../../src/draw/pen.ts';

/** One drawn text and the box of its glyphs. */
export type Label = {
  readonly text: string;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
};

/** Advance widths of Inter at 12 px in thousandths of an em, each after its character: regular, then semibold. */
const REGULAR = `
  0648 1648 2648 3648 4648 5648 6648 7648 8648 9648 !288 "466 #633 $642 %982 &644 '300 (391 )391 *648 +648 ,269
  -648 .269 /360 :269 ;269 <648 =648 >648 ?511 @966 A704 B654 C730 D722 E601 F590 G746 H743 I269 J571 K672 L565
  M903 N753 O765 P639 Q765 R644 S642 T646 U744 V704 W1010 X682 Y679 Z629 [391 \\312 ]391 ^471 _456 \`323 a562 b612
  c571 d612 e583 f331 g613 h591 i242 j242 k549 l242 m876 n591 o600 p612 q612 r392 s528 t327 u591 v562 w818 x546
  y562 z552 {391 |333 }391 ~648 ·288 –500 →838 …864 ≤838 ×648 −648`;
const SEMIBOLD = `
  0647 1647 2647 3647 4647 5647 6647 7647 8647 9647 !321 "523 #644 $650 %1004 &663 '326 (391 )391 *647 +647 ,269
  -647 .269 /379 :269 ;269 <647 =647 >647 ?543 @999 A742 B659 C737 D722 E605 F588 G749 H746 I277 J580 K703 L565
  M922 N759 O769 P645 Q773 R652 S650 T660 U736 V742 W1042 X720 Y713 Z652 [391 \\331 ]391 ^481 _469 \`351 a574 b624
  c583 d624 e591 f348 g625 h612 i262 j262 k569 l262 m900 n612 o609 p624 q624 r407 s549 t346 u612 v587 w839 x569
  y588 z566 {391 |359 }391 ~647 ·319 –500 →838 …956 ≤838 ×647 −647`;

const table = (text: string): ReadonlyMap<string, number> =>
  new Map([
    [' ', 269],
    ['\u00a0', 269],
    ...text
      .trim()
      .split(/\s+/)
      .map((one): [string, number] => [one.slice(0, 1), Number(one.slice(1))]),
  ]);
const WIDTHS = { regular: table(REGULAR), semibold: table(SEMIBOLD) } as const;

/** Width of a text in a canvas font such as `600 11px Inter`. */
export function widthOf(text: string, font: string): number {
  const widths = font.startsWith('600') ? WIDTHS.semibold : WIDTHS.regular;
  let sum = 0;
  for (const c of text) sum += widths.get(c) ?? 700;
  return (sum * sizeOf(font)) / 1000;
}

const sizeOf = (font: string): number => Number(/(\d+)px/.exec(font)?.[1] ?? 11);

/** A pen that supports fonts and records texts, and ignores all other drawing. */
export function recordingPen(): { readonly pen: Pen; readonly labels: Label[] } {
  const labels: Label[] = [];
  const state = { font: '400 11px Inter', textAlign: 'left', x: 0, y: 0 };
  const saved: { x: number; y: number }[] = [];
  const known: Record<string, unknown> = {
    measureText: (text: string) => ({ width: widthOf(text, state.font) }),
    fillText: (text: string, x: number, y: number) => {
      if (text === '') return;
      const w = widthOf(text, state.font);
      const size = sizeOf(state.font);
      const left = x + state.x - (state.textAlign === 'right' ? w : state.textAlign === 'center' ? w / 2 : 0);
      const below = /[gjpqyQ,;()/|]/.test(text) ? 0.21 : 0.01;
      labels.push({ text, x0: left, x1: left + w, y0: y + state.y - 0.74 * size, y1: y + state.y + below * size });
    },
    save: () => saved.push({ x: state.x, y: state.y }),
    restore: () => Object.assign(state, saved.pop()),
    translate: (x: number, y: number) => {
      state.x += x;
      state.y += y;
    },
  };
  const nothing = (): void => undefined;
  const pen = new Proxy(known, {
    get: (_, name) => (name === 'font' ? state.font : (known[String(name)] ?? nothing)),
    set: (_, name, value) => {
      if (name === 'font' || name === 'textAlign') state[name] = String(value);
      return true;
    },
  });
  return { pen: trust<Pen>(pen), labels };
}

/** A palette with placeholder colours; only light and dark differ. */
export function plainPalette(dark: boolean): Palette {
  const known: Record<string, unknown> = { dark, font: 'Inter' };
  return trust<Palette>(new Proxy(known, { get: (_, name) => known[String(name)] ?? `${dark} ${String(name)}` }));
}

/** Pairs of overlapping texts: the boxes of their glyphs share more than a hairline. */
export function overprinted(labels: readonly Label[]): string[] {
  const out: string[] = [];
  const sorted = labels.toSorted((a, b) => a.y0 - b.y0);
  sorted.forEach((a, i) => {
    for (let k = i + 1; k < sorted.length; k++) {
      const b = sorted[k];
      if (!b || b.y0 > a.y1 - 0.5) break;
      if (Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0) > 0.5) out.push(`${show(a)} on ${show(b)}`);
    }
  });
  return out;
}

/** Texts that leave the canvas. */
export function outside(labels: readonly Label[], width: number, height: number): string[] {
  return labels.filter((l) => l.x0 < 0 || l.y0 < 0 || l.x1 > width || l.y1 > height).map(show);
}

/** Texts that overlap the border of a box. */
export function onBorder(
  labels: readonly Label[],
  boxes: readonly { readonly x: number; readonly y: number; readonly w: number; readonly h: number }[],
): string[] {
  const across = (l: Label): boolean =>
    boxes.some((b) => {
      const touches = l.x1 > b.x && l.x0 < b.x + b.w && l.y1 > b.y && l.y0 < b.y + b.h;
      const within = l.x0 >= b.x + 1 && l.x1 <= b.x + b.w - 1 && l.y0 >= b.y + 1 && l.y1 <= b.y + b.h - 1;
      return touches && !within;
    });
  return labels.filter(across).map(show);
}

function show(l: Label): string {
  return `"${l.text}" (${[l.x0, l.y0, l.x1, l.y1].map(Math.round).join(' ')})`;
}
