// Charts: which ones and their order, the window of time, files, and the marks of the selected request.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { chartTool, comes, resting, SIX, suite, toEnd } from './harness.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const titles = (page) => page.locator('.time-chart figcaption b').allTextContents();
const chosen = (page) => page.getByRole('dialog', { name: 'Charts to show' });
const FOUR = ['TTFT', 'Waiting', 'Running', 'Requests'];

/** The instants of the first and last label of the axis. */
async function axis(page) {
  const ticks = await page.locator('.time-axis > span:not(.now-chip, .cursor-chip)').allTextContents();
  return [ticks.at(0), ticks.at(-1)].map((text) => Number.parseFloat(text));
}

onPage(
  'four charts are tall enough to read; others are chosen and moved with keys, and the choice stays',
  async (page) => {
    await comes(() => titles(page), FOUR);
    for (const figure of await page.locator('.time-chart').all())
      assert.ok((await figure.boundingBox()).height >= 59, 'at least 60 px, less a fraction');
    await page.getByRole('button', { name: 'Tools of TTFT', exact: true }).focus();
    await page.keyboard.press('Enter');
    await comes(() => page.evaluate(() => document.activeElement.textContent), 'As a table');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await comes(() => page.evaluate(() => document.activeElement.textContent), 'Choose charts');
    await page.keyboard.press('Enter');
    const e2e = chosen(page).getByRole('checkbox', { name: 'E2E over time' });
    await e2e.waitFor();
    await e2e.focus();
    await page.keyboard.press('Space');
    await comes(() => titles(page), [...FOUR, 'E2E']);
    const up = chosen(page).getByRole('button', { name: 'Requests a second up' });
    await up.focus();
    await page.keyboard.press('Enter');
    await comes(() => titles(page), ['TTFT', 'Waiting', 'Requests', 'Running', 'E2E']);
    await comes(() => page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Requests a second up');
    assert.deepEqual(await violations(page, '.area'), []);
    await page.keyboard.press('Escape');
    await comes(
      () => page.evaluate(() => document.activeElement.getAttribute('aria-label')),
      'Tools of TTFT',
      'the focus is where it was',
    );
    await page.reload();
    await comes(() => titles(page), ['TTFT', 'Waiting', 'Requests', 'Running', 'E2E']);
    await resting(page);
    await chartTool(page, 'Choose charts');
    await chosen(page).getByRole('button', { name: 'Let the run decide' }).click();
    await comes(() => titles(page), FOUR);
  },
);

onPage(
  'where a pool has an autoscaler, its replicas are the first chart',
  async (page) => {
    await comes(async () => (await titles(page))[0], 'Replicas');
    await comes(
      () => page.locator('.time-chart').first().getAttribute('aria-label'),
      /^Replicas over time, now: serving [1-9]/,
    );
  },
  { link: '#day-in-ten-minutes' },
);

onPage('Ctrl and the wheel, keys and buttons zoom all charts; the wheel alone does not', async (page) => {
  await toEnd(page);
  const area = page.locator('.time-chart .plot-area').first();
  const box = await area.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, -200);
  await comes(() => axis(page), [0, 240]);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -208);
  await page.keyboard.up('Control');
  // Twice as close, around the instant under the pointer.
  await comes(
    () => page.locator('.chart-window').textContent(),
    /^60(\.\d+)? – 180(\.\d+)? s$|^5\d\.\d+ – 1[78]\d(\.\d+)? s$/,
  );
  await page.locator('.scrubber-window').waitFor();
  await page.locator('.charts-scroll').focus();
  const before = await axis(page);
  await page.keyboard.press('ArrowRight');
  await comes(async () => (await axis(page))[0] > before[0], true);
  await page.keyboard.press('0');
  await comes(() => axis(page), [0, 240]);
  await chartTool(page, /^Zoom in/);
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await comes(() => axis(page), [0, 240]);
  assert.deepEqual(await violations(page, '.area'), []);
});

onPage(
  'a chart is saved as CSV, SVG and PNG with its title, run, span and link',
  async (page) => {
    await resting(page);
    await chartTool(page, 'Save charts');
    const file = async (name) => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name, exact: true }).click();
      const saved = await download;
      return [saved.suggestedFilename(), await readFile(await saved.path())];
    };
    const [csvName, csv] = await file('TTFT as CSV');
    assert.equal(csvName, 'four-h100s-serving-llama-3-1-8b-ttft.csv');
    const lines = csv.toString().split('\n');
    assert.match(lines[0], /^# TTFT, (ms|s), log$/);
    assert.equal(lines[1], '# Four H100s serving Llama 3.1 8B');
    assert.equal(lines[2], '# 0 to 48 s');
    assert.equal(lines[3], `# ${page.url()}`);
    assert.equal(lines[4], 't_s,p50_ms,p90_ms,p99_ms,count');
    assert.ok(lines.length > 20);
    const [, svg] = await file('Timeline as SVG');
    assert.match(
      svg.toString(),
      /^<svg [^>]*><title>Timeline, Four H100s serving Llama 3\.1 8B · 0 to 48 s<\/title><desc>/,
    );
    const parsed = await page.evaluate(
      (text) => new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror')?.textContent ?? '',
      svg.toString(),
    );
    assert.equal(parsed, '');
    const [, png] = await file('TTFT distribution as PNG');
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    // The width of the header is twice that of the drawing.
    assert.equal(png.readUInt32BE(16), 1280);
    assert.ok(png.includes(`Source\0\0\0\0\0${page.url()}`));
    assert.deepEqual(await violations(page, '.area'), []);
  },
  { link: SIX },
);

onPage('the tools of a chart are seen at its title alone, and what is on stays beside it', async (page) => {
  const more = page.getByRole('button', { name: 'Tools of Waiting' });
  const opacity = () => more.evaluate((button) => getComputedStyle(button).opacity);
  assert.equal(await opacity(), '0');
  await more.focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await comes(opacity, '1', 'the focus by keys shows them');
  await page.getByRole('button', { name: 'Tools of TTFT', exact: true }).focus();
  await comes(opacity, '0');
  await page.locator('[data-chart="queue-depth"] figcaption').hover();
  await comes(opacity, '1', 'so does the pointer');
  await more.click();
  await page.getByRole('dialog', { name: 'Tools of the charts' }).waitFor();
  await more.click();
  await comes(() => page.locator('.chart-menu').count(), 0, 'the same button closes them');
  await chartTool(page, 'Theory', page.locator('[data-chart="queue-depth"]'));
  const on = page.locator('.charts figcaption').getByRole('button', { name: 'Theory', pressed: true });
  await on.click();
  await comes(() => on.count(), 0);
});

onPage(
  'where a finger is the pointer, the tools of each chart are seen',
  async (page) => {
    await page.getByRole('navigation', { name: 'View' }).getByRole('button', { name: 'Charts' }).tap();
    const more = page.getByRole('button', { name: 'Tools of TTFT', exact: true });
    await more.waitFor();
    assert.equal(await more.evaluate((button) => getComputedStyle(button).opacity), '1');
    await more.tap();
    await page.getByRole('button', { name: 'Choose charts' }).tap();
    await chosen(page).getByRole('checkbox', { name: 'E2E over time' }).tap();
    await comes(() => titles(page), [...FOUR, 'E2E']);
    assert.deepEqual(await violations(page, '.charts'), []);
  },
  { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
);
