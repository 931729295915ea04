// Annotations: lines of a note that begin with an instant, such as `at 61.9 s: the queue grows`. They are marks on the
// timeline and over the charts, and travel with the note.

/** A mark, and the number of its line in the note. */
export type Annotation = { readonly atUs: number; readonly text: string; readonly line: number };

/** Most marks of a note; further lines stay text. */
export const MOST_MARKS = 50;
/** Most characters of the text of a mark. */
export const MARK_CHARS = 160;

const LINE = /^\s*at (\d{1,9}(?:\.\d{1,6})?) s:\s*(\S.*)$/i;

/** The marks of a note by their instants. */
export function annotationsOf(note: string): readonly Annotation[] {
  const found: Annotation[] = [];
  for (const [line, text] of note.split('\n').entries()) {
    const [, seconds, words] = LINE.exec(text) ?? [];
    if (seconds === undefined || words === undefined || found.length === MOST_MARKS) continue;
    found.push({ atUs: Math.round(Number(seconds) * 1e6), text: words.trim().slice(0, MARK_CHARS), line });
  }
  return found.toSorted((a, b) => a.atUs - b.atUs);
}

/** The note with one more mark, after its other lines. */
export function withAnnotation(note: string, atUs: number, text: string): string {
  const words = text.replace(/\s+/g, ' ').trim().slice(0, MARK_CHARS);
  const line = `at ${Number((atUs / 1e6).toFixed(6))} s: ${words}`;
  return note.trim() === '' ? line : `${note.trimEnd()}\n${line}`;
}

/** The note without one of its lines. */
export function withoutLine(note: string, line: number): string {
  return note
    .split('\n')
    .filter((_, i) => i !== line)
    .join('\n');
}
