// Movement of a run: occasions that do not come, results of steps, and keys after a choice.
import assert from 'node:assert/strict';
import { clock, comes, resting, suite } from './harness.mjs';
import { goTo } from './sharing.mjs';

const onPage = suite();
const notice = (page) => page.locator('.notice-text').textContent();

async function runTo(page, name) {
  await page.getByRole('button', { name: 'Choose what to run to' }).click();
  await page.getByRole('dialog', { name: 'Choose what to run to' }).getByRole('button', { name }).click();
  await resting(page);
}

onPage('a run to an occasion that does not come stays, and says so', async (page) => {
  await runTo(page, 'next preemption');
  await comes(() => notice(page), 'No preemption up to the end at 240 s.');
  assert.equal(await clock(page), 48);
});

onPage('a run to a missed objective selects its request', async (page) => {
  await runTo(page, 'next missed objective');
  await page.getByRole('heading', { name: /^#\d+/ }).waitFor();
  assert.ok((await clock(page)) > 48);
});

onPage('a step of one event says what happened', async (page) => {
  await page.keyboard.press('.');
  await resting(page);
  await comes(() => notice(page), /^48\.\d{3} s: /);
});

onPage('Space plays after a choice with the pointer, and opens the list again after one by keys', async (page) => {
  const router = page.getByRole('combobox', { name: 'Policy' }).first();
  await router.scrollIntoViewIfNeeded();
  await router.click();
  await page.getByRole('option', { name: /^Random/ }).click();
  await page.getByRole('listbox').waitFor({ state: 'hidden' });
  await comes(() => page.evaluate(() => document.activeElement === document.body), true);
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.keyboard.press('Space');
  await resting(page);
  await router.focus();
  await page.keyboard.press('Space');
  await page.getByRole('listbox').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.getByRole('listbox').waitFor({ state: 'hidden' });
  await comes(() => router.evaluate((el) => el === document.activeElement), true);
});

onPage('the time field gives the keys back after a seek', async (page) => {
  await goTo(page, 50);
  await page.keyboard.press('t');
  await page.keyboard.type('30');
  await page.keyboard.press('Enter');
  await comes(() => clock(page), 30);
});

onPage('under races and sweeps nothing moves the run', async (page) => {
  await page.keyboard.press('c');
  await page.getByRole('button', { name: 'Race', exact: true }).click();
  for (const name of ['Play', 'Restart', 'Branch here'])
    await comes(() => page.getByRole('button', { name, exact: true }).isDisabled(), true, name);
  await page.keyboard.press('.');
  await page.getByRole('button', { name: 'Two runs', exact: true }).click();
  await comes(() => page.getByRole('button', { name: 'Play', exact: true }).isDisabled(), false);
  assert.equal(await clock(page), 48);
});

onPage('the speed control does not move when its neighbours change', async (page) => {
  const slider = () => page.locator('.speed').boundingBox();
  const before = await slider();
  await page.getByRole('button', { name: 'Branch here' }).click();
  await page.getByRole('button', { name: /^Runs/ }).waitFor();
  assert.deepEqual(await slider(), before);
});

onPage('an added request has a prompt, and arrives after the playhead', async (page) => {
  const add = page.getByRole('button', { name: 'Add request' });
  await add.scrollIntoViewIfNeeded();
  await add.click();
  await resting(page);
  assert.equal(await page.locator('.problem').count(), 0);
  await comes(
    () =>
      page
        .getByRole('textbox', { name: /^Arrival/ })
        .last()
        .inputValue(),
    '48.1',
  );
});
