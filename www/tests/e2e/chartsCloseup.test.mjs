// Charts that ask for close-ups: the density of TTFT, and figures before and after an edit.
import assert from 'node:assert/strict';
import { comes, resting, suite } from './harness.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const strip = (page) =>
  page.locator('.time-chart').filter({ has: page.locator('figcaption b').getByText('TTFT density', { exact: true }) });
const bare = (text) => text.replaceAll('\u00a0', ' ').trim();

onPage('the density of TTFT counts requests, has a table, and its parts are of the window', async (page) => {
  await comes(
    () => strip(page).getAttribute('aria-label'),
    /^TTFT density: [\d,]+ requests by arrival, at most \d+ in a cell of [\d.]+ s\.$/,
  );
  const count = async () =>
    Number((await strip(page).getAttribute('aria-label')).match(/: ([\d,]+) /)[1].replaceAll(',', ''));
  const all = await count();
  assert.ok(all > 100, `${all}`);
  await strip(page).getByRole('button', { name: 'TTFT density as a table' }).click();
  const table = page.getByRole('region', { name: 'TTFT density as a table' });
  await table.getByRole('columnheader', { name: 'requests' }).waitFor();
  assert.deepEqual(await violations(page, '.area'), []);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await comes(async () => (await count()) < all, true, 'fewer requests arrived in the window');
});

onPage(
  'an edit has figures before and after it: two curves, differences, both spans and their requests',
  async (page) => {
    await resting(page);
    await page.getByRole('button', { name: 'Before and after' }).click();
    const pairs = page.locator('.ecdf.paired');
    await comes(() => pairs.count(), 2);
    const said = await pairs.first().locator('canvas').getAttribute('aria-label');
    assert.match(
      bare(said),
      /^Distribution of TTFT before and after the edit, [\d.]+–60 s, n = [\d,]+ → 60–[\d.]+ s, n = [\d,]+: p50 [+−]/,
    );
    const spans = bare(await page.locator('.chart-tools > .chart-window').textContent());
    assert.ok(bare(said).includes(spans), `${said}: ${spans}`);
    const [, p99] = await pairs.first().locator('.readouts > span').allTextContents();
    const figure = page.locator('.kpi > div').filter({ hasText: 'TTFT p99' }).locator('small').first();
    await comes(async () => bare(await figure.textContent()), `${bare(p99).replace('p99 ', '')} by the edit at 60 s`);
    assert.deepEqual(await violations(page, '.area'), []);
    await page.getByRole('button', { name: 'Before and after' }).click();
    await comes(() => pairs.count(), 0);
  },
  { link: '#chat-4xh100;t=100' },
);
