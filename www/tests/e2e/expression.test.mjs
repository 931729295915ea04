import { comes, resting, suite } from './harness.mjs';

const onPage = suite();
const scenarioPanel = (page) => page.getByRole('complementary', { name: 'Scenario' });

/** Chooses an option of one of the form's lists. */
async function choose(page, box, option) {
  await box.click();
  await page
    .getByRole('option')
    .filter({ has: page.locator('b', { hasText: option }) })
    .click();
  await resting(page);
}

onPage('an expression is written, corrected, used in the middle of a run, and kept in the link', async (page) => {
  const panel = scenarioPanel(page);
  await choose(page, panel.getByRole('combobox', { name: 'Policy' }).first(), /^Weighted$/);
  await choose(page, panel.getByRole('combobox', { name: 'Profile' }), /^Custom$/);
  await comes(() => panel.locator('.f.weight').count(), 3, 'the scorers of the default profile');

  // A named scorer opens as its expression, from the details of its row.
  await panel.getByRole('button', { name: 'Settings of Queue depth' }).click();
  await panel.getByRole('button', { name: 'Open as expression: Queue depth' }).click();
  const field = panel.locator('.expression input');
  await field.waitFor();
  await comes(() => field.inputValue(), /^max\.load > min\.load \? /);
  await resting(page);

  // Completions are offered during typing, and chosen by keyboard.
  await field.fill('');
  await field.pressSequentially('0.2 + 0.8 / (1 + wai');
  const words = panel.getByRole('option');
  await words.first().waitFor();
  await comes(() => panel.locator('.words code').allTextContents(), ['waiting', 'waiting_tokens', 'wait_s']);
  await field.press('ArrowDown');
  const first = await words.first().getAttribute('id');
  await comes(() => field.getAttribute('aria-activedescendant'), first);
  await field.press('Enter');
  await comes(() => field.inputValue(), '0.2 + 0.8 / (1 + waiting');

  // An error is shown in place, and the text is not used.
  await panel.locator('.expression .problems li').first().waitFor();
  await comes(() => panel.locator('.expression .problems').textContent(), /the end of the text at character 25/);
  await comes(() => field.getAttribute('aria-invalid'), 'true');
  await field.press('Enter');
  await comes(() => field.getAttribute('data-value'), /^max\.load/);
  await field.fill('0.2 + 0.8 / (1 + wating)');
  await panel.locator('.expression mark').waitFor();
  await page.waitForFunction(() => document.querySelector('.expression mark')?.textContent === 'wating');
  await comes(() => panel.locator('.expression .problems').textContent(), /did you mean `waiting`\?/);

  // Once corrected, it is in force from the playhead on.
  const text = '0.2 + 0.8 / (1 + waiting)';
  await field.fill(text);
  await panel.locator('.expression mark').waitFor({ state: 'detached' });
  const before = await page.evaluate(() => location.hash);
  await field.press('Enter');
  await page.waitForFunction((want) => document.querySelector('.expression input')?.dataset.value === want, text);
  await resting(page);
  await page.waitForFunction((old) => location.hash !== old, before);

  // The link brings it back, as an edit of the run.
  await page.reload();
  await page.waitForFunction((want) => document.querySelector('.expression input')?.dataset.value === want, text);
  await comes(() => panel.locator('.expression .problems').count(), 0);
});
