// The view of blocks in the built page in Chromium: the sum that must hold, the grid by pointer and keys, the tree, the router's
// picture, what happened, a large cluster, a cache that keeps nothing, a phone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { comes, drop, resting, savedScenario, suite, THEMES } from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const link = '#long-chats';
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const number = (text) => Number(text.replaceAll(',', ''));
const map = (page) => page.getByRole('application', { name: /^Blocks of r/ });
const heading = (page) => page.locator('.kv-sum h2').textContent();
const panel = (page) => page.locator('.kv-panel');
const chosen = (page, name) =>
  page.getByRole('group', { name, exact: true }).locator('[aria-pressed=true]').textContent();

async function openKv(page) {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'KV', exact: true }).click();
  await page.locator('.kv-sum').waitFor();
  await page.locator('.kv-canvas canvas').waitFor();
}

/** The terms of the sum, and the total. */
async function sum(page) {
  const numbers = await page.locator('.kv-sum p').first().locator('b').allTextContents();
  return numbers.map(number);
}

async function holds(page) {
  const [used, cached, free, total] = await sum(page);
  assert.equal(used + cached + free, total);
  assert.equal(await page.locator('.kv-ok').textContent(), '✓');
}

onPage(
  'the sum holds, on the page of blocks too, while the run plays',
  async (page) => {
    await openKv(page);
    await holds(page);
    const words = await page.locator('.kv-counts').textContent();
    const [used, cached, free] = words.match(/[\d,]+/g).map(number);
    const [, from, to] = (await page.locator('.kv-page .m').first().textContent())
      .match(/([\d,]+)–([\d,]+)/)
      .map((n) => number(n));
    assert.equal(used + cached + free, to - from + 1);
    const checked = () => page.locator('.kv-sum .checked').textContent();
    const before = await checked();
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await comes(async () => (await checked()) !== before, true, 'it follows the run');
    await page.getByRole('button', { name: 'Pause' }).click();
    await resting(page);
    await holds(page);
  },
  { link },
);

onPage(
  'keys move over the blocks, pin one, change the colours and the replica',
  async (page) => {
    await openKv(page);
    await map(page).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    const said = page.locator('.kv-map [aria-live]');
    await comes(() => said.textContent(), /^Block 65, /);
    await page.keyboard.press('Enter');
    await comes(() => panel(page).locator('h2').first().textContent(), 'Block 65');
    await page.keyboard.press('Escape');
    await panel(page).getByText('Point at a block').waitFor();
    assert.equal(await chosen(page, 'Colour by'), 'Owner');
    for (const name of ['Prefix group', 'Age', 'References', 'Owner']) {
      await page.keyboard.press('c');
      await comes(() => chosen(page, 'Colour by'), name);
    }
    await page.getByRole('group', { name: 'Replica' }).getByRole('button', { name: 'r0', exact: true }).click();
    await comes(() => heading(page), 'Blocks of r0');
    await map(page).focus();
    await page.keyboard.press(']');
    await comes(() => heading(page), 'Blocks of r1');
    await page.keyboard.press('[');
    await comes(() => heading(page), 'Blocks of r0');
    await page.keyboard.press('PageDown');
    await comes(() => page.locator('.kv-page b').first().textContent(), /^Page 2 of /);
    await comes(() => map(page).evaluate((it) => it === document.activeElement), true, 'the keys stay on the map');
  },
  { link },
);

onPage(
  'the blocks are those of the replica that has the selected request, then of the one selected on the stage',
  async (page) => {
    const pill = page.locator('.right .pill').filter({ hasText: / on r\d$/ });
    const [home] = /r\d$/.exec((await pill.textContent()).trim());
    await openKv(page);
    await comes(() => heading(page), `Blocks of ${home}`);
    await page.getByRole('application', { name: /^Stage/ }).focus();
    for (const replica of ['r0', 'r1']) {
      await page.keyboard.press('ArrowRight');
      await comes(() => heading(page), `Blocks of ${replica}`);
    }
  },
  { link: `${link};select=request:60` },
);

onPage(
  'a block pointed at lights its run, a click pins it, and its request opens',
  async (page) => {
    await openKv(page);
    await page.locator('.kv-canvas canvas').scrollIntoViewIfNeeded();
    // The block of the first request in the tree that is alone in its run.
    const box = await page.locator('.kv-canvas canvas').boundingBox();
    const pitch = Math.floor((box.width - 48) / 64);
    await page.mouse.move(box.x + 46 + pitch / 2, box.y + 34 + pitch / 2);
    await page.locator('.kv-pill').waitFor();
    assert.equal(await page.locator('.kv-pill').textContent(), '0');
    await comes(() => panel(page).locator('h2').first().textContent(), 'Block 0');
    await page.mouse.click(box.x + 46 + pitch / 2, box.y + 34 + pitch / 2);
    await page.mouse.move(box.x + 10, box.y + 5);
    await comes(() => panel(page).locator('h2').first().textContent(), 'Block 0');
    const row = page.locator('.kv-run:not(.shared)').first();
    const name = (await row.locator('.kv-run-name').innerText()).trim();
    await row.click();
    await page.getByRole('complementary', { name: 'Inspector' }).getByText(name).first().waitFor();
  },
  { link },
);

onPage(
  'runs stand in a tree, what the router believes beside what is true, and events are filtered',
  async (page) => {
    await openKv(page);
    await page.locator('.kv-run').first().waitFor();
    const rows = await page.locator('.kv-run').count();
    assert.ok(rows > 1, `${rows} rows`);
    for (const said of await page.locator('.kv-run').evaluateAll((all) => all.map((one) => one.title)))
      assert.match(said, /, from block [\d,]+, [\d,]+ blocks, [\d,]+ here, held by [\d,]+$/);
    await page
      .locator('.kv-beliefs')
      .getByText(/^The router /)
      .waitFor();
    const events = () =>
      page.locator('.kv-events li').evaluateAll((all) => [...new Set(all.map((one) => one.className))]);
    await page.getByRole('group', { name: 'Events' }).getByRole('button', { name: 'Hits' }).click();
    await comes(events, ['hit']);
    await page.locator('.kv-table summary').click();
    await page.locator('.kv-table tbody tr').first().waitFor();
  },
  { link },
);

onPage.long(
  'axe finds nothing in any colouring, dark or light',
  async (page) => {
    await openKv(page);
    for (const by of ['Owner', 'Prefix group', 'Age', 'References']) {
      await page.getByRole('group', { name: 'Colour by' }).getByRole('button', { name: by }).click();
      for (const name of THEMES) {
        await theme(page, name);
        await painted(page);
        assert.deepEqual(await violations(page), [], `${by}, ${name}`);
      }
    }
  },
  { link },
);

onPage.long(
  'a large cluster has the sums and no single blocks',
  async (page) => {
    await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'KV', exact: true }).click();
    await page.locator('.kv-sum').waitFor();
    await page.locator('.kv').getByText('Single blocks are shown in clusters of up to 8 replicas').waitFor();
    await holds(page);
    assert.equal(await page.locator('.kv-canvas').count(), 0);
  },
  { link: '#fleet-256' },
);

onPage.long(
  'without a prefix cache the view says so',
  async (page) => {
    const scenario = JSON.parse(readFileSync(await savedScenario(page), 'utf8'));
    for (const pool of scenario.cluster.pools) pool.kv = { ...pool.kv, prefix_caching: false };
    await drop(page, 'no-cache.json', JSON.stringify(scenario));
    await resting(page);
    await openKv(page);
    await page.getByText('Prefix cache is off: nothing is cached.').waitFor();
    await holds(page);
    assert.equal((await sum(page))[1], 0);
  },
  { link },
);

onPage(
  'a phone shows the grid, the tree and the events one after the other',
  async (page) => {
    await page.getByRole('navigation', { name: 'View' }).getByRole('button', { name: 'Charts' }).tap();
    await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'KV', exact: true }).tap();
    await page.locator('.kv-canvas canvas').waitFor();
    const box = await page.locator('.kv-canvas canvas').boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, `${box.x} ${box.width}`);
    await page.touchscreen.tap(box.x + 3, box.y + 37);
    await comes(() => panel(page).locator('h2').first().textContent(), 'Block 0');
    const part = (name) => page.getByRole('group', { name: 'Part' }).getByRole('button', { name });
    await part('Sharing').tap();
    await page.locator('.kv-run').first().waitFor();
    await part('Events').tap();
    await page.locator('.kv-events, .kv .say').first().waitFor();
    await painted(page);
    assert.deepEqual(await violations(page), []);
  },
  { ...PHONE, link },
);
