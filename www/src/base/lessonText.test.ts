import { expect, test } from 'vitest';
import { figureSaid, paragraphsOf, partsOf, plainText, unknownSaid } from './lessonText.ts';
import { text } from './units.ts';

test('empty lines part paragraphs, and lines within one are joined', () => {
  expect(paragraphsOf('One,\n  two.\n\nThree.\n')).toEqual([
    [{ kind: 'words', text: 'One, two.' }],
    [{ kind: 'words', text: 'Three.' }],
  ]);
});

test('bold words, words of the glossary and figures are parts of their own', () => {
  expect(partsOf('At **{rate}** the [[utilisation]] grows, [[KV cache|the cache]] too.')).toEqual([
    { kind: 'words', text: 'At ' },
    { kind: 'bold', parts: [{ kind: 'figure', name: 'rate' }] },
    { kind: 'words', text: ' the ' },
    { kind: 'term', name: 'utilisation', text: 'utilisation' },
    { kind: 'words', text: ' grows, ' },
    { kind: 'term', name: 'KV cache', text: 'the cache' },
    { kind: 'words', text: ' too.' },
  ]);
});

test('the first figure of a paragraph that is not known yet says that it is counted, the others are left open', () => {
  const parts = partsOf('Here **{rate}** × {stay} = {held}.');
  const said = (known: readonly string[]) =>
    ['rate', 'stay', 'held'].map((name) => unknownSaid(name, parts, (figure) => known.includes(figure)));
  expect(said([])).toEqual(['counting…', '…', '…']);
  expect(said(['rate']).slice(1)).toEqual(['counting…', '…']);
});

test('marks that are not closed stay words', () => {
  expect(partsOf('2 ** 3 and [[open')).toEqual([{ kind: 'words', text: '2 ** 3 and [[open' }]);
});

test('a text is plain for a screen reader, with its figures', () => {
  expect(plainText('Calm **is** {calm},\n[[TTFT|the wait]] too.', () => '114 ms')).toBe(
    'Calm is 114 ms, the wait too.',
  );
});

test.each([
  [113.8763, 'ms', '114\u00a0ms'],
  [1650, 'ms', '1.65\u00a0s'],
  [0.9, '%', '90\u00a0%'],
  [0.021, '%', '2.1\u00a0%'],
  [2.467, '×', '2.47\u00a0×'],
  [30.64, 'req/s', '30.6\u00a0req/s'],
  [4096, 'tokens', '4,096\u00a0tokens'],
  [7, '', '7'],
  [null, 'ms', '–'],
  [Number.NaN, '', '–'],
])('%s in %s is %s', (value, unit, said) => {
  expect(text(figureSaid(value, unit))).toBe(said);
});
