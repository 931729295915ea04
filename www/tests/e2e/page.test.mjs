// The built page in Chromium: it loads, plays, takes edits and files, gives the command line's digests, breaks no rule.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import {
  askedSpeed,
  cli,
  clock,
  comes,
  finalDigest,
  inspectorTab,
  OPENING_S,
  resting,
  savedScenario,
  seedField,
  stepBy,
  suite,
  writeText,
} from './harness.mjs';

const onPage = suite();

const scenarioPanel = (page) => page.getByRole('complementary', { name: 'Scenario' });
const rateField = (page) =>
  scenarioPanel(page)
    .getByRole('textbox', { name: /^Rate, / })
    .first();

onPage('opens with a preset at an interesting second, paused, with its first frame drawn', async (page, t) => {
  assert.equal(await clock(page), OPENING_S);
  await comes(() => page.getByRole('button', { name: 'Play', exact: true }).count(), 1);
  await comes(() => page.getByRole('heading', { level: 1 }).textContent(), /\S/);
  const first = await page.evaluate(() => Math.round(performance.getEntriesByName('first-frame')[0].startTime));
  t.diagnostic(`first frame ${first} ms after navigation (goal 1000)`);
});

onPage('plays, pauses, steps and changes speed', async (page, t) => {
  await page.keyboard.press('Space');
  await page.waitForFunction((s) => Number(document.querySelector('.clock')?.firstChild.textContent) > s, OPENING_S);
  await comes(() => askedSpeed(page), /Speed 5×/);
  await page.keyboard.press(']');
  await comes(() => askedSpeed(page), /Speed 10×/);
  await page.keyboard.press('[');
  await comes(() => askedSpeed(page), /Speed 5×/);
  await page.waitForTimeout(1500);
  t.diagnostic(`speed: ${await askedSpeed(page)}`);
  await page.keyboard.press('Space');
  const paused = await resting(page);
  await page.waitForTimeout(300);
  assert.equal(await clock(page), paused, 'a paused clock stands still');
  await inspectorTab(page, 'Run');
  const events = async () =>
    Number((await page.locator('dt:text-is("Engine events") + dd').textContent()).replaceAll(',', ''));
  const before = await events();
  await stepBy(page, 'Step one event');
  await page.waitForFunction(
    (n) =>
      [...document.querySelectorAll('dl.list dt')].some(
        (d) => d.textContent === 'Engine events' && d.nextElementSibling.textContent.replaceAll(',', '') === String(n),
      ),
    before + 1,
  );
  await stepBy(page, 'Step one engine step');
  await comes(async () => (await events()) > before + 1, true, 'an engine step runs further');
  await page.getByRole('button', { name: 'Restart' }).click();
  await page.waitForFunction(() => document.querySelector('.clock')?.firstChild.textContent === '0.000');
});

onPage(
  'an edit applies at the playhead, is flagged, marks its field, and gives the command line’s digest',
  async (page, t) => {
    const rate = await raiseRate(page);
    assert.equal(await clock(page), OPENING_S, 'the run continues from its instant');
    await scenarioPanel(page).getByRole('tab', { name: 'Changes' }).click();
    await comes(
      () => scenarioPanel(page).locator('.changes li').first().textContent(),
      new RegExp(`${OPENING_S}\\.000.*${rate}`),
    );
    // The spoken timeline follows the drawn one at a pace of its own.
    await page.getByRole('img', { name: /Timeline.*2 edits/ }).waitFor();
    const digest = await finalDigest(page);
    assert.match(digest, /^[0-9a-f]{16}$/);
    const { run, missing } = cli();
    if (!run) {
      t.skip(missing);
      return;
    }
    assert.equal(digest, run('digest', await savedScenario(page)).split(/\s+/)[0]);
    t.diagnostic(`digest ${digest} in the page and on the command line`);
  },
);

onPage('a field that restarts rebuilds the run up to the same instant and keeps the edits', async (page) => {
  await raiseRate(page);
  const panel = scenarioPanel(page);
  await panel.getByRole('button', { name: 'Run' }).click();
  const warmUp = panel.getByRole('textbox', { name: 'Warm-up', exact: true });
  await warmUp.fill('10');
  await warmUp.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.f.chg').length === 2);
  assert.equal(await resting(page), OPENING_S);
  await panel.getByRole('tab', { name: 'Changes' }).click();
  // The user's edit, the scheduled one and the field changed from the start.
  await panel.locator('.changes li').nth(2).waitFor();
  await comes(() => panel.locator('.changes li').count(), 3);
});

onPage('the weighted router takes custom scorers, and a decision shows the score of each', async (page) => {
  const panel = scenarioPanel(page);
  const pick = async (label, index, option) => {
    await panel.getByRole('combobox', { name: label }).nth(index).click();
    await page.getByRole('option', { name: option }).first().click();
  };
  await pick('Policy', 0, 'Weighted');
  await panel.getByRole('combobox', { name: 'Profile' }).waitFor();
  await pick('Profile', 0, 'Custom');
  const weights = panel.getByRole('slider', { name: /, as a slider$/ });
  await page.waitForFunction(() => document.querySelectorAll('.weigh').length === 3);
  await panel.getByRole('button', { name: 'Add scorer' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.weigh').length === 4);
  await comes(() => page.locator('.problem').count(), 0);
  await panel.getByRole('button', { name: 'Settings of Precise prefix' }).click();
  await panel.getByRole('button', { name: /^Remove .*scorers\[3\]/ }).click();
  await page.waitForFunction(() => document.querySelectorAll('.weigh').length === 3);
  await comes(() => weights.count(), 3);
  assert.equal(await resting(page), OPENING_S, 'a policy is changed during the run');
  await page.getByRole('button', { name: 'Choose what to run to' }).click();
  await page.getByRole('combobox', { name: 'Event of a kind: which' }).selectOption('arrived');
  await page.getByRole('button', { name: 'next event of a kind' }).click();
  await page.waitForFunction((s) => Number(document.querySelector('.clock')?.firstChild.textContent) > s, OPENING_S);
  await stepBy(page, 'Step one engine step');
  await inspectorTab(page, 'Log');
  await page.getByLabel('Kind of event').selectOption('routed');
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.log-row .kind')].every((k) => k.textContent === 'routed'),
  );
  await page.locator('.log-row').last().click();
  await page.locator('.weights li').nth(2).waitFor();
  await comes(() => page.locator('.scores tbody tr').count(), 4);
});

onPage('wrong input is explained under its field and the run stays', async (page) => {
  const replicas = scenarioPanel(page).getByRole('textbox', { name: 'Replicas' });
  await replicas.fill('2000');
  await replicas.press('Enter');
  const problem = page.locator('.problem');
  await problem.waitFor();
  await comes(() => problem.textContent(), /Found 2,000; allowed: 0 to 1,024/);
  await comes(() => replicas.getAttribute('aria-invalid'), 'true');
  await comes(() => replicas.inputValue(), '2000', 'what was typed stays');
  assert.equal(await clock(page), OPENING_S);
  await replicas.fill('5');
  await replicas.press('Enter');
  await problem.waitFor({ state: 'detached' });
  await page.locator('.f.chg .was').waitFor();
});

onPage('the scenario can be written as YAML, and an error in it loses nothing', async (page) => {
  const panel = scenarioPanel(page);
  await panel.getByRole('tab', { name: 'YAML' }).click();
  const text = panel.getByRole('textbox', { name: 'Scenario as YAML' });
  await comes(() => text.textContent(), /tokenyard: 1/);
  const original = stringify(JSON.parse(readFileSync(await savedScenario(page), 'utf8')), { lineWidth: 0 });
  const wrong = original.replace('replicas: 4', 'replicaz: 4');
  await writeText(page, text, wrong);
  await panel.getByRole('button', { name: 'Apply' }).click();
  await panel.locator('.problems').waitFor();
  await comes(() => panel.locator('.problems').textContent(), /replicaz/);
  await comes(() => text.textContent(), /replicaz: 4/);
  await writeText(page, text, original.replace('replicas: 4', 'replicas: 6'));
  await panel.getByRole('button', { name: 'Apply' }).click();
  await panel.locator('.problems').waitFor({ state: 'detached' });
  await panel.getByRole('tab', { name: 'Form' }).click();
  await comes(() => panel.getByRole('textbox', { name: 'Replicas' }).inputValue(), '6');
});

onPage('a seed of 64 bits keeps its last digit', async (page) => {
  const seed = '18446744073709551615';
  const field = await seedField(page);
  await field.fill(seed);
  await field.press('Enter');
  await page.waitForFunction(() => document.querySelector('.preset-name')?.nextElementSibling?.textContent === '+1');
  await comes(() => field.inputValue(), seed);
  assert.match(readFileSync(await savedScenario(page), 'utf8'), new RegExp(`"seed": ${seed},`));
});

/** Changes the arrival rate of the first client during the run. */
async function raiseRate(page) {
  const rate = String(Number(await rateField(page).inputValue()) + 6);
  await rateField(page).fill(rate);
  await rateField(page).press('Enter');
  await page.locator('.f.chg .was').waitFor();
  return rate;
}

onPage('a request is found in the log, inspected, and its replica after it', async (page) => {
  await inspectorTab(page, 'Log');
  await page.getByLabel('Kind of event').selectOption('completed');
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.log-row .kind')].every((k) => k.textContent === 'completed'),
  );
  await page.locator('.log-row').last().click();
  await page.getByRole('img', { name: /Waterfall of request/ }).waitFor();
  await page.locator('.right tr.pick').waitFor();
  await page.locator('.right tr.pick button').click();
  await page.locator('.right').getByText('conserved ✓').waitFor();
});

onPage('a hidden page pauses, and continues when it is visible again, if it played before', async (page) => {
  const show = (hidden) =>
    page.evaluate((is) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => is });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  await page.keyboard.press('Space');
  await comes(async () => (await clock(page)) > OPENING_S, true);
  await show(true);
  const left = await resting(page);
  await show(false);
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await comes(async () => (await clock(page)) > left, true);
  await page.keyboard.press('Space');
  const paused = await resting(page);
  await show(true);
  await show(false);
  assert.equal(await resting(page), paused, 'what was paused stays so');
});

onPage(
  'a crash of the simulation is reported and the run rebuilt',
  async (page) => {
    const worker = page.workers().find((thread) => /worker-/.test(thread.url()));
    await worker.evaluate(() => {
      setTimeout(() => {
        throw new Error('made by the test');
      }, 0);
    });
    await page.locator('.notice').filter({ hasText: 'rebuilt' }).waitFor();
    await page.getByRole('button', { name: 'Download the reproduction' }).waitFor();
    assert.equal(await resting(page), OPENING_S);
    await page.keyboard.press('Space');
    await page.waitForFunction((s) => Number(document.querySelector('.clock')?.firstChild.textContent) > s, OPENING_S);
  },
  { errorsExpected: true },
);
