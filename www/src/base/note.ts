// Notes of scenarios: plain words, with links that take the run to an instant and select something.
//
// `[words](t=60;select=request:74)`: keys and values as in the link of a scenario. Of what is written without that, `at 63 s` leads
// to its instant and `#530` to its request; a duration, such as `for 30 s`, leads nowhere. What reads otherwise stays as it is written.

export type NoteTarget = {
  /** Where the run is taken; it stays where it is without. */
  readonly timeS: number | undefined;
  readonly request: number | undefined;
  readonly replica: number | undefined;
};
export type NotePart = { readonly text: string; readonly target?: NoteTarget };

/** Seconds after a word that says that they are an instant, and requests. */
const PLAIN =
  /(?<=\b(?:at|until|till|since|around|near|before|after|see) |#\d{1,9},? (?:and|at) )\d{1,9}(?:\.\d{1,6})? s\b|(?<![\w&])#\d{1,9}\b/gi;
const LINK = /\[([^[\]]+)\]\(([^()]*)\)/g;

/** The words of a note in order, and where those that are links lead. */
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

/** Words without links of their own: with those that say where they lead. */
function plainParts(words: string): NotePart[] {
  const parts: NotePart[] = [];
  let end = 0;
  for (const { 0: text, index } of words.matchAll(PLAIN)) {
    if (index > end) parts.push({ text: words.slice(end, index) });
    const request = text.startsWith('#') ? Number(text.slice(1)) : undefined;
    const timeS = request === undefined ? Number(text.slice(0, -2)) : undefined;
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
