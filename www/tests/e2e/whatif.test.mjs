// What-if questions in the built page in Chromium: a request sent elsewhere as run B, its alternatives, and where slow requests' time went.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cli, inspectorTab, resting, savedScenario, suite, THEMES, write } from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const REQUEST = 400;
const link = `#router-showdown;t=40;select=request:${REQUEST}`;
const block = (page) => page.locator('.what-if');
const table = (page) => block(page).getByRole('table');

/** The visible text, with plain spaces. */
const plain = (text) => text.replaceAll('\u00a0', ' ').trim();

onPage(
  'the alternatives of a decision are those of the command line',
  async (page, t) => {
    await block(page).getByRole('button', { name: 'Compare all alternatives' }).click();
    await table(page).waitFor();
    const rows = table(page).locator('tbody tr');
    assert.equal(await rows.count(), 8);
    assert.equal(await block(page).locator('tr.pick').count(), 1);
    for (const name of THEMES) {
      await theme(page, name);
      await painted(page);
      assert.deepEqual(await violations(page), [], name);
    }
    const { run, missing } = cli();
    if (!run) {
      t.skip(missing);
      return;
    }
    const file = await savedScenario(page);
    const args = ['--request', String(REQUEST), '--until', '40', '--most', '16', '--json'];
    const found = JSON.parse(run('what-if', file, ...args));
    const wanted = found.alternatives.map((a) => [
      `r${a.replica}`,
      a.chosen ? '–' : `${a.others.e2e.gained.toLocaleString('en')} / ${a.others.e2e.lost.toLocaleString('en')}`,
    ]);
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => [row.querySelector('th').textContent, row.querySelector('td:last-child').textContent]),
    );
    assert.deepEqual(shown, wanted);
  },
  { link },
);

onPage(
  'a request is sent elsewhere as run B, which differs in that and becomes the run on screen',
  async (page) => {
    const button = block(page)
      .getByRole('button', { name: /^Send it to r\d instead$/ })
      .first();
    const to = (await button.getAttribute('aria-label')).match(/r\d/)[0];
    await button.click();
    const panel = page.getByRole('main', { name: 'Compare with B' });
    await panel.getByText(`request ${REQUEST} to ${to}`).waitFor();
    await panel.locator('.compare-differs').getByText(`Request ${REQUEST} to`).waitFor();
    await panel.getByText('compared up to 40.000 s').waitFor();
    await panel.getByRole('region', { name: `Request ${REQUEST} in both runs` }).waitFor();
    await panel.getByRole('button', { name: 'Continue with B' }).click();
    await panel.waitFor({ state: 'detached' });
    await resting(page);
    const saved = JSON.parse(readFileSync(await savedScenario(page), 'utf8'));
    const [edit] = saved.edits.filter((e) => e.route !== undefined);
    assert.deepEqual(edit.route, { request: REQUEST, to: Number(to.slice(1)) });
    assert.ok(edit.at_us > 0);
  },
  { link },
);

onPage(
  'the account of slow requests is that of the command line, and leads to the requests',
  async (page, t) => {
    await inspectorTab(page, 'Run');
    await page.getByRole('button', { name: 'Where did their time go?' }).click();
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    const said = page.locator('.why-said');
    await said.getByText('on average').waitFor();
    await painted(page);
    assert.deepEqual(await violations(page), []);
    const { run, missing } = cli();
    if (run) {
      const document = JSON.parse(readFileSync(await savedScenario(page), 'utf8'));
      document.run.horizon_s = 40;
      const file = write('until.json', JSON.stringify(document));
      const e = JSON.parse(run('explain', file, '--above', 'p99', '--json'));
      assert.equal(plain(await said.textContent()), plain(e.sentences.map((s) => s.text).join(' ')));
    } else t.diagnostic(missing);
    const most = page.locator('.why-table .link').first();
    const request = plain(await most.textContent());
    await most.click();
    await page.locator('.rq h2', { hasText: request }).waitFor();
  },
  { link },
);

onPage.long(
  'on a phone the questions fit',
  async (page) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page
      .getByRole('navigation', { name: 'View' })
      .getByRole('button', { name: /^Inspector/ })
      .click();
    await block(page).getByRole('button', { name: 'Compare all alternatives' }).click();
    await table(page).waitFor();
    await painted(page);
    assert.deepEqual(await violations(page), []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    assert.equal(wide, false);
  },
  { link },
);
