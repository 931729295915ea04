import { expect, test } from 'vitest';
import { ownEdits, withoutNamedRun } from './listedRuns.ts';
import {
  besides,
  branched,
  NO_NAMED_RUNS,
  namedRunOf,
  namedRunsAfter,
  shownOf,
  withNamedRun,
  withSecondRun,
} from './namedRuns.ts';

const left = (document: string) => ({ document, figures: { computed_us: 9 } });

test('an edit in the past names both runs, and shows the new one', () => {
  const namedRuns = namedRunsAfter(NO_NAMED_RUNS, left('a'), 'b');
  expect(namedRuns.all.map((c) => [c.name, c.document])).toEqual([
    ['Run 1', 'a'],
    ['Run 2', 'b'],
  ]);
  expect(namedRuns.shown).toBe(2);
  const third = namedRunsAfter(namedRuns, left('b2'), 'c');
  expect(third.all.map((c) => [c.name, c.document])).toEqual([
    ['Run 1', 'a'],
    ['Run 2', 'b2'],
    ['Run 3', 'c'],
  ]);
});

test('a branch begins as the run it leaves, and its first edit in the past creates no third run', () => {
  const both = branched(NO_NAMED_RUNS, left('a'), 'a');
  expect([both.shown, both.all.map((c) => c.document)]).toEqual([2, ['a', 'a']]);
  expect(namedRunOf(both, 'a').shown).toBe(2);
  const edited = namedRunsAfter(both, left('a'), 'b');
  expect([edited.shown, edited.all.map((c) => c.document)]).toEqual([2, ['a', 'b']]);
});

test('the second run of a link is listed and not on screen', () => {
  const two = withSecondRun('a', { name: 'Random router', document: 'b' });
  expect([two.shown, two.all.map((c) => c.name)]).toEqual([1, ['Run 1', 'Random router']]);
  expect(besides(two)?.document).toBe('b');
  expect(besides(namedRunOf(two, 'b'))?.document).toBe('a');
  expect(besides(NO_NAMED_RUNS)).toBe(undefined);
});

test('a known document shows its run, another one becomes the document of the run on screen', () => {
  const namedRuns = namedRunsAfter(NO_NAMED_RUNS, left('a'), 'b');
  expect(namedRunOf(namedRuns, 'a').shown).toBe(1);
  const changed = namedRunOf(namedRuns, 'b3');
  expect([changed.shown, changed.all[1]?.document]).toEqual([2, 'b3']);
  // Figures of the run before the change no longer apply.
  const known = withNamedRun(namedRuns, 2, { figures: { computed_us: 9 } });
  expect(shownOf(namedRunOf(known, 'b'))?.figures).toEqual({ computed_us: 9 });
  expect(shownOf(namedRunOf(known, 'b3'))?.figures).toBeUndefined();
  expect(shownOf(namedRunsAfter(known, left('a'), 'b3'))?.figures).toBeUndefined();
  expect(namedRunOf(NO_NAMED_RUNS, 'b')).toBe(NO_NAMED_RUNS);
});

test('the run on screen cannot be removed, and a name stays with its run', () => {
  const namedRuns = withNamedRun(namedRunsAfter(NO_NAMED_RUNS, left('a'), 'b'), 1, { name: 'before' });
  expect(namedRuns.all[0]?.name).toBe('before');
  expect(withoutNamedRun(namedRuns, 2)).toBe(namedRuns);
  expect(withoutNamedRun(namedRuns, 1).all.map((c) => c.id)).toEqual([2]);
});

test('edits of its own are what only one of both runs has, whether it was on screen or not', () => {
  const edit = (atUs: number, rate: number) => ({ at_us: atUs, set: { rate } });
  const shown = { seed: 1, edits: [edit(1, 5), edit(2, 7)] };
  const second = withSecondRun(shown, { name: 'B', document: { seed: 2, edits: [edit(1, 5), edit(2, 8)] } }).all[1];
  const { has, lacks } = ownEdits(second?.document ?? null, shown);
  expect([has, lacks].map((all) => all.map((e) => [e.atUs, e.edit.set]))).toEqual([
    [[2, { rate: 8 }]],
    [[2, { rate: 7 }]],
  ]);
  expect(ownEdits(shown, shown)).toEqual({ has: [], lacks: [] });
});
