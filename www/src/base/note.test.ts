import { describe, expect, it, test } from 'vitest';
import { hasMarks, noteParts, opening } from './note.ts';

const SCENARIOS = import.meta.glob<{ note: string }>('../../../scenarios/*.json', { eager: true });

describe('notes', () => {
  it('are words and links, in order', () => {
    expect(noteParts('At [40 s](t=38) it starts: [laps](t=46.5;select=request:74).')).toEqual([
      { text: 'At ' },
      { text: '40 s', target: { timeS: 38, request: undefined, replica: undefined } },
      { text: ' it starts: ' },
      { text: 'laps', target: { timeS: 46.5, request: 74, replica: undefined } },
      { text: '.' },
    ]);
    expect(noteParts('')).toEqual([]);
  });

  it('link to instants and requests written without markup', () => {
    const leads = (note: string) =>
      noteParts(note).flatMap(({ text, target }) => (target ? [[text, target.timeS ?? target.request]] : []));
    expect(leads('See #530 and 63 s.')).toEqual([
      ['#530', 530],
      ['63 s', 63],
    ]);
    expect(leads('At 60 s traffic rises, until 90.5 s. See 12 s, too.')).toEqual([
      ['60 s', 60],
      ['90.5 s', 90.5],
      ['12 s', 12],
    ]);
    const words = (note: string): string =>
      noteParts(note)
        .map(({ text }) => text)
        .join('');
    expect(words('See #530 and 63 s: [late](t=64).')).toBe('See #530 and 63 s: late.');
  });

  it('do not link durations', () => {
    for (const note of [
      'p99 of 2.3 s',
      'waits for 30 s',
      'the latest 30 s',
      'falls from 2 s to 1 s',
      'at 60 steps',
      'a&#39;b',
    ])
      expect(noteParts(note)).toEqual([{ text: note }]);
  });

  it('leave other links alone', () => {
    for (const note of [
      '[a](b)',
      '[a](t=-1)',
      '[a](t=3;x=1)',
      '[a](t=3;select=pool:1)',
      '[a](https://example.org)',
      'x[1] (y)',
    ])
      expect(noteParts(note)).toEqual([{ text: note }]);
  });

  for (const [file, { note }] of Object.entries(SCENARIOS))
    it(`of ${file} has only valid links`, () => {
      for (const { text, target } of noteParts(note)) if (!target) expect(text).not.toMatch(/[[\]]/);
    });
});

test('t=60 in plain words leads to its instant, and what only looks like it does not', () => {
  const links = (note: string) =>
    noteParts(note).flatMap((part) => (part.target ? [[part.text, part.target.timeS]] : []));
  expect(links('look at t=60 and t=61.5, not at seat=7')).toEqual([
    ['t=60', 60],
    ['t=61.5', 61.5],
  ]);
});

test('marks of a note are seen without reading them', () => {
  expect(hasMarks('Look.\nAt 61.9 s: it begins')).toBe(true);
  expect(hasMarks('At 61.9 s it begins')).toBe(false);
});

test('a long note begins with whole sentences and whole links, a short one is whole', () => {
  const short = 'At [60 s](t=60) it begins. Look at r2.';
  expect(opening(short)).toBe(short);
  const first = `The replica ${'waits and '.repeat(16)}waits, e.g. 1.5 times at [90 s](t=88). `;
  const long = `${first}${'Then it goes on for a while. '.repeat(12)}`;
  expect(opening(long)).toBe(first.trimEnd());
  // Lines of a user's own note are never hidden.
  const marks = `${long}\nat 12 s: it begins`;
  expect(opening(marks)).toBe(marks);
  // Nothing is hidden for the sake of a few words.
  const nearly = `${'word '.repeat(66)}end. One more sentence.`;
  expect(opening(nearly)).toBe(nearly);
});
