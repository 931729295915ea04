import { expect, test } from 'vitest';
import { trust } from '../../base/trust.ts';
import type { Imported } from '../../sim/exchangeTypes.ts';
import {
  applySaid,
  footSaid,
  groupsOf,
  keysSaid,
  memorySaid,
  newSaid,
  plainValue,
  recognised,
  unsaid,
} from './words.ts';

const COUNTS = { exact: 15, near: 3, ignored: 3, unknown: 1, conflict: 2, shape: 20 };
const NOTHING: Imported = {
  ...{ documents: [], keys: [], conflicts: [], changes: [], memory: [], warnings: [], problems: [] },
  ...{ counts: COUNTS, scenario: '', new_scenario: { scenario: '', traffic: null, problems: [] } },
};
const CHANGE = { field: 'seed', before: '1', after: '2', effect: 'live' };

test('the lines over the two sides count documents and keys', () => {
  expect(recognised(0)).toBe('read in this tab, sent nowhere');
  expect(recognised(1)).toBe('one document recognised, read in this tab, sent nowhere');
  expect(recognised(13)).toMatch(/^13 documents/);
  expect(keysSaid(COUNTS)).toBe('44 keys: 24 say something, 20 give shape');
});

test('the foot says what keeps the import from being applied', () => {
  const conflict = { field: 'seed', choices: [], chosen: null, note: '' };
  const problem = { severity: 'error', path: '', found: 'x', allowed: '', fix: '' } as const;
  expect(footSaid(NOTHING, 0)).toBe('The same as this scenario.');
  expect(footSaid({ ...NOTHING, conflicts: [conflict] }, 0)).toBe('Settle 1 conflict first.');
  expect(footSaid({ ...NOTHING, problems: [problem], conflicts: [conflict] }, 0)).toBe('1 problem to mend first.');
  expect(footSaid({ ...NOTHING, changes: [CHANGE] }, 2)).toBe('You settled 2 conflicts.');
  expect(footSaid({ ...NOTHING, changes: [CHANGE] }, 0)).toBe('');
});

test('the buttons say what they do to the run, and the foot what keeps a new scenario from being made', () => {
  expect(applySaid({ ...NOTHING, changes: [CHANGE] }, 48_000_000)).toBe('Apply to this fleet at 48.0 s');
  expect(applySaid({ ...NOTHING, changes: [{ ...CHANGE, effect: 'restart' }] }, 0)).toBe(
    'Apply to this fleet and restart',
  );
  const conflict = { field: 'seed', choices: [], chosen: null, note: '' };
  const problem = { severity: 'error', path: 'a', found: 'x', allowed: 'y', fix: 'z' } as const;
  expect(applySaid({ ...NOTHING, conflicts: [conflict] }, 0)).toBe('Settle 1 conflict first');
  const refused = { ...NOTHING, new_scenario: { scenario: '', traffic: null, problems: [problem] } };
  expect(newSaid(refused, 0)).toMatch(/^As a new scenario: .*x/);
  expect(newSaid({ ...refused, conflicts: [conflict] }, 0)).toBe('');
  expect(newSaid(NOTHING, 0)).toBe('');
  expect(newSaid(NOTHING, 1)).toMatch(/plain numbers/);
});

test('changes are parted by when they take effect', () => {
  const groups = groupsOf([{ ...CHANGE, effect: 'replace' }, CHANGE, { ...CHANGE, effect: 'at dawn' }]);
  expect(groups.map(({ title }) => title)).toEqual(['at once', 'new replicas start, the old ones drain', 'further']);
});

test('values of a document are shown without the marks of JSON', () => {
  expect(plainValue('{"weighted":{"scorers":[{"scorer":"a","weight":2}]}}')).toBe(
    'weighted scorers scorer a, weight 2',
  );
  expect(plainValue('a:b')).toBe('a:b');
});

test('the sentence of a memory says what the GPUs of a replica hold together', () => {
  const shares = { total_gib: 79.1, weights_gib: 30.5, kv_gib: 36.36, activations_gib: 4.3, free_gib: 7.9 };
  const of = (more: object) => ({ pool: 'a', shares: { ...shares, gpus: 2, blocks: 37_228, block_mib: 2, ...more } });
  expect(memorySaid(of({}))).toBe('two GPUs hold 72.7 GiB of KV: 37,228 blocks of 2.00 MiB');
  expect(memorySaid(of({ gpus: 1 }))).toMatch(/^one GPU holds 36\.4 GiB/);
  expect(memorySaid(of({ free_gib: -1 }))).toBe('It does not fit.');
});

test('a warning about an unknown key stands in its row alone', () => {
  const key = { key: 'plugins.0.weights', standing: 'unknown' as const };
  const said = { path: 'line 6: plugins.0.weights', text: 'x' };
  const other = { path: 'cluster.pools', text: 'y' };
  const found = trust<Imported>({ keys: [key], warnings: [said, other] });
  expect(unsaid(found).map(({ path }) => path)).toEqual(['cluster.pools']);
});
