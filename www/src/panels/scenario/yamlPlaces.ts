// Places in a YAML text: which part of the document a line belongs to, by its indentation alone, so that half-typed text has one too;
// and where a path of a problem stands.
import { type Document, isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { type PathStep, parsePath } from '../../base/json.ts';

/** A mark that opens a level of indentation: a key, or the dash of a list's item. */
type Mark = { readonly indent: number; readonly key: string | undefined; readonly rest: string };

/** The marks of a line: `- name: x` has two. */
function marksOf(line: string): readonly Mark[] {
  const marks: Mark[] = [];
  let indent = line.length - line.trimStart().length;
  let rest = line.slice(indent);
  while (rest.startsWith('- ') || rest === '-') {
    marks.push({ indent, key: undefined, rest: '' });
    const inner = rest.slice(1);
    indent += 1 + inner.length - inner.trimStart().length;
    rest = inner.trimStart();
  }
  const key = /^(?:"([^"]*)"|'([^']*)'|([^\s:#'"[{][^:#]*?)):(?=\s|$)(.*)$/.exec(rest);
  if (key) marks.push({ indent, key: key[1] ?? key[2] ?? key[3] ?? '', rest: (key[4] ?? '').trim() });
  return marks;
}

const isBlank = (line: string): boolean => /^\s*(#.*)?$/.test(line);

/** Whether `mark` holds what is indented like `indent`; a key may hold a list whose dashes stand below its first letter. */
function holds(mark: Mark, indent: number, isItem: boolean): boolean {
  if (mark.indent < indent) return true;
  return isItem && mark.indent === indent && mark.key !== undefined;
}

/** The path of the part that a line at `indent` belongs to, from the lines above it. */
function pathAbove(above: readonly string[], indent: number, isItem: boolean): readonly PathStep[] {
  const path: PathStep[] = [];
  let [need, item, index] = [indent, isItem, 0];
  for (const line of above.toReversed()) {
    if (isBlank(line)) continue;
    for (const mark of marksOf(line).toReversed()) {
      if (holds(mark, need, item)) {
        if (item) path.unshift(index);
        if (mark.key !== undefined) path.unshift(mark.key);
        [need, item, index] = [mark.indent, mark.key === undefined, 0];
      } else if (item && mark.key === undefined && mark.indent === need) index += 1;
    }
  }
  if (item) path.unshift(index);
  return path;
}

/** What is being typed at a caret. */
export type Typing = {
  /** The part of the document that a key typed here belongs to, or the path of the value typed here. */
  readonly path: readonly PathStep[];
  /** Whether a key is typed, or the value of one. */
  readonly what: 'key' | 'value';
  /** The typed letters before the caret. */
  readonly word: string;
};

/** What is being typed in a text at an offset. */
export function typingAt(text: string, offset: number): Typing {
  const lines = text.slice(0, offset).split('\n');
  const line = lines.at(-1) ?? '';
  const above = lines.slice(0, -1);
  const marks = marksOf(line);
  const own = marks.at(-1);
  const dashes = marks.filter((mark) => mark.key === undefined);
  const [first] = marks;
  const start = line.length - line.trimStart().length;
  const outer = pathAbove(above, first?.indent ?? start, first !== undefined && first.key === undefined);
  // Further dashes on the line each begin a list within the item.
  const base = [...outer, ...dashes.slice(1).map(() => 0)];
  if (own?.key !== undefined) return { path: [...base, own.key], what: 'value', word: own.rest };
  const word = line.trimStart().replace(/^(-\s+)+/, '');
  return { path: base, what: 'key', word };
}

/** A stretch of a text. */
export type Stretch = { readonly from: number; readonly to: number };

/** A text read once, for several questions about its places. */
export class YamlPlaces {
  private readonly document: Document.Parsed;
  private readonly length: number;

  constructor(text: string) {
    this.length = text.length;
    this.document = parseDocument(text, { lineCounter: new LineCounter() });
  }

  /** The errors of the parser. */
  errors(): readonly (Stretch & { readonly message: string })[] {
    return this.document.errors.map((error) => ({
      from: Math.min(error.pos[0], this.length),
      to: Math.min(Math.max(error.pos[1], error.pos[0] + 1), this.length),
      // The parser's own message ends with a copy of the lines.
      message: error.message.split('\n')[0] ?? error.message,
    }));
  }

  /** Where a path stands; of one that is not there, where its nearest part does. */
  of(path: string): Stretch {
    let node: unknown = this.document.contents;
    let found: Stretch = { from: 0, to: Math.min(1, this.length) };
    for (const step of parsePath(path)) {
      if (isMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
        if (!pair) break;
        found = stretchOf(pair.key) ?? found;
        node = pair.value;
      } else {
        const next: unknown =
          node instanceof Object && 'get' in node ? (node as { get: GetNode }).get(step, true) : undefined;
        if (next === undefined) break;
        found = stretchOf(next) ?? found;
        node = next;
      }
    }
    return found;
  }
}

type GetNode = (key: PathStep, keepScalar: boolean) => unknown;

function stretchOf(node: unknown): Stretch | undefined {
  const range = node instanceof Object && 'range' in node ? (node as Node).range : undefined;
  return range ? { from: range[0], to: Math.max(range[1], range[0] + 1) } : undefined;
}
