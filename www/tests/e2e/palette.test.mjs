// The list of commands, the sheet of keys and the menu of presets in the built page in Chromium.
import assert from 'node:assert/strict';
import { comes, resting, suite } from './harness.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const palette = (page) => page.getByRole('dialog', { name: 'Commands' });
const chosen = (page) => palette(page).locator('[role=option][aria-selected=true]').innerText();

onPage('a command is found by typing and done by Enter; the field says which is chosen', async (page) => {
  await page.keyboard.press('Control+k');
  const field = palette(page).getByRole('combobox', { name: 'Find a command' });
  await field.waitFor();
  assert.deepEqual(await violations(page), []);
  await field.fill('yaml');
  await comes(() => chosen(page), /Show the scenario as YAML/);
  await page.keyboard.press('Enter');
  await palette(page).waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'YAML', selected: true }).waitFor();
});

onPage('arrows choose, a preset opens, and a command without a match says so', async (page) => {
  await page.keyboard.press('Control+k');
  const field = palette(page).getByRole('combobox', { name: 'Find a command' });
  await field.fill('no such thing');
  await palette(page).getByText('No command matches').last().waitFor();
  await field.fill('cache preset');
  const first = await chosen(page);
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await chosen(page), first);
  await page.keyboard.press('ArrowUp');
  assert.equal(await chosen(page), first);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.preset-name')?.textContent !== 'chat-4xh100');
});

onPage('fields, exports and words of the glossary are found, also by other words for them', async (page) => {
  await page.keyboard.press('Control+k');
  const field = palette(page).getByRole('combobox', { name: 'Find a command' });
  const options = () => palette(page).getByRole('option').allInnerTexts();
  for (const [words, wanted] of [
    ['perfetto', /Save a trace of the run for Perfetto/],
    ['html', /page of HTML/],
    ['epp', /Take the policy home/],
    ['waterfall', /Show the request in the inspector/],
    ['autoscal', /Field\npool main: Policy/],
    ['why slow', /Why are slow requests slow/],
    ['present', /Hide the form and the inspector/],
  ]) {
    await field.fill(words);
    await comes(async () => (await options()).join('\n'), wanted, words);
  }
  await field.fill('router');
  await comes(() => chosen(page), /Choose the router/);
  await comes(async () => (await options()).join('\n'), /Routing policy/);
  await field.fill('routing policy');
  await comes(() => chosen(page), /Routing policy/);
  await page.keyboard.press('Enter');
  const search = page.getByRole('searchbox', { name: 'Search the form' });
  await comes(() => search.inputValue(), /\S/);
  await page.locator('.left').getByText('Policy', { exact: true }).first().waitFor();
});

onPage(
  'what is typed before the list of commands is there goes into its field, and runs no shortcut',
  async (page) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('share');
    await palette(page).getByRole('combobox').waitFor();
    await comes(() => palette(page).getByRole('combobox').inputValue(), 'share');
    assert.equal(await page.getByRole('dialog', { name: 'Share this run' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Pause', exact: true }).count(), 0);
  },
  {
    opened: (page) =>
      page.route(/Palette-[^/]*\.js$/, async (route) => {
        await new Promise((next) => setTimeout(next, 1000));
        await route.continue();
      }),
  },
);

onPage('a key right after the Escape that closes a dialog is not lost', async (page) => {
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Help' }).waitFor();
  await page.evaluate(() => {
    const press = (init) =>
      document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { bubbles: true, composed: true, cancelable: true, ...init }),
      );
    press({ key: 'Escape' });
    press({ key: 'k', ctrlKey: true });
  });
  await palette(page).getByRole('combobox').waitFor();
});

onPage('the sheet of help has the keys by groups, and switches them off: the single ones, or all', async (page) => {
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Help' });
  for (const group of ['Run', 'Step', 'Edit', 'View'])
    await sheet.getByRole('heading', { name: group, exact: true }).waitFor();
  await sheet.getByText('Repeat the last “run to”').waitFor();
  await sheet.getByRole('radio', { name: 'With Ctrl or ⌘ only' }).check();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+S');
  await page.keyboard.press('Control+k');
  await palette(page).getByRole('combobox').waitFor();
  assert.equal(await page.getByRole('dialog', { name: 'Share this run' }).count(), 0);
  await page.keyboard.press('Escape');
  await page.reload();
  await page.waitForFunction(() => performance.getEntriesByName('first-frame').length > 0);
  await resting(page);
  await page.keyboard.press('Control+k');
  await palette(page).getByRole('combobox').fill('help');
  await page.keyboard.press('Enter');
  await comes(() => sheet.getByRole('radio', { name: 'With Ctrl or ⌘ only' }).isChecked(), true);
  await sheet.getByRole('radio', { name: 'None' }).check();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.press('?');
  assert.equal(await page.getByRole('dialog').count(), 0);
});

onPage('the menu of presets is searched, grouped, and within the window', async (page) => {
  await page.getByRole('banner').getByRole('button', { name: 'Presets' }).click();
  const menu = page.getByRole('menu', { name: 'Presets' });
  await menu.getByRole('group', { name: 'Autoscaling' }).waitFor();
  const box = await menu.boundingBox();
  assert.ok(box.y + box.height <= 900, `${box.y + box.height}`);
  assert.deepEqual(await violations(page), []);
  await page.getByRole('searchbox', { name: 'Find a preset' }).fill('herd');
  await comes(() => menu.getByRole('menuitem').count(), 1);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.preset-name')?.textContent === 'stale-herd');
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('.preset-name')?.textContent === 'chat-4xh100');
  assert.equal(await resting(page), 48);
});
