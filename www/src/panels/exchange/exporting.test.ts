import { expect, test } from 'vitest';
import type { Exported, ExportedRow } from '../../sim/exchangeTypes.ts';
import { fileSaid, numbered, sameRows, tabSaid } from './exporting.ts';

const row = (path: string, standing: ExportedRow['standing']): ExportedRow => ({
  ...{ path, ours: '', value: '', theirs: '', before: null, why: '', written: true },
  standing,
});

const FILE: Exported = {
  ...{ system: 'epp', title: 'llm-d', file_name: 'epp.yaml', language: 'yaml', not_beside: null, text: '' },
  ...{ exact: 2, near: 1, left_out: 0 },
  lines: [
    { text: 'kind: A', mark: 'same' },
    { text: 'weight: 2', mark: 'removed' },
    { text: 'weight: 4', mark: 'added' },
    { text: '# left out', mark: 'comment' },
  ],
  rows: [row('cluster.routing.weighted.scorers[0]', 'exact'), row('seed', 'exact'), row('slo', 'near')],
};

test('a tab says how many rows are exact, or why there is nothing', () => {
  expect(tabSaid(FILE)).toBe('2 of 3');
  expect(tabSaid({ ...FILE, system: 'hpa', exact: 0, near: 0 })).toBe('no scaling');
  expect(tabSaid({ ...FILE, rows: [] })).toBe('nothing');
});

test('lines that were taken away have no number and are not part of the file', () => {
  expect(numbered(FILE, true).map(({ number }) => number)).toEqual([1, undefined, 2, 3]);
  expect(numbered(FILE, false).map(({ mark }) => mark)).toEqual(['same', 'same', 'comment']);
  expect(fileSaid(FILE)).toBe('1 line changed, 1 line of comment');
});

test('an exact row is not the same if something within it, or around it, changes', () => {
  expect(sameRows(FILE, [])).toBe(2);
  expect(sameRows(FILE, ['cluster.routing.weighted.scorers[0].weight'])).toBe(1);
  expect(sameRows(FILE, ['cluster.routing', 'slo'])).toBe(1);
});
