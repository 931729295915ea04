// Two runs on the same requests, in the built page in Chromium.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { compared, comparison as panel } from './comparing.mjs';
import { cli, comes, drop, preset, resting, savedScenario, suite, write } from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { compareFits, violations } from './violations.mjs';

const onPage = suite();
async function open(page, router) {
  await page.keyboard.press('c');
  await panel(page).getByLabel('Router of B').selectOption({ label: router });
  await compared(page);
}

/** The values of a key figure in A and B, such as `9.35 s → 15.4 s`. */
const figure = (page, name) =>
  page.evaluate((wanted) => {
    const found = [...document.querySelectorAll('.compare-figures > div')].find(
      (div) => div.querySelector('dt').textContent === wanted,
    );
    return found.querySelector('.compare-ab').textContent.replaceAll('\u00a0', ' ');
  }, name);

const said = (ms) => (ms < 999.5 ? `${three(ms)} ms` : `${three(ms / 1000)} s`);
const three = (x) => (x >= 99.95 ? String(Math.round(x)) : x >= 9.995 ? x.toFixed(1) : x.toFixed(2));

onPage('a second run keeps step, and its figures are those of the command line', async (page, t) => {
  const file = await savedScenario(page);
  await open(page, 'Random');
  await panel(page).getByText('request by request').waitFor();
  await page.getByRole('button', { name: 'Run both to the end' }).click();
  await resting(page);
  await compared(page);
  await panel(page).getByRole('listitem').filter({ hasText: 'Least loaded' }).waitFor();
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  const document = JSON.parse(readFileSync(file, 'utf8'));
  document.cluster = { ...document.cluster, routing: 'random' };
  const other = write('b.json', JSON.stringify(document));
  const { metrics } = JSON.parse(run('compare', file, other, '--seeds', '1', '--json'));
  for (const [name, of] of [
    ['TTFT p99', metrics.ttft_ms.p99],
    ['TTFT p50', metrics.ttft_ms.p50],
    ['E2E p99', metrics.e2e_ms.p99],
  ])
    await comes(() => figure(page, name), `${said(of.a)} → ${said(of.b)}`, name);
});

onPage('an improvement shows in each request, and both runs have the names of their routers', async (page, t) => {
  await preset(page, 'stale-herd');
  const file = await savedScenario(page);
  await open(page, 'Least loaded');
  await page.getByRole('button', { name: 'Run both to the end' }).click();
  await resting(page);
  await compared(page);
  await panel(page).getByText('A: Least KV').waitFor();
  const p50 = panel(page).locator('.compare-figures > div').filter({ hasText: 'TTFT p50' });
  await p50.locator('.compare-verdict.better').waitFor();
  await panel(page)
    .getByText(/9\d\s% gained, .*: B is better/)
    .waitFor();
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  const args = ['--set-b', 'cluster.routing=least-loaded', '--seeds', '1', '--json'];
  const { metrics, totals } = JSON.parse(run('compare', file, file, ...args));
  assert.equal(metrics.ttft_ms.p50.verdict, 'better');
  const met = totals.met_share;
  await comes(
    () => figure(page, 'Objectives met of ended'),
    `${(100 * met.a).toFixed(1)} % → ${(100 * met.b).toFixed(1)} %`,
  );
});

onPage('with a router from the playhead on, requests are compared from there', async (page) => {
  await page.keyboard.press('c');
  await panel(page).getByRole('button', { name: 'from the playhead' }).click();
  await panel(page).getByLabel('Router of B').selectOption({ label: 'Random' });
  await compared(page);
  await page.getByRole('button', { name: 'Run both to the end' }).click();
  await resting(page);
  await panel(page)
    .getByText(/since the last difference at 48 s/)
    .waitFor();
  await panel(page).getByText('Pairs from 48 s on').waitFor();
});

onPage('a view that is open is marked in the bar, and a study without results starts with one button', async (page) => {
  await page.keyboard.press('c');
  const button = page.getByRole('banner').getByRole('button', { name: 'Compare' });
  assert.equal(await button.getAttribute('aria-pressed'), 'true');
  const ground = (of) => of.evaluate((el) => getComputedStyle(el).backgroundColor);
  assert.notEqual(
    await ground(button),
    await ground(page.getByRole('banner').getByRole('button', { name: 'Gallery' })),
  );
  await panel(page).getByRole('button', { name: 'Race', exact: true }).click();
  await panel(page)
    .getByRole('button', { name: /^Race \d+ routers/ })
    .click();
  await panel(page).getByRole('button', { name: 'Cancel' }).click();
  await comes(() => panel(page).locator('.btn.pri').count(), 1);
  await panel(page).getByRole('button', { name: 'Sweep', exact: true }).click();
  await comes(() => panel(page).locator('.btn.pri').count(), 1);
  await panel(page)
    .getByRole('button', { name: /^Start: traffic from 0\.5 to 1\.5/ })
    .click();
  await panel(page).getByRole('button', { name: 'Cancel' }).click();
});

onPage('a reload keeps the open comparison, and its B', async (page) => {
  await open(page, 'Random');
  await page.waitForFunction(() => location.hash.includes('v1.'));
  await page.reload();
  await compared(page);
  await panel(page).locator('.compare-differs').getByText('Random').waitFor();
});

onPage('before a choice, each one has a description, and one press begins B', async (page) => {
  await page.keyboard.press('c');
  const cards = panel(page).locator('.proposals section').first().getByRole('button');
  await cards.first().waitFor();
  const list = panel(page).getByRole('combobox', { name: 'Router of B' });
  const routers = await list.locator('option').allTextContents();
  assert.deepEqual(await cards.locator('b').allTextContents(), routers.slice(1));
  for (const says of await cards.locator('span').allTextContents()) assert.match(says, /^[A-Z].+\.$/s);
  await panel(page)
    .getByRole('button', { name: /^Random / })
    .focus();
  await page.keyboard.press('Enter');
  await compared(page);
  assert.equal(await panel(page).locator('.proposals').count(), 0);
  assert.equal(await list.locator('option:checked').textContent(), 'Random');
  assert.notEqual(await page.evaluate(() => document.activeElement.tagName), 'BODY', 'the focus is somewhere');
});

onPage('over several seeds the figures are those of the command line, and there is an interval', async (page, t) => {
  const file = await savedScenario(page);
  await open(page, 'Random');
  await panel(page).getByLabel('How many seeds').selectOption('3');
  await panel(page).getByRole('button', { name: 'Run both', exact: true }).click();
  await panel(page).getByText('Key figures over 3 seeds').waitFor();
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  const document = JSON.parse(readFileSync(file, 'utf8'));
  document.cluster = { ...document.cluster, routing: 'random' };
  const other = write('b.json', JSON.stringify(document));
  const { metrics } = JSON.parse(run('compare', file, other, '--seeds', '3', '--json'));
  await comes(() => figure(page, 'TTFT p99'), `${said(metrics.ttft_ms.p99.a)} → ${said(metrics.ttft_ms.p99.b)}`);
  await panel(page).getByRole('button', { name: 'Back to one seed' }).click();
  await panel(page).getByText('Key figures over 3 seeds').waitFor({ state: 'detached' });
});

onPage('a request is shown in both runs, and B becomes the run on screen', async (page) => {
  await preset(page, 'router-showdown');
  await open(page, 'Least loaded');
  await panel(page).getByRole('heading', { name: 'Lost most' }).waitFor();
  await page.locator('.compare-moved button').first().click();
  await panel(page)
    .getByRole('region', { name: /in both runs/ })
    .waitFor();
  await comes(() => page.locator('.compare .fall').count(), 2);
  await panel(page).getByRole('button', { name: 'Continue with B' }).click();
  await panel(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Runs 2 of this scenario/ }).waitFor();
  await resting(page);
});

onPage('before and after an edit: B continues without it', async (page) => {
  await page.keyboard.press('c');
  const edits = panel(page).getByLabel('Without an edit');
  await edits.selectOption({ index: 1 });
  await compared(page);
  await panel(page).getByText('nothing: B is the same run').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Run both to the end' }).click();
  await resting(page);
  await compared(page);
  // The edit changes the traffic: the runs are compared as distributions.
  await panel(page).getByText('distributions only').waitFor();
  await panel(page).locator('.compare-verdict.better').first().waitFor();
});

onPage('of two edits at one instant, B continues without the picked one', async (page) => {
  const at_us = 10_000_000;
  const two = {
    title: 'Two edits at once',
    run: { horizon_s: 20, warmup_s: 0 },
    edits: [
      { at_us, set: { 'cluster.routing': 'random' } },
      { at_us, set: { 'cluster.pools[0].replicas': 3 } },
    ],
  };
  await drop(page, 'scenario.json', JSON.stringify(two));
  await page.getByText(two.title).first().waitFor();
  await resting(page);
  await page.keyboard.press('c');
  await panel(page).getByLabel('Without an edit').selectOption({ index: 2 });
  await compared(page);
  await panel(page).getByRole('button', { name: 'Continue with B' }).click();
  await panel(page).waitFor({ state: 'detached' });
  const { edits } = JSON.parse(readFileSync(await savedScenario(page), 'utf8'));
  assert.deepEqual(edits, two.edits.slice(0, 1));
});

onPage('parts hidden by the comparison cannot be reached, and the focus returns', async (page) => {
  const opener = page.getByRole('banner').getByRole('button', { name: 'Compare', exact: true });
  await opener.focus();
  await page.keyboard.press('Enter');
  await panel(page).waitFor();
  for (const part of ['.left', '.mid', '.right'])
    assert.equal(await page.locator(`.page > ${part}`).evaluate((e) => e.inert), true, part);
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'detached' });
  for (const part of ['.left', '.mid', '.right'])
    assert.equal(await page.locator(`.page > ${part}`).evaluate((e) => e.inert), false, part);
  await comes(() => opener.evaluate((e) => e === document.activeElement), true);
});

onPage('a run against itself differs nowhere, by a link', async (page) => {
  await page.keyboard.press('c');
  await panel(page).getByRole('textbox', { name: 'A link' }).fill('#chat-4xh100');
  await page.keyboard.press('Enter');
  await compared(page);
  await panel(page).getByText('nothing: B is the same run').waitFor();
  await comes(() => page.locator('.compare-verdict').first().textContent(), /the same in both/);
  await panel(page).getByText('0 % gained, 0 % lost', { exact: false }).waitFor();
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'detached' });
});

/** Two replicas below the knee, whose mean TTFT is nearly that of the same fleet of another GPU. */
const ON_H100 =
  '#default;cluster.pools[0].replicas=2;run.horizon_s=40;run.warmup_s=5;workload.clients[0].arrivals.poisson.rate_per_s=3;workload.clients[0].prompt_tokens.constant.tokens=400;workload.clients[0].output_tokens.constant.tokens=200';
const ON_H200 = `${ON_H100};cluster.pools[0].gpu=H200`;

onPage(
  'two GPUs within the error of the simulation have bands and a sentence in place of a verdict',
  async (page, t) => {
    await page.keyboard.press('c');
    await panel(page).getByRole('textbox', { name: 'A link' }).fill(ON_H200);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Run both to the end' }).click();
    await resting(page);
    await compared(page);
    const row = panel(page).locator('.compare-doubt');
    await comes(() => row.locator('.compare-verdict').textContent(), / not certain/);
    const shown = (await row.locator('.compare-ab').textContent()).replaceAll('\u00a0', ' ');
    const sentence = (await row.textContent()).replaceAll('\u00a0', ' ');
    assert.match(sentence, /Which has the lower mean TTFT is not certain: they are \d+ % apart, and half of/);
    const { run, missing } = cli();
    if (!run) {
      t.skip(missing);
      return;
    }
    const { doubt, mean } = JSON.parse(run('compare', ON_H100, ON_H200, '--seeds', '1', '--json')).metrics.ttft_ms;
    const band = (of, [low, high]) => `${three(of)} ms (${three(low)} to ${three(high)} ms)`;
    assert.equal(shown, `${band(mean.a, doubt.a)} → ${band(mean.b, doubt.b)}`);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      assert.ok(await row.evaluate((el) => el.scrollWidth <= el.clientWidth), `${width} pixels wide`);
    }
  },
  { link: ON_H100 },
);

onPage('a phone opens the comparison from the menu of presets', async (page) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('banner').getByRole('button', { name: 'Presets' }).click();
  await page.getByRole('menuitem', { name: /Compare with a second run/ }).click();
  await panel(page).getByLabel('Router of B').waitFor();
});

onPage('axe finds nothing in a comparison, and nothing is outside, on a desktop and a phone', async (page) => {
  await open(page, 'Random');
  await compareFits(page);
});

onPage(
  'a race ranks routers on the same requests, can be cancelled, and gives its runs to the comparison',
  async (page) => {
    await page.keyboard.press('c');
    await panel(page).getByRole('button', { name: 'Race', exact: true }).click();
    const start = panel(page).getByRole('button', { name: /^Race \d+ .* each$/ });
    await start.click();
    await panel(page).getByRole('button', { name: 'Cancel' }).click();
    await start.waitFor();
    const routers = panel(page).getByRole('group', { name: 'Routers' }).getByRole('checkbox');
    for (const box of await routers.all()) if (await box.isEnabled()) await box.setChecked(false);
    await routers.and(page.getByLabel('Random', { exact: true })).check();
    await panel(page).getByLabel('Seeds').selectOption('3');
    await start.click();
    await panel(page)
      .getByText(/^\s*6 of 6/)
      .waitFor();
    const rows = panel(page).getByRole('table').getByRole('row');
    await rows.nth(2).waitFor();
    await comes(() => rows.count(), 3);
    await comes(() => rows.nth(1).textContent(), /reference/);
    await comes(() => panel(page).getByRole('img', { name: /^Seed/ }).count(), 6);
    assert.deepEqual(await violations(page), []);
    await rows.nth(2).getByRole('button', { name: /^As B/ }).click();
    await compared(page);
  },
);

/** The pixels of a canvas as text, to compare them. */
const drawn = (page, side) =>
  panel(page)
    .getByRole('region', { name: `Stage of ${side}` })
    .locator('canvas')
    .evaluate((canvas) => canvas.toDataURL());

onPage('the stages of both runs are beside each other and move with the clock', async (page) => {
  await open(page, 'Random');
  await panel(page).getByRole('button', { name: 'Stages' }).click();
  const stages = panel(page).locator('.stages');
  await stages.getByText('B Random').waitFor();
  // Both are empty until they are painted for the first time.
  await comes(async () => (await drawn(page, 'A')) !== (await drawn(page, 'B')), true, 'the runs differ');
  await compareFits(page, async (width) => {
    const [first, second] = await stages.locator('section').all();
    const [ofA, ofB] = [await first.boundingBox(), await second.boundingBox()];
    if (width > 1000) assert.ok(ofA.y === ofB.y && ofB.x >= ofA.x + ofA.width, 'beside each other');
    else assert.ok(ofA.x === ofB.x && ofB.y >= ofA.y + ofA.height, 'one below the other');
  });
  await page.setViewportSize({ width: 1440, height: 900 });
  await theme(page, 'dark');
  await painted(page);
  const before = [await drawn(page, 'A'), await drawn(page, 'B')];
  await page.getByRole('button', { name: 'Run both to the end' }).click();
  await resting(page);
  await compared(page);
  await comes(
    async () => [(await drawn(page, 'A')) !== before[0], (await drawn(page, 'B')) !== before[1]],
    [true, true],
  );
  // A selection applies to both.
  const tables = panel(page).getByRole('button', { name: 'Show as table' });
  await tables.first().click();
  const table = panel(page).getByRole('region', { name: 'Replicas' });
  await table.locator('th button').filter({ hasText: /^r1$/ }).click();
  await panel(page).getByRole('button', { name: 'Show as picture' }).click();
  await tables.last().click();
  const picked = table.locator('tr[data-picked=true] th');
  await comes(() => picked.innerText(), 'r1');
  await panel(page).getByRole('button', { name: 'Charts', exact: true }).click();
  await stages.waitFor({ state: 'detached' });
});
