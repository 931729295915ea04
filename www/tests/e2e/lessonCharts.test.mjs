// Charts of ITL, waiting times and step time, and laws of queueing theory over times, throughput and queues.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { chartTool, comes, resting, savedReport, suite, THEMES } from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const chart = (page, title) =>
  page.locator('.time-chart').filter({ has: page.locator('figcaption b').getByText(title, { exact: true }) });
const beside = (page, title) =>
  page
    .locator('.charts-shares > .ecdf')
    .filter({ has: page.locator('figcaption b').getByText(title, { exact: true }) });
const bare = (text) => text.replaceAll('\u00a0', ' ').trim();
const said = async (figure) => bare(await figure.getAttribute('aria-label'));
const saidOf = async (figure) => bare(await figure.locator('canvas').getAttribute('aria-label'));

/** The rows of the table behind a chart, as numbers. */
async function rows(page, figure, title) {
  await chartTool(page, `${title} as a table`, figure);
  const table = page.getByRole('region', { name: /as a table$/ });
  await table.locator('tbody tr').first().waitFor();
  const cells = await table
    .locator('tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => Number(cell.textContent.replaceAll(',', '')))));
  const heads = await table.locator('th').allTextContents();
  await page.keyboard.press('Escape');
  return { heads, cells };
}

/** Three significant digits, as tables have them. */
const sig3 = (value) => Number(value.toPrecision(3));

onPage(
  'ITL and waiting times have percentiles over time and distributions, which are those of the report',
  async (page) => {
    await resting(page);
    const [itl, wait] = [chart(page, 'ITL'), chart(page, 'Waiting time')];
    await comes(() => said(itl), /^ITL over time, last 20 s: p50 [\d.]+ ms, p90 [\d.]+ ms, p99 [\d.]+ m?s\.$/);
    await comes(
      () => said(wait),
      /^Waiting time over time, last 20 s: p50 [\d.]+ m?s, p90 [\d.]+ m?s, p99 [\d.]+ m?s\.$/,
    );
    // The whole run of 20 s is within the latest 30, and it has no warm-up.
    const { latency_ms: latency } = JSON.parse(await readFile(await savedReport(page), 'utf8'));
    for (const [figure, title, of] of [
      [itl, 'ITL', latency.itl],
      [wait, 'Waiting time', latency.scheduling_delay],
    ]) {
      const { heads, cells } = await rows(page, figure, title);
      assert.deepEqual(heads, ['time s', 'p50 ms', 'p90 ms', 'p99 ms', 'count']);
      assert.ok(cells.length > 40, `${cells.length} rows`);
      assert.deepEqual(cells.at(-1).slice(0, 4), [20, sig3(of.p50), sig3(of.p90), sig3(of.p99)], title);
    }
    // The sentence of each distribution has the percentiles of the chart beside it.
    for (const [title, figure] of [
      ['ITL', itl],
      ['Waiting time', wait],
    ]) {
      const [, p50, p90, p99] = (await said(figure)).match(/p50 (.+?), p90 (.+?), p99 (.+?)\.$/);
      const things = title === 'ITL' ? 'gaps' : 'requests';
      const sentence = `Distribution of ${title}, last 20 s: half of the ${things} within ${p50}, 90 % within ${p90}, 99 % within ${p99}`;
      await comes(async () => (await saidOf(beside(page, title))).startsWith(sentence), true, sentence);
    }
    // The pointer over one chart shows its instant on both.
    const area = await wait.locator('.plot-area').boundingBox();
    await page.mouse.move(area.x + area.width / 2, area.y + area.height / 2);
    await comes(async () => bare(await itl.locator('.readouts .span').textContent()), /^30 s to (9\.9|10|10\.1) s$/);
    for (const name of THEMES) {
      await theme(page, name);
      assert.deepEqual(await violations(page, '.area'), [], name);
    }
  },
  {
    link: '#kv-pressure;run.horizon_s=20;run.warmup_s=0;t=20;charts=itl-over-time,wait-over-time,itl-ecdf,wait-ecdf',
  },
);

onPage('step time by batch size is chosen by keyboard, has a table, and is saved', async (page) => {
  await resting(page);
  await page.getByRole('button', { name: 'Tools of TTFT', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Choose charts' }).focus();
  await page.keyboard.press('Enter');
  const box = page
    .getByRole('dialog', { name: 'Charts to show' })
    .getByRole('checkbox', { name: 'Step time by batch size' });
  await box.focus();
  await page.keyboard.press('Space');
  const steps = beside(page, 'Step time');
  await comes(
    () => said(steps),
    /^Step time by running requests: the latest 2,000 of [\d,]+ steps, [\d,]+ of them with a part of a prompt\.$/,
  );
  const count = async () => Number((await said(steps)).match(/of ([\d,]+) steps/)[1].replaceAll(',', ''));
  const all = await count();
  await page.keyboard.press('Escape');
  const { heads, cells } = await rows(page, steps, 'Step time by batch size');
  assert.deepEqual(heads, ['running', 'ms', 'with a chunk']);
  assert.ok(cells.every(([running, ms, chunk]) => running > 0 && ms > 0 && [0, 1].includes(chunk)));
  // A part of the time axis has a part of the steps.
  await chartTool(page, /^Zoom in/);
  await comes(async () => (await count()) < all, true);
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await comes(count, all);
  await chartTool(page, 'Save charts');
  const file = async (kind) => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: `Step time by batch size as ${kind}`, exact: true }).click();
    return readFile(await (await download).path());
  };
  const csv = (await file('CSV')).toString().split('\n');
  assert.deepEqual([csv[0], csv[4]], ['# Step time by batch size, ms', 'running,ms,with_a_chunk']);
  assert.match((await file('SVG')).toString(), /<title>Step time by batch size, ms, Four H100s/);
  const png = await file('PNG');
  assert.equal(png.readUInt32BE(16), 1280);
  assert.deepEqual(await violations(page, '.area'), []);
});

onPage(
  'a law stands on waiting time, throughput and queue depth, and Little’s law says what it takes',
  async (page) => {
    await resting(page);
    const choice = page.getByRole('combobox', { name: 'Law of queueing theory' });
    await choice.waitFor();
    const plot = async (title) => {
      await painted(page);
      return chart(page, title).locator('.plot').screenshot();
    };
    await comes(() => choice.inputValue(), 'batch-server');
    const titles = ['Waiting time', 'Requests', 'Waiting'];
    const violated = page.locator('.theory-violated');
    // The line stands once its assumptions are checked.
    await violated.waitFor();
    const withLaw = await Promise.all(titles.map(plot));
    await choice.selectOption('little');
    await comes(async () => bare(await violated.innerText()), /^all assumptions kept/);
    await violated.click();
    await comes(
      async () => bare(await page.locator('.theory-list:popover-open').innerText()),
      /what arrives leaves again: \d+ of [\d,]+ requests are inside/,
    );
    await page.keyboard.press('Escape');
    const withLittle = await Promise.all(titles.map(plot));
    await page.getByRole('button', { name: 'Theory' }).click();
    const without = await Promise.all(titles.map(plot));
    titles.forEach((title, i) => {
      assert.ok(!withLaw[i].equals(without[i]), `${title} has a line of the batch server`);
      assert.ok(!withLittle[i].equals(without[i]), `${title} has a line of Little’s law`);
      assert.ok(!withLittle[i].equals(withLaw[i]), `${title} has another line`);
    });
  },
  { link: '#kv-pressure;t=100;theory=batch-server;charts=wait-over-time,throughput,queue-depth' },
);

onPage(
  'on a phone the charts stand below each other, and axe finds nothing',
  async (page) => {
    await resting(page);
    await comes(() => said(chart(page, 'Waiting time')), /^Waiting time over time, last \d+ s: p50/);
    await comes(() => said(beside(page, 'Step time')), /^Step time by running requests: the latest/);
    assert.deepEqual(await violations(page, '.charts'), []);
  },
  {
    link: '#embed=wait-over-time,itl-ecdf,step-time;kv-pressure;t=30',
    viewport: { width: 390, height: 844 },
  },
);
