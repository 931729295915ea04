// The text of a step of a lesson: paragraphs of words, bold words, words of the glossary and figures. And numbers with
// the units of lessons.
import { count, NBSP, type Quantity, quantity, sig3 } from './units.ts';

export type LessonPart =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'bold'; readonly parts: readonly LessonPart[] }
  /** A word of the glossary, and how it is written here. */
  | { readonly kind: 'term'; readonly name: string; readonly text: string }
  /** One of the figures of the step, by name. */
  | { readonly kind: 'figure'; readonly name: string };

const PART = /\*\*(.+?)\*\*|\[\[([^\]|]+)(?:\|([^\]]+))?\]\]|\{([a-z_]\w*)\}/g;

/** The paragraphs of a text: empty lines part them. Marks that are not closed stay as they are written. */
export function paragraphsOf(source: string): readonly (readonly LessonPart[])[] {
  return source
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replace(/\s*\n\s*/g, ' '))
    .filter((paragraph) => paragraph !== '')
    .map(partsOf);
}

/** The parts of one paragraph. */
export function partsOf(source: string): readonly LessonPart[] {
  const parts: LessonPart[] = [];
  let from = 0;
  const words = (to: number): void => {
    if (to > from) parts.push({ kind: 'words', text: source.slice(from, to) });
  };
  for (const found of source.matchAll(PART)) {
    const [all, bold, term, shown, figure] = found;
    words(found.index);
    if (bold !== undefined) parts.push({ kind: 'bold', parts: partsOf(bold) });
    else if (term !== undefined) parts.push({ kind: 'term', name: term.trim(), text: (shown ?? term).trim() });
    else if (figure !== undefined) parts.push({ kind: 'figure', name: figure });
    from = found.index + all.length;
  }
  words(source.length);
  return parts;
}

/** The figures of parts of a text, by name, in order. */
function figuresOf(parts: readonly LessonPart[]): readonly string[] {
  return parts.flatMap((part) =>
    part.kind === 'figure' ? [part.name] : part.kind === 'bold' ? figuresOf(part.parts) : [],
  );
}

/** What stands for a figure of a paragraph that is not known yet: the first such says that runs are under way. */
export function unknownSaid(
  name: string,
  paragraph: readonly LessonPart[],
  isKnown: (name: string) => boolean,
): string {
  const first = figuresOf(paragraph).find((figure) => !isKnown(figure));
  return first === name ? 'counting…' : '…';
}

/** Units of things that are counted. */
const COUNTED: ReadonlySet<string> = new Set(['', 'tokens', 'requests', 'blocks']);

/** A number with its unit, as lessons name it; a dash for a missing value. */
export const figureSaid = (value: number | null | undefined, unit: string): Quantity =>
  quantity(value, unit, (n) => (COUNTED.has(unit) && Number.isInteger(n) ? count(n) : sig3(n)));

/** The text without marks, with the values of its figures, such as for a title or a screen reader. */
export function plainText(source: string, said: (figure: string) => string): string {
  const plain = (part: LessonPart): string => {
    switch (part.kind) {
      case 'words':
      case 'term':
        return part.text;
      case 'bold':
        return part.parts.map(plain).join('');
      case 'figure':
        return said(part.name);
      default:
        return part satisfies never;
    }
  };
  return paragraphsOf(source)
    .map((parts) => parts.map(plain).join(''))
    .join(' ')
    .replaceAll(NBSP, ' ');
}
