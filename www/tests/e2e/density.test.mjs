// The view of density in the built page in Chromium: heat maps, the brush by pointer and keys, the table, what sets a selection apart.
import assert from 'node:assert/strict';
import { comes, resting, suite, THEMES } from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const link = '#kv-pressure;t=60';
const view = (page) => page.getByRole('region', { name: 'Density' });
const plain = (text) => text.replaceAll('\u00a0', ' ').replaceAll(',', '').trim();
const number = (text) => Number(/\d+/.exec(plain(text))?.[0]);

/** Opens the view and waits until it has answers. */
async function open(page) {
  await page.getByRole('button', { name: 'Density', exact: true }).click();
  await view(page).getByRole('row').nth(3).waitFor();
  await resting(page);
}

/** The requests of the table, and all that arrived. */
async function counted(page) {
  const [, matching, arrived] = /(\d+) of (\d+)/.exec(plain(await page.locator('.rows-count').innerText())) ?? [];
  return [Number(matching), Number(arrived)];
}

/** Drags over the heat map between shares of its plot. */
async function drag(page, [x0, y0], [x1, y1]) {
  const box = await page.locator('.heat-host').boundingBox();
  const at = (x, y) => [box.x + 40 + (box.width - 84) * x, box.y + 20 + (box.height - 38) * y];
  await page.mouse.move(...at(x0, y0));
  await page.mouse.down();
  await page.mouse.move(...at((x0 + x1) / 2, (y0 + y1) / 2), { steps: 3 });
  await page.mouse.move(...at(x1, y1), { steps: 3 });
  await page.mouse.up();
  await resting(page);
}

/** A box over everything that has arrived. */
const everything = (page) => drag(page, [0, 1], [0.999, 0]);

onPage(
  'the map, its table and the figures of the page count the same requests',
  async (page) => {
    await open(page);
    const [matching, arrived] = await counted(page);
    assert.equal(matching, arrived, 'without a brush');
    const map = view(page).getByRole('figure', { name: /^TTFT: / });
    const known = number((await map.getAttribute('aria-label')).split(':')[1]);
    assert.ok(known > 20 && known <= arrived, `${known} of ${arrived}`);
    await everything(page);
    await comes(async () => (await counted(page))[0], known, 'all with a first token are in the box');
    await comes(async () => number(await page.locator('.selection h2.big').innerText()), known);
    await page.keyboard.press('Escape');
    await comes(() => counted(page), [arrived, arrived]);
  },
  { link },
);

onPage(
  'a brush makes, adds and clears boxes; its requests are the rows, and what sets them apart is told',
  async (page) => {
    await open(page);
    const [, arrived] = await counted(page);
    await drag(page, [0.02, 0.9], [0.1, 0.2]);
    await comes(async () => (await page.locator('.rows-pill').count()) === 1, true);
    const [first] = await counted(page);
    assert.ok(first > 0 && first < arrived, `${first} of ${arrived}`);
    await page.keyboard.down('Shift');
    await drag(page, [0.12, 0.9], [0.2, 0.2]);
    await page.keyboard.up('Shift');
    await comes(() => page.locator('.rows-pill').count(), 2);
    const [both] = await counted(page);
    assert.ok(both > first, `${both} after ${first}`);
    const panel = page.getByRole('complementary', { name: 'Inspector' });
    await panel.getByText(`${both} requests`).waitFor();
    assert.match(
      plain(await panel.locator('.say').first().innerText()),
      /of them .*against .* of the rest|No property/,
    );
    await panel.getByRole('button', { name: 'Filter charts' }).click();
    await page.locator('.span-bar').waitFor();
    await page.getByRole('button', { name: 'Density', exact: true }).click();
    await comes(() => page.locator('.rows-pill').count(), 3, 'the span filters too');
    await view(page).getByRole('button', { name: 'Clear' }).click();
    await comes(async () => (await counted(page))[0], arrived);
  },
  { link },
);

onPage(
  'keys alone make, move and size a box, and open a request of the table',
  async (page) => {
    await open(page);
    const [, arrived] = await counted(page);
    const map = view(page).getByRole('region', { name: /^Brush of the TTFT map/ });
    await map.focus();
    await page.keyboard.press('b');
    await comes(() => page.locator('.rows-pill').count(), 1);
    const words = () => page.locator('.rows-pill').innerText();
    const begun = await words();
    await page.keyboard.press('ArrowLeft');
    await comes(async () => (await words()) !== begun, true);
    const moved = await words();
    for (let i = 0; i < 12; i += 1) await page.keyboard.press('ArrowDown');
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('Shift+ArrowRight');
    await comes(async () => (await words()) !== moved, true);
    await page.keyboard.press('Escape');
    await comes(() => counted(page), [arrived, arrived]);
    const grid = view(page).getByRole('grid');
    await grid.focus();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    const wanted = await grid.locator('#request-row-1 b').innerText();
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Inspector' }).getByText(wanted, { exact: true }).first().waitFor();
  },
  { link },
);

onPage(
  'heads sort the rows, and all of them are copied as CSV',
  async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page);
    const first = () => view(page).locator('#request-row-0 b').innerText();
    await view(page)
      .getByRole('button', { name: /^request/ })
      .click();
    await comes(first, '#0');
    await view(page)
      .getByRole('button', { name: /^request/ })
      .click();
    const [, arrived] = await counted(page);
    await comes(first, `#${arrived - 1}`);
    await view(page).getByRole('button', { name: 'Copy CSV' }).click();
    await comes(
      async () => (await page.evaluate(() => navigator.clipboard.readText())).trim().split('\n').length,
      arrived + 1,
    );
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(text, /^request,client,slo_class,replica,state,arrival_us,/);
  },
  { link },
);

onPage(
  'each latency has its map and its table, and axe finds nothing in either theme or on a phone',
  async (page) => {
    await open(page);
    for (const name of ['ITL', 'E2E', 'TTFT']) {
      await view(page).getByRole('button', { name, exact: true }).click();
      await view(page)
        .getByRole('figure', { name: new RegExp(`^${name}: [\\d,]+ (requests|gaps)`) })
        .waitFor();
      await view(page)
        .getByRole('button', { name: `${name} density as a table` })
        .click();
      const table = page.getByRole('region', { name: `${name} density as a table` });
      await table.getByRole('row').nth(2).waitFor();
      await page.keyboard.press('Escape');
      await comes(() => table.count(), 0);
    }
    await everything(page);
    for (const name of THEMES) {
      await theme(page, name);
      await painted(page);
      assert.deepEqual(await violations(page), [], name);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('navigation', { name: 'View' }).getByRole('button', { name: 'Charts' }).click();
    await painted(page);
    assert.deepEqual(await violations(page), [], 'on a phone');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false);
  },
  { link },
);
