import { describe, expect, it } from 'vitest';
import { noteParts } from './note.ts';

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

  it('leave alone what is no link of theirs', () => {
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
    it(`of ${file} has no link that does not read`, () => {
      for (const { text, target } of noteParts(note)) if (!target) expect(text).not.toMatch(/[[\]]/);
    });
});
