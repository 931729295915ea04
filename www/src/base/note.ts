// Notes of scenarios: plain text, with links that take the run to an instant and select something.
//
// `[words](t=60;select=request:74)`: keys and values as in the link of a scenario. Without markup, `at 63 s` and `t=63` link
// to their instant and `#530` to its request; a duration, such as `for 30 s`, is no link. All other text stays as written.

export type NoteTarget = {
  /** The instant of the link; without one the run stays. */
  readonly timeS: number | undefined;
  readonly request: number | undefined;
  readonly replica: number | undefined;
};
export type NotePart = { readonly text: string; readonly target?: NoteTarget };

/** Seconds after a word that marks them as an instant, and requests. */
const PLAIN =
  /(?<=\b(?:at|until|till|since|around|near|before|after|see) |#\d{1,9},? (?:and|at) )\d{1,9}(?:\.\d{1,6})? s\b|(?<![\w(;])t=\d{1,9}(?:\.\d{1,6})?\b|(?<![\w&])#\d{1,9}\b/gi;
const LINK = /\[([^[\]]+)\]\(([^()]*)\)/g;

/** Whether a note has marks: lines that begin with an instant, as annotations.ts reads them. */
export const hasMarks = (note: string): boolean => /^\s*at \d[\d.]* s:/im.test(note);

/** A note longer than this is shortened to its first sentences, about as many characters as the second number. */
const LONG = 330;
const OPENING = 170;

/** The first sentences of a long note; a short one, or one with lines of its own, is whole. */
export function opening(note: string): string {
  if (note.length <= LONG || note.includes('\n')) return note;
  for (const { index } of note.matchAll(/[.!?](?= [A-Z[#])/g)) {
    const head = note.slice(0, index + 1);
    // A link is never cut.
    const whole = head.split('[').length === head.split(')').length || head.lastIndexOf(')') > head.lastIndexOf('[');
    if (index >= OPENING && whole) return head.length > note.length - 60 ? note : head;
  }
  return note;
}

/** The parts of a note in order, with the targets of links. */
export function noteParts(note: string): NotePart[] {
  const parts: NotePart[] = [];
  let end = 0;
  for (const found of note.matchAll(LINK)) {
    const [all, text = '', wanted = ''] = found;
    const target = readTarget(wanted);
    if (!target) continue;
    parts.push(...plainParts(note.slice(end, found.index)));
    parts.push({ text, target });
    end = found.index + all.length;
  }
  parts.push(...plainParts(note.slice(end)));
  return parts;
}

/** Adds links to instants and requests in text without markup. */
function plainParts(words: string): NotePart[] {
  const parts: NotePart[] = [];
  let end = 0;
  for (const { 0: text, index } of words.matchAll(PLAIN)) {
    if (index > end) parts.push({ text: words.slice(end, index) });
    const request = text.startsWith('#') ? Number(text.slice(1)) : undefined;
    const timeS = request === undefined ? Number(/[\d.]+/.exec(text)?.[0]) : undefined;
    parts.push({ text, target: { timeS, request, replica: undefined } });
    end = index + text.length;
  }
  if (end < words.length) parts.push({ text: words.slice(end) });
  return parts;
}

function readTarget(text: string): NoteTarget | undefined {
  const said = new Map(text.split(';').map((part) => [part.split('=')[0], part.split('=')[1] ?? '']));
  const time = said.get('t') ?? '';
  const select = said.get('select');
  const selected = select === undefined ? undefined : /^(request|replica):(\d{1,9})$/.exec(select);
  const known = [...said.keys()].every((key) => key === 't' || key === 'select');
  if (!known || !/^\d{1,9}(\.\d{1,6})?$/.test(time) || selected === null) return undefined;
  const number = selected?.[2] === undefined ? undefined : Number(selected[2]);
  return {
    timeS: Number(time),
    request: selected?.[1] === 'request' ? number : undefined,
    replica: selected?.[1] === 'replica' ? number : undefined,
  };
}
