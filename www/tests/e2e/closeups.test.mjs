// Close-ups have the height of the page: the stage is a strip above them, and comes back with the charts.
import assert from 'node:assert/strict';
import { comes, suite } from './harness.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const link = '#router-showdown;t=60';
const view = (page, name) =>
  page.getByRole('group', { name: 'View' }).getByRole('button', { name, exact: true }).click();
const height = (page, of) => page.locator(of).evaluate((it) => Math.round(it.getBoundingClientRect().height));

onPage(
  'a close-up takes the height and the charts give it back; a click on the strip selects',
  async (page) => {
    const whole = await height(page, '.mid > .stage');
    assert.ok(whole > 200, `${whole}`);
    for (const name of ['Lanes', 'KV', 'Density']) {
      await view(page, name);
      await comes(() => height(page, '.mid > .stage'), 60, name);
      assert.ok((await height(page, '.mid > .area')) > 500, name);
    }
    const { x, y, width } = await page.locator('.stage canvas').boundingBox();
    await page.mouse.click(x + width / 2 + 24, y + 13);
    await page.getByRole('complementary', { name: 'Inspector' }).getByRole('heading', { name: /^r\d$/ }).waitFor();
    assert.deepEqual(await violations(page, '.stage'), []);
    await view(page, 'Charts');
    await comes(() => height(page, '.mid > .stage'), whole);
  },
  { link },
);

onPage(
  'a link opens a close-up with the height, and a command brings the stage back',
  async (page) => {
    await comes(() => height(page, '.mid > .stage'), 60);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('stage again');
    await page.keyboard.press('Enter');
    await comes(async () => (await height(page, '.mid > .stage')) > 200, true);
  },
  { link: `${link};closeup=kv` },
);

onPage(
  'a link can have the stage beside a close-up',
  async (page) => {
    await page.locator('.kv-canvas').waitFor();
    assert.ok((await height(page, '.mid > .stage')) > 200);
  },
  { link: `${link};closeup=kv,stage` },
);

onPage(
  'the menu of a replica opens below the strip, whole',
  async (page) => {
    await view(page, 'Lanes');
    await comes(() => height(page, '.mid > .stage'), 60);
    const { x, y } = await page.locator('.stage canvas').boundingBox();
    await page.mouse.click(x + 40, y + 30, { button: 'right' });
    const menu = page.getByRole('dialog', { name: /^Break r/ });
    await menu.waitFor();
    const last = menu.locator('.menu-item').last();
    await last.click({ trial: true });
  },
  { link },
);

onPage(
  'a phone has stage and close-up in tabs of their own, each with the whole height',
  async (page) => {
    await page.getByRole('navigation', { name: 'View' }).getByRole('button', { name: 'Charts' }).click();
    await view(page, 'Lanes');
    await page.locator('.lanes-canvas').waitFor();
    await page.getByRole('navigation', { name: 'View' }).getByRole('button', { name: 'Stage' }).click();
    assert.ok((await height(page, '.mid > .stage')) > 200);
  },
  { link, viewport: { width: 390, height: 844 } },
);
