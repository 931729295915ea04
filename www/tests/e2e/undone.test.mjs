// Undo removes edits and opened scenarios, and a recent edit survives a reload.
import assert from 'node:assert/strict';
import { clock, comes, preset, resting, suite } from './harness.mjs';
import { goTo } from './sharing.mjs';

const onPage = suite();

const flags = (page) => page.locator('.flag-stops .btn').count();

async function replicas(page, count) {
  const field = page.getByRole('textbox', { name: 'Replicas' }).first();
  await field.fill(count);
  await field.press('Enter');
  await resting(page);
}

async function undo(page) {
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('Control+z');
  await resting(page);
}

onPage('three edits at one instant that are undone leave nothing', async (page) => {
  const before = await flags(page);
  for (const count of ['5', '6', '7']) await replicas(page, count);
  await comes(() => page.locator('.top .ac').textContent(), '+3');
  for (let i = 0; i < 3; i += 1) await undo(page);
  await comes(() => page.locator('.top .ac').count(), 0);
  await comes(() => flags(page), before);
  await comes(() => page.locator('.stage-view, .stage').first().isVisible(), true);
  assert.equal(await clock(page), 48);
});

onPage(
  'an edit with effects is undone by an inverse one, with a notice, and on request by going back',
  async (page) => {
    await replicas(page, '6');
    await goTo(page, 55);
    await undo(page);
    await comes(() => page.locator('.top .ac').textContent(), '+2');
    await page.getByText('The edit at 48.000 s already had effects: another edit at 55.000 s reverts it.').waitFor();
    await page.getByRole('button', { name: 'Go back to 48.000 s without it' }).click();
    await resting(page);
    await comes(() => page.locator('.top .ac').count(), 0);
    await comes(() => clock(page), 48);
  },
);

const shown = (page) => page.locator('.preset-name').textContent();

onPage('back goes to the previous scenario, as it was left, and forward to the next one', async (page) => {
  await replicas(page, '6');
  await goTo(page, 50);
  await preset(page, 'kv-pressure');
  await preset(page, 'stale-herd');
  await page.goBack();
  await comes(() => shown(page), 'kv-pressure');
  await resting(page);
  await page.goBack();
  await comes(() => shown(page), 'chat-4xh100');
  assert.equal(await resting(page), 50);
  await comes(() => page.getByRole('textbox', { name: 'Replicas' }).first().inputValue(), '6');
  await page.goForward();
  await comes(() => shown(page), 'kv-pressure');
});

onPage('back goes to the first scenario even if it was not changed', async (page) => {
  await preset(page, 'kv-pressure');
  await page.goBack();
  await comes(() => shown(page), 'chat-4xh100');
  assert.equal(await resting(page), 48);
});

onPage('an edit survives an immediate reload', async (page) => {
  await replicas(page, '6');
  await page.reload();
  await page.waitForFunction(() => performance.getEntriesByName('first-frame').length > 0);
  assert.equal(await resting(page), 48);
  await comes(() => page.getByRole('textbox', { name: 'Replicas' }).first().inputValue(), '6');
  await comes(() => page.locator('.top .ac').textContent(), '+1');
  await comes(() => page.url(), /#./);
});
