// The gateway's queue: its bands on the stage, one of its requests, and the switch of flow control while the run plays.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clock, comes, drop, ROOT, resting, suite } from './harness.mjs';
import { violations } from './violations.mjs';

const onPage = suite();

/** A preset whose clients are of three classes, with room for twelve requests at each replica. */
function queued() {
  const scenario = JSON.parse(readFileSync(join(ROOT, '../scenarios/chat-4xh100.json'), 'utf8'));
  const classes = ['critical', 'standard', 'sheddable'];
  scenario.workload.clients.forEach((client, i) => {
    client.slo_class = classes[i];
  });
  scenario.cluster.flow_control = { detector: { concurrency: { max_requests: 12 } } };
  return JSON.stringify(scenario);
}

onPage('requests wait in bands that the stage, its table and the charts show', async (page) => {
  await drop(page, 'queued.json', queued());
  const stage = page.getByRole('region', { name: 'Stage' }).getByRole('img');
  await comes(() => stage.getAttribute('aria-label'), /Gateway queue at saturation/);
  await page.locator('#time-field').fill('40');
  await page.locator('#time-field').press('Enter');
  await comes(() => clock(page), 40);
  await resting(page);
  const bands = /critical \(100\): .* waiting.*standard \(0\): \d+ waiting, the longest for .*sheddable \(−10\): \d/;
  await comes(() => stage.getAttribute('aria-label'), bands);
  await page.getByRole('figure', { name: /^Gateway queue over time .*band 100 .*saturation \d/ }).waitFor();
  await page.getByRole('button', { name: 'Show as table' }).first().click();
  const pick = page.getByRole('combobox', { name: 'Pick a request of band 0' });
  await pick.selectOption({ index: 1 });
  await page.getByRole('img', { name: /^Waterfall of request \d+: .*Gateway queue \d/ }).waitFor();
  // Off and on again by keyboard.
  await page.locator('.sec-head', { hasText: 'Gateway queue' }).click();
  const flow = page.getByRole('switch', { name: 'Flow control', exact: true });
  assert.deepEqual(await violations(page), [], 'with the table and the form');
  await page.getByRole('button', { name: 'Show as picture' }).click();
  // Reached by keyboard: after a click the space bar plays.
  await flow.focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await comes(() => flow.getAttribute('aria-checked'), 'false');
  await comes(async () => (await stage.getAttribute('aria-label')).includes('Gateway queue'), false);
  await flow.press('Enter');
  await comes(() => stage.getAttribute('aria-label'), /Gateway queue at saturation/);
});

onPage.long(
  'every choice of flow control takes effect while the run plays, and a band gets its own settings',
  async (page) => {
    await drop(page, 'queued.json', queued());
    await page.getByRole('button', { name: 'Play', exact: true }).first().click();
    await page.locator('.sec-head', { hasText: 'Gateway queue' }).click();
    const section = page.locator('.sec', { has: page.locator('.sec-head', { hasText: 'Gateway queue' }) });
    await section.getByRole('button', { name: 'Explain Gateway queue' }).click();
    let chosen = 0;
    for (const label of ['Detector', 'Mode', 'Ceilings', 'Steps by', 'Flow', 'Fairness', 'Ordering']) {
      // Those of a policy that is not chosen are not there.
      const list = section.getByRole('combobox', { name: new RegExp(`^${label}`) });
      if ((await list.count()) === 0) continue;
      await list.click();
      const options = await page.getByRole('option').locator('b').allTextContents();
      await page.keyboard.press('Escape');
      for (const option of options) {
        if ((await list.textContent()) !== option) {
          await list.click();
          const named = page.locator('b', { hasText: new RegExp(`^${option}$`) });
          await page.getByRole('option').filter({ has: named }).click();
        }
        await comes(() => list.textContent(), option);
        assert.deepEqual(await section.locator('.f.wrong').allTextContents(), [], `${label} ${option}`);
        chosen += 1;
      }
    }
    assert.ok(chosen >= 15, `${chosen} choices`);
    await section.getByRole('button', { name: 'Add band' }).click();
    await section
      .getByRole('textbox', { name: /^Priority/ })
      .first()
      .waitFor();
    const stage = page.getByRole('region', { name: 'Stage' }).getByRole('img');
    await comes(() => stage.getAttribute('aria-label'), /Gateway queue at saturation/);
  },
);
