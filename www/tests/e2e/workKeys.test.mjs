// The keys of the first view and of the work view: the same in both.
import assert from 'node:assert/strict';
import { clock, comes, OPENING_S, pickSlowest, resting, suite } from './harness.mjs';

const onPage = suite();
const FIRST = { view: 'calm', link: '#slow-replica' };

const at = (page, seconds) =>
  page.waitForFunction(
    (s) => Math.abs(Number.parseFloat(document.querySelector('.clock').innerText.replaceAll(',', '')) - s) < 0.01,
    seconds,
  );

onPage('the arrows go by one second, with Shift by ten', async (page) => {
  for (const [key, s] of [
    ['ArrowRight', OPENING_S + 1],
    ['Shift+ArrowRight', OPENING_S + 11],
    ['ArrowLeft', OPENING_S + 10],
    ['Shift+ArrowLeft', OPENING_S],
  ]) {
    await page.keyboard.press(key);
    await at(page, s);
  }
});

onPage('R opens the list of routers in the form, B sends a burst, and X breaks the selected replica', async (page) => {
  await page.keyboard.press('r');
  await page.getByRole('listbox').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('listbox').waitFor({ state: 'hidden' });
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('b');
  await page.getByRole('tab', { name: 'Changes 1' }).waitFor();
  await page.getByRole('application', { name: /^Stage/ }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('x');
  await page.getByRole('tab', { name: 'Changes 2' }).waitFor();
  await comes(
    () =>
      page
        .locator('.flag-stops button')
        .allTextContents()
        .then((all) => all.join()),
    /r0/,
  );
});

onPage('J and K go from request to request, and 1 to 4 choose the view', async (page) => {
  const number = () =>
    page
      .locator('.right h2.big')
      .innerText()
      .then((text) => Number(text.slice(1)));
  await pickSlowest(page);
  const first = await number();
  await page.keyboard.press('j');
  await comes(number, first + 1);
  await page.keyboard.press('k');
  await comes(number, first);
  await page.keyboard.press('4');
  await page.getByRole('region', { name: 'Density' }).waitFor();
  await page.keyboard.press('3');
  await page.getByRole('region', { name: 'KV' }).waitFor();
  await page.keyboard.press('2');
  await page.getByRole('region', { name: 'Lanes' }).waitFor();
  await page.keyboard.press('1');
  await page.getByRole('region', { name: 'Charts', exact: true }).waitFor();
});

onPage('S and Y go to the scenario and to the inspector', async (page) => {
  const focused = () => page.evaluate(() => document.activeElement.closest('.left, .right')?.className.split(' ')[0]);
  await page.keyboard.press('s');
  await comes(focused, 'left');
  await page.keyboard.press('y');
  await comes(focused, 'right');
});

onPage(
  'in the first view R opens the menu of routers, S the scenario, and Escape closes the latest thing',
  async (page) => {
    await page.keyboard.press('r');
    await page.getByRole('button', { name: /^Least loaded/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('s');
    await page.locator('.left').getByRole('tab', { name: 'Form' }).waitFor();
    await page.keyboard.press('y');
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.locator('.left').waitFor({ state: 'detached' });
    await resting(page);
    const before = await clock(page);
    assert.ok(before > 0);
    await page.keyboard.press('ArrowRight');
    await at(page, before + 1);
  },
  FIRST,
);
