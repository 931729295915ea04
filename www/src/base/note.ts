// Notes of scenarios: plain words, with links that take the run to an instant and select something.
//
// `[words](t=60;select=request:74)`: keys and values as in the link of a scenario. What reads otherwise stays as it is written.

export type NoteTarget = {
  readonly timeS: number;
  readonly request: number | undefined;
  readonly replica: number | undefined;
};
export type NotePart = { readonly text: string; readonly target?: NoteTarget };

const LINK = /\[([^[\]]+)\]\(([^()]*)\)/g;

/** The words of a note in order, and where those that are links lead. */
export function noteParts(note: string): NotePart[] {
  const parts: NotePart[] = [];
  let end = 0;
  for (const found of note.matchAll(LINK)) {
    const [all, text = '', wanted = ''] = found;
    const target = readTarget(wanted);
    if (!target) continue;
    if (found.index > end) parts.push({ text: note.slice(end, found.index) });
    parts.push({ text, target });
    end = found.index + all.length;
  }
  if (end < note.length) parts.push({ text: note.slice(end) });
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
