import { expect, test } from 'vitest';
import { annotationsOf, MARK_CHARS, MOST_MARKS, withAnnotation, withoutLine } from './annotations.ts';

test('lines that begin with an instant are marks, in order of time; other text is none', () => {
  const note = 'At 60 s the queue grows.\nat 61.9 s: the queue of r2 grows\n  At 12 s: #7 arrives\nat 5 s:\nat 3: x';
  expect(annotationsOf(note)).toEqual([
    { atUs: 12_000_000, text: '#7 arrives', line: 2 },
    { atUs: 61_900_000, text: 'the queue of r2 grows', line: 1 },
  ]);
});

test('the number of marks of a note and the length of a mark have limits', () => {
  const many = Array.from({ length: MOST_MARKS + 5 }, (_, i) => `at ${i} s: ${'x'.repeat(500)}`).join('\n');
  const found = annotationsOf(many);
  expect(found).toHaveLength(MOST_MARKS);
  expect(found[0]?.text).toHaveLength(MARK_CHARS);
});

test('a mark is added as a line and taken away again', () => {
  const one = withAnnotation('', 61_900_000, ' it\nbegins ');
  expect(one).toBe('at 61.9 s: it begins');
  const two = withAnnotation('Look at r2.\n', 250_001, 'first');
  expect(two).toBe('Look at r2.\nat 0.250001 s: first');
  expect(annotationsOf(two)[0]?.atUs).toBe(250_001);
  expect(withoutLine(two, 1)).toBe('Look at r2.');
});
