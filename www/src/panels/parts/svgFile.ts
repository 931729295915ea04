// A drawing of the page as an SVG file: with its styles in it, a title and sentences above, and the link below.
import { canvasMeasure } from '../../draw/file/saveChart.ts';
import { escaped } from '../../draw/file/svgPen.ts';

export type SvgAbout = { readonly title: string; readonly sentences: string; readonly link: string };

/** The styles that the file keeps. */
const STYLES = [
  ...['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity'],
  ...['font-family', 'font-size', 'font-weight', 'text-anchor'],
] as const;
const MARGIN = 12;
const LINE = 15;
const HEAD = 24;
const FOOT = 18;

/** Words in lines of at most this width. */
export function linesOf(words: string, width: number, measure: (text: string) => number): readonly string[] {
  const lines: string[] = [];
  for (const word of words.split(' ').filter((one) => one !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && measure(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export function svgFile(drawing: SVGSVGElement, { title, sentences, link }: SvgAbout): string {
  const { width: w, height: h } = drawing.viewBox.baseVal;
  const body = getComputedStyle(document.body);
  const token = (name: string): string => body.getPropertyValue(name).trim();
  const family = body.fontFamily.replaceAll('"', "'");
  const measured = canvasMeasure();
  const lines = linesOf(sentences, w, (text) => measured(text, `400 11px ${family}`));
  const top = HEAD + lines.length * LINE;
  const [width, height] = [w + 2 * MARGIN, top + h + FOOT];
  const text = (words: string, y: number, size: number, ink: string): string =>
    `<text x="${MARGIN}" y="${y}" font-family="${escaped(family)}" font-size="${size}" ` +
    `font-weight="${size > 11 ? 600 : 400}" fill="${token(ink)}">${escaped(words)}</text>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width * 2}" height="${height * 2}" ` +
    `viewBox="0 0 ${width} ${height}" role="img"><title>${escaped(`${title}. ${sentences}`)}</title>` +
    `<desc>${escaped(link)}</desc><rect width="${width}" height="${height}" fill="${token('--surface')}"/>` +
    text(title, 18, 14, '--ink') +
    lines.map((line, i) => text(line, HEAD + 11 + i * LINE, 11, '--ink-2')).join('') +
    `<g transform="translate(${MARGIN} ${top})">${styled(drawing)}</g></svg>\n`
  );
}

/** What is in a drawing, each element with its own styles. */
function styled(drawing: SVGSVGElement): string {
  const copy = document.createElement('div');
  copy.innerHTML = drawing.innerHTML;
  const from = drawing.querySelectorAll('*');
  copy.querySelectorAll('*').forEach((element, i) => {
    const original = from[i];
    if (!original) return;
    const style = getComputedStyle(original);
    for (const name of ['class', 'data-us']) element.removeAttribute(name);
    if (original.tagName === 'title') return;
    // As attributes: the page's policy has no styles in elements.
    for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name).replaceAll('"', "'"));
  });
  return new XMLSerializer()
    .serializeToString(copy)
    .replace(/^<div[^>]*>/, '')
    .replace(/<\/div>$/, '');
}
