import { expect, test } from 'vitest';
import page from '../../../../docs/data/reproduced.json';
import { trust } from '../../base/trust.ts';
import { beyond, type ReproducedPage, ratioText, reproducedHeadline, scenarioText, withUnit } from './publishedData.ts';

const DATA = trust<ReproducedPage>(page);

test('the headline counts the figures near the published ones and the rankings that agree', () => {
  const figures = DATA.experiments.flatMap((e) => e.figures);
  const near = figures.filter((f) => !beyond(f.ratio, DATA.summary.factor));
  expect([DATA.summary.figures, DATA.summary.within]).toEqual([figures.length, near.length]);
  expect(reproducedHeadline(DATA)).toMatch(
    /^\d+ of \d+ published figures within a factor of 1.5, \d+ of \d+ rankings agree$/,
  );
});

test('every experiment has a source, a date, what differs, and a scenario that opens', async () => {
  for (const e of DATA.experiments) {
    expect(e.source, e.name).toMatch(/^https:\/\/github\.com\//);
    expect(e.date, e.name).toMatch(/^20\d\d(-\d\d)?/);
    expect(e.differs.length, e.name).toBeGreaterThan(20);
    expect(await scenarioText(e), e.name).toContain('"tokenyard"');
  }
});

test('figures beyond the factor have a reason', () => {
  for (const e of DATA.experiments)
    for (const f of e.figures)
      if (beyond(f.ratio, DATA.summary.factor)) expect(f.why, `${e.name}: ${f.figure}`).toBeTruthy();
});

test.each([
  [7049, 'tokens/s', '7,049\u00a0tokens/s'],
  [0.19, 's', '0.19\u00a0s'],
  [88.1, '', '88.1'],
])('%s %s reads %s', (x, unit, words) => {
  expect(withUnit(x, unit)).toBe(words);
});

test.each([
  [0.86, '0.86×', false],
  [1.74, '1.74×', true],
  [0.33, '0.33×', true],
  [undefined, '–', false],
])('a ratio of %s reads %s', (ratio, words, far) => {
  expect([ratioText(ratio), beyond(ratio ?? 1, 1.5)]).toEqual([words, far]);
});
