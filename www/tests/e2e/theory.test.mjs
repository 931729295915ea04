// Laws of queueing theory over the charts in the built page in Chromium, and both sides of Little's law.
import assert from 'node:assert/strict';
import {
  chartTool,
  chooseReplica,
  cli,
  clock,
  comes,
  runFigures,
  savedScenario,
  suite,
  THEMES,
  toEnd,
} from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
/** The horizon of the preset, in seconds. */
const END_S = 240;
const toggle = (page) => page.locator('.charts').getByRole('button', { name: 'Theory' });
const head = (page) => page.locator('.charts .theory-head');
const said = (page) => head(page).locator('.theory-violated');
/** The positions of all elements of the page, to the pixel. */
const places = (page) =>
  page.evaluate(() =>
    ['.time-chart', '.time-chart .plot-area', '.stage', '.transport', '.charts-shares'].flatMap((of) =>
      [...document.querySelectorAll(of)].map((el) => {
        const { x, y, width, height } = el.getBoundingClientRect();
        return [of, x, y, width, height].join(' ');
      }),
    ),
  );
/** A picture of the first chart's lines. */
const drawn = async (page) => {
  await painted(page);
  return page.locator('.time-chart .plot').first().screenshot();
};

onPage(
  'the law over the charts is that of the command line, and nothing moves when it is switched',
  async (page, t) => {
    await toEnd(page);
    await comes(() => clock(page), END_S, 'the end of the run');
    const [before, without] = [await places(page), await drawn(page)];
    await chartTool(page, 'Theory');
    await said(page).waitFor();
    assert.deepEqual(await places(page), before);
    await comes(async () => (await drawn(page)).equals(without), false, 'a line was drawn');
    assert.match(await head(page).getByRole('combobox').locator('option').first().innerText(), /^best: Limited batch$/);
    await said(page).click();
    const list = page.locator('.theory-list:popover-open');
    await list.waitFor();
    const shown = await list.locator('.theory-bad li').allInnerTexts();
    for (const name of THEMES) {
      await theme(page, name);
      await painted(page);
      // The list lies over other controls.
      assert.deepEqual(await violations(page, '.theory-list:popover-open'), [], name);
    }
    await page.keyboard.press('Escape');
    // A law chosen by hand has another line and other assumptions.
    await head(page).getByRole('combobox').selectOption('mg1');
    await page.waitForFunction(() => document.querySelector('.theory-violated')?.textContent.includes('at a time'));
    await toggle(page).click();
    assert.equal(await head(page).count(), 0);
    assert.deepEqual(await places(page), before);
    const { run, missing } = cli();
    if (!run) {
      t.skip(missing);
      return;
    }
    const found = JSON.parse(run('theory', await savedScenario(page), '--json'));
    const chosen = found.laws.find((l) => l.law === found.chosen);
    assert.equal(found.chosen, 'limited-batch');
    const wanted = chosen.assumptions.filter((a) => a.verdict === 'violated').map((a) => a.text);
    assert.ok(wanted.length > 0);
    assert.deepEqual(shown, wanted);
  },
  { link: '#router-showdown' },
);

/** The figures of the block of Little's law, by name. */
const little = (page) =>
  page
    .locator('.little')
    .evaluate((list) =>
      Object.fromEntries(
        [...list.querySelectorAll('div')].map((row) => [
          row.querySelector('dt').textContent,
          row.querySelector('dd').textContent,
        ]),
      ),
    );

onPage(
  "both sides of Little's law are equal, of the system and of a replica",
  async (page) => {
    await runFigures(page);
    await page.locator('.little').waitFor();
    const system = await little(page);
    assert.equal(system['L: inside on average'], system['λ W']);
    assert.match(system['λ W'], /^[\d,.]+$/);
    assert.ok(system['λ W'].replace(/\D/g, '').length <= 4, 'at most four digits');
    const verdict = () => page.getByText('L = λW holds exactly.').count();
    assert.equal(await verdict(), 1);
    assert.ok(Number(system['λ W'].replaceAll(',', '')) > 0, JSON.stringify(system));
    await chooseReplica(page, 0);
    await page.locator('.little').waitFor();
    const replica = await little(page);
    assert.equal(replica['L: inside on average'], replica['λ W']);
    assert.equal(await verdict(), 1);
    assert.notEqual(replica['λ W'], system['λ W']);
    assert.deepEqual(await violations(page), []);
  },
  { link: '#router-showdown;t=40' },
);
