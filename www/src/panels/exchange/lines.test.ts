import { expect, test } from 'vitest';
import type { Imported, ImportedKey } from '../../sim/exchangeTypes.ts';
import { keyAt, lastName, linesOf, readAs, shortName } from './lines.ts';

const TEXT = 'kind: A\n  size: 4, weight: 2\n---\nkind: B\nnear: yes';

function key(some: Partial<ImportedKey>): ImportedKey {
  const none = { document: 0, line: 1, from: 0, to: 0, key: '', found: '', field: '', value: '', becomes: '' };
  return { ...none, nearest: '', standing: 'exact', ...some };
}

const FOUND: Pick<Imported, 'documents' | 'keys'> = {
  documents: [
    {
      title: 'A',
      detail: '',
      file: 'pasted',
      first_line: 1,
      lines: ['kind: A', '  size: 4, weight: 2'],
      is_read: true,
    },
    { title: 'B', detail: '', file: 'pasted', first_line: 4, lines: ['kind: B', 'near: yes'], is_read: true },
  ],
  keys: [
    key({ line: 1, from: 0, to: 7, standing: 'shape', key: 'kind' }),
    key({ line: 2, from: 2, to: 9, standing: 'exact', key: 'size' }),
    key({ line: 2, from: 11, to: 20, standing: 'unknown', key: 'spec[0].weight', nearest: 'spec[0].weights' }),
    key({ document: 1, line: 2, from: 0, to: 9, standing: 'near', key: 'near' }),
  ],
};

test('lines are numbered in their document, and have the worst of their keys', () => {
  const lines = linesOf('pasted', TEXT, FOUND);
  expect(lines.map(({ number }) => number)).toEqual([1, 2, undefined, 1, 2]);
  expect(lines.map(({ heads }) => heads)).toEqual([undefined, undefined, 1, undefined, undefined]);
  expect(lines.map(({ worst }) => worst)).toEqual([undefined, 'unknown', undefined, undefined, 'near']);
});

test('the parts of a line are the line', () => {
  const lines = linesOf('pasted', TEXT, FOUND);
  expect(lines.map(({ parts }) => parts.map(({ text }) => text).join('')).join('\n')).toBe(TEXT);
  expect(lines[1]?.parts.map(({ key: k }) => k)).toEqual([undefined, 1, undefined, 2]);
});

test.each([
  ['replicas: 4', 8, '4', 'replicas: 4'],
  ['{size: 4, more: 1}', 5, '4', '{size: 4'],
  ['block_size="16",engine="0"', 10, '16', 'block_size="16"'],
  ['--max-num-seqs 256 \\', 14, '256', '--max-num-seqs 256'],
  ['model: "a b"', 5, '"a b"', 'model: "a b"'],
  ['plugins:', 7, '2 entries', 'plugins'],
  ['weight: 2.0', 6, '2', 'weight: 2'],
])('a key of %s is marked with its value', (line, to, found, marked) => {
  const documents = [{ title: '', detail: '', file: 'a', first_line: 1, lines: [line], is_read: true }];
  const [first] = linesOf('a', line, { documents, keys: [key({ line: 1, from: 0, to, found })] })[0]?.parts ?? [];
  expect(first?.text).toBe(marked);
});

test('a line that was changed since it was read has no keys, and neither has another text', () => {
  expect(linesOf('pasted', TEXT.replace('4', '5'), FOUND)[1]?.parts).toHaveLength(1);
  expect(linesOf('other', TEXT, FOUND).every(({ parts }) => parts.length === 1)).toBe(true);
});

test('the caret is at a key, or at the only one of its line', () => {
  const lines = linesOf('pasted', TEXT, FOUND);
  expect(keyAt(lines, TEXT.indexOf('size') + 1)).toBe(1);
  expect(keyAt(lines, TEXT.indexOf('weight') + 1)).toBe(2);
  expect(keyAt(lines, 0)).toBeUndefined();
  expect(keyAt(lines, TEXT.length)).toBe(3);
});

test('a key in lists is named by what is in their entry', () => {
  expect(shortName('profiles.0.plugins.2.weight')).toBe('weight');
  expect(shortName('plugins.3.parameters.blockSizeTokens')).toBe('parameters.blockSizeTokens');
  expect(shortName('spec.maxReplicas')).toBe('spec.maxReplicas');
  expect(shortName('--max-num-seqs')).toBe('--max-num-seqs');
});

test('an unknown key is read as its nearest name', () => {
  expect(lastName('spec[0].weight')).toBe('weight');
  expect(readAs(TEXT, FOUND, 2)).toBe(TEXT.replace('weight', 'weights'));
  expect(readAs(TEXT.replace('weight', 'height'), FOUND, 2)).toBeUndefined();
  expect(readAs(TEXT, FOUND, 1)).toBeUndefined();
});
