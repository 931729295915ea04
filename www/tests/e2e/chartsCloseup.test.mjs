// Charts that ask for more: the density of TTFT, and the run without the last edit.
import assert from 'node:assert/strict';
import { chartTool, comes, moreFigures, resting, SIX, suite } from './harness.mjs';
import { goTo } from './sharing.mjs';
import { watchCanvases } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const strip = (page) =>
  page.locator('.time-chart').filter({ has: page.locator('figcaption b').getByText('TTFT density', { exact: true }) });
const bare = (text) => text.replaceAll('\u00a0', ' ').trim();

onPage(
  'the density of TTFT counts requests, has a table, and its parts are of the window',
  async (page) => {
    await comes(
      () => strip(page).getAttribute('aria-label'),
      /^TTFT density: [\d,]+ requests by arrival, at most \d+ in a cell of [\d.]+ s\.$/,
    );
    const count = async () =>
      Number((await strip(page).getAttribute('aria-label')).match(/: ([\d,]+) /)[1].replaceAll(',', ''));
    const all = await count();
    assert.ok(all > 100, `${all}`);
    await chartTool(page, 'TTFT density as a table', strip(page));
    const table = page.getByRole('region', { name: 'TTFT density as a table' });
    await table.getByRole('columnheader', { name: 'requests' }).waitFor();
    assert.deepEqual(await violations(page, '.area'), []);
    await page.keyboard.press('Escape');
    await table.waitFor({ state: 'detached' });
    const focused = () =>
      page.evaluate(() => document.activeElement.closest('figure')?.querySelector('b')?.textContent);
    await comes(focused, 'TTFT density', 'the focus is back at the chart');
    await chartTool(page, /^Zoom in/);
    await chartTool(page, /^Zoom in/);
    await comes(async () => (await count()) < all, true, 'fewer requests arrived in the window');
  },
  { link: SIX },
);

/** The TTFT p99 of the key figures, and that before the last edit. */
const tail = (page) => page.locator('.kpi > div').filter({ hasText: 'TTFT p99' }).locator('p');
const now = async (page) => bare(await tail(page).locator('> span').first().textContent());
const was = async (page) => bare((await tail(page).locator('.figure-was').textContent()).split('←')[1]);
const chart = (page) => page.locator('[data-chart="ttft-over-time"]');
const other = async (page) =>
  / Without .*, at 60 s: p99 ([^.]+(?:\.\d+)? m?s)\.$/.exec(bare(await chart(page).getAttribute('aria-label')))?.[1];

onPage(
  'after an edit the figure before it stands beside the new one, and charts have the run without it',
  async (page) => {
    assert.equal(await page.locator('.figure-was').count(), 0);
    await watchCanvases(page);
    const before = await now(page);
    const router = page.getByRole('combobox', { name: 'Policy' }).first();
    await router.scrollIntoViewIfNeeded();
    await router.click();
    await page.getByRole('option', { name: /^Random/ }).click();
    await resting(page);
    await goTo(page, 60);
    await comes(() => was(page), before);
    await comes(async () => (await other(page)) !== undefined, true);
    const drawn = () =>
      chart(page)
        .locator('canvas')
        .evaluate((canvas) => (window.canvasTexts.get(canvas) ?? []).map(({ text }) => text));
    await comes(async () => (await drawn()).some((text) => text.startsWith('without ')), true);
    await comes(() => page.locator('.ecdf.paired').count(), 2);
    assert.deepEqual(await violations(page, '.area'), []);
    const without = await other(page);
    await page.evaluate(() => {
      location.hash = '#chat-4xh100;t=60';
    });
    await comes(() => page.locator('.figure-was, .ecdf.paired').count(), 0);
    await resting(page);
    assert.equal(await now(page), without);
  },
  { link: SIX },
);

onPage('the run without the last edit can be switched off, which stays', async (page) => {
  const command = async (words) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
  };
  await command('hide the run without');
  const router = page.getByRole('combobox', { name: 'Policy' }).first();
  await router.scrollIntoViewIfNeeded();
  await router.click();
  await page.getByRole('option', { name: /^Random/ }).click();
  await resting(page);
  await goTo(page, 60);
  assert.equal(await page.locator('.figure-was').count(), 0);
  await command('show the run without');
  await comes(() => page.locator('.kpi .figure-was').count(), 1);
  await moreFigures(page);
  await comes(() => page.locator('.kpi .figure-was').count(), 3);
});
