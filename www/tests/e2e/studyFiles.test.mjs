// Studies in the built page in Chromium: entrants of one's own in a race, and results that are saved, exported and
// opened again.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { compared, FLEET, comparison as panel } from './comparing.mjs';
import { comes, drop, resting, suite } from './harness.mjs';
import { painted } from './texts.mjs';
import { compareFits, violations } from './violations.mjs';

const onPage = suite();

async function opened(page, study) {
  await drop(page, 'scenario.json', JSON.stringify(FLEET));
  await page.getByText(FLEET.title).first().waitFor();
  await resting(page);
  await page.keyboard.press('c');
  if (study) await panel(page).getByRole('button', { name: study, exact: true }).first().click();
}

/** The file that a button saves. */
async function saved(page, name) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    panel(page).getByRole('button', { name, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

/** Only the scenario's own router, and a number of seeds. */
async function alone(page, seeds) {
  const routers = panel(page).getByRole('group', { name: 'Routers' }).getByRole('checkbox');
  await routers.first().waitFor();
  for (const box of await routers.all()) if (await box.isEnabled()) await box.setChecked(false);
  await panel(page).getByLabel('Seeds').selectOption(seeds);
}

const ranks = (page) => panel(page).locator('.race-ranks tbody tr');

onPage.long('an entrant of one’s own races, is saved, and the file opens again without a run', async (page) => {
  await opened(page, 'Race');
  await alone(page, '3');
  await panel(page).getByRole('button', { name: 'Add an entrant…' }).click();
  const form = panel(page).getByRole('region', { name: 'Own entrant' });
  await form.getByText('Nothing differs from the scenario yet.').waitFor();
  await form.getByLabel('Policy', { exact: true }).selectOption({ label: 'Weighted' });
  await form.getByLabel('Policies of').selectOption({ label: 'Scheduling' });
  const budget = form.getByLabel('Token budget');
  await budget.selectOption({ index: (await budget.evaluate((select) => select.selectedIndex)) === 0 ? 1 : 0 });
  await form.getByLabel('Name').click();
  await form.getByText(/^Differs in routing, pools\[0\]\.engine/).waitFor();
  await form.getByLabel('Name').fill('Mine');
  await painted(page);
  assert.deepEqual(await violations(page), []);
  await form.getByRole('button', { name: 'Add to the race' }).click();
  await panel(page).getByRole('button', { name: 'Race 2 entrants, 3 seeds each' }).click();
  await panel(page)
    .getByText(/^\s*6 of 6/)
    .waitFor();
  await comes(() => ranks(page).count(), 2);
  await comes(() => panel(page).locator('.race-ranks').getByRole('img', { name: /^Seed/ }).count(), 6);
  // A tick for each seed below the interval of the second, and the reason why ranks are allowed.
  await comes(() => panel(page).locator('.race-interval .tick').count(), 3);
  await panel(page)
    .getByText(/^Ranked because all were offered the same/)
    .waitFor();
  await compareFits(page);
  const before = await ranks(page).allInnerTexts();
  const file = await saved(page, 'Save study');
  assert.equal(file.name, 'race.json');
  const study = JSON.parse(file.text);
  assert.deepEqual([study.tokenyard_study, study.kind, study.rows.length], [1, 'race', 6]);
  const mine = study.entrants.find(({ name }) => name === 'Mine');
  assert.deepEqual(Object.keys(mine.set), ['cluster.routing', 'cluster.pools[0].engine']);
  const csv = await saved(page, 'CSV');
  assert.match(csv.text.split('\n')[0], /^entrant,seed,scenario_digest,/);
  assert.equal(csv.text.trim().split('\n').length, 7);
  // In another visit the file is enough.
  await page.reload();
  await resting(page);
  await drop(page, file.name, file.text);
  await panel(page).getByText('From race.json, made with version').waitFor();
  await comes(() => ranks(page).allInnerTexts(), before);
  assert.equal(await panel(page).getByText('its digest differs').count(), 0);
  await drop(page, 'changed.json', file.text.replace('"Mine"', '"Other"').replaceAll('"Mine"', '"Other"'));
  await panel(page).getByText('its digest differs').waitFor();
});

onPage('a file that is no study is refused with its reason', async (page) => {
  await opened(page, 'Race');
  await drop(page, 'bad.json', '{"tokenyard_study": 9}');
  await panel(page)
    .getByText(/^bad\.json: found a study of format 9; allowed: a study of format 1/)
    .waitFor();
});

onPage.long('a sweep is saved with its axis and opens again with its curves', async (page) => {
  await opened(page, 'Sweep');
  await panel(page).getByLabel('Seeds').selectOption('1');
  await panel(page).getByRole('combobox', { name: 'Values' }).selectOption('3');
  await panel(page)
    .getByRole('button', { name: /^Start: traffic/ })
    .click();
  await panel(page)
    .getByText(/^\s*3 of 3/)
    .waitFor();
  await comes(() => panel(page).getByRole('table').getByRole('row').count(), 4);
  const before = await panel(page).getByRole('table').innerText();
  const file = await saved(page, 'Save study');
  const csv = await saved(page, 'CSV');
  assert.match(csv.text.split('\n')[0], /^traffic,seed,/);
  await page.reload();
  await resting(page);
  await drop(page, file.name, file.text);
  await panel(page).getByText('From sweep.json, made with version').waitFor();
  await comes(() => panel(page).getByRole('table').innerText(), before);
  await panel(page)
    .getByRole('img', { name: /^TTFT p99 along Traffic/ })
    .waitFor();
});

onPage('two runs are saved, and the file makes the same comparison again', async (page) => {
  await opened(page);
  await panel(page).getByLabel('Router of B').selectOption({ label: 'Random' });
  await compared(page);
  const figures = () => panel(page).locator('.compare-figures').innerText();
  const before = await figures();
  const file = await saved(page, 'Save study');
  await page.reload();
  await resting(page);
  await drop(page, file.name, file.text);
  await panel(page).getByText('comparison.json: the same results as saved.').waitFor();
  await comes(figures, before);
});

onPage.long(
  'charts of both runs draw objective, warm-up, edits and playhead, and a mark opens its request',
  async (page) => {
    await opened(page);
    await panel(page).getByLabel('Router of B').selectOption({ label: 'Random' });
    await page.getByRole('button', { name: 'Run both to the end' }).click();
    await compared(page);
    const ttft = panel(page).getByRole('img', { name: /^TTFT p99 over time/ });
    for (const part of ['.study-limit', '.study-warm-up', '.study-playhead'])
      await comes(() => ttft.locator(part).count(), 1, part);
    // Both views that matter are on the first screen.
    for (const name of [/^TTFT of each request in B minus A/, /^Distribution of TTFT/]) {
      const box = await panel(page).getByRole('img', { name }).boundingBox();
      assert.ok(box && box.y + box.height < 780, `${name} ends at ${box?.y} + ${box?.height}`);
    }
    const hit = panel(page).locator('.compare-hit').first();
    const marks = await panel(page).locator('.marks-gained').first().getAttribute('d');
    const [, x, y] = /^M([\d.]+) ([\d.]+)/.exec(marks) ?? [];
    const svg = await panel(page)
      .getByRole('img', { name: /^TTFT of each request in B minus A/ })
      .boundingBox();
    await hit.scrollIntoViewIfNeeded();
    await page.mouse.click(svg.x + Number(x), svg.y + Number(y));
    await panel(page)
      .getByRole('region', { name: /in both runs/ })
      .waitFor();
    await comes(() => panel(page).locator('.compare-chosen').count(), 1);
    await compareFits(page);
  },
);

onPage.long('the address of a race or a sweep sets it up again, and runs nothing', async (page) => {
  await opened(page, 'Race');
  await alone(page, '3');
  await panel(page).getByLabel('Random', { exact: true }).check();
  await panel(page).getByLabel('Ranked by').selectOption({ label: 'goodput' });
  await page.waitForFunction(() => location.hash.length > 1);
  const settled = async () => {
    const before = await page.evaluate(() => location.hash);
    // Longer than a change rests before the address has it.
    await page.waitForTimeout(1500);
    return before === (await page.evaluate(() => location.hash));
  };
  await comes(settled, true);
  await page.reload();
  await panel(page).getByRole('button', { name: 'Race 2 routers, 3 seeds each' }).waitFor();
  await comes(() => panel(page).getByLabel('Ranked by').locator('option:checked').textContent(), 'goodput');
  assert.equal(await ranks(page).count(), 0);
  await panel(page).getByRole('button', { name: 'Sweep', exact: true }).first().click();
  await panel(page).getByRole('textbox', { name: 'From', exact: true }).fill('0.25');
  await comes(settled, true);
  await page.reload();
  await panel(page)
    .getByRole('button', { name: /^Start: traffic from 0\.25 to 1\.5/ })
    .waitFor();
});
