// The stage in the hand: each drag is the edit of the form, by mouse, finger and key, in the first view and in the whole page.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { comes, resting, savedScenario, suite } from './harness.mjs';

const onPage = suite();
const LINK = '#slow-replica;t=48';
const SPLIT = '#ratio-of-the-day';

/** Waits until the code of the hand is there, and says where the stage's picture is. */
async function stage(page) {
  await page.locator('.hand').waitFor({ state: 'attached' });
  const canvas = page.locator('.stage-host canvas');
  return { canvas, box: await canvas.boundingBox() };
}

const says = (page) => page.locator('.hand-says').innerText();
const spaced = (text) => text.replaceAll(/\s+/g, ' ');

/** The place of the edge that the pointer finds when it moves over these places of the stage. */
async function edge(page, places, name) {
  const { box } = await stage(page);
  for (const [x, y] of places) {
    await page.mouse.move(box.x + x, box.y + y);
    const found = await page.locator('.hand-says').allInnerTexts();
    if (found.some((words) => words.startsWith(name))) return { x: box.x + x, y: box.y + y };
  }
  throw new Error(`no edge of ${name}`);
}

/** The places of a line across the stage. */
const across = (y, from, to, step = 3) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => [from + i * step, y]);
const down = (x, from, to, step = 3) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => [x, from + i * step]);

const kvEdge = async (page) => {
  const { box } = await stage(page);
  return edge(page, across(80, box.width - 260, box.width, 2), 'KV cache');
};
const rateEdge = (page) => edge(page, down(30, 60, 300), 'Arrivals');

/** Drags from a place by so much, and looks before it lets go. */
async function drag(page, { x, y }, dx, dy, before = async () => {}) {
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + dx / 2, y + dy / 2);
  await page.mouse.move(x + dx, y + dy);
  await before();
  await page.mouse.up();
}

const edits = async (page) => JSON.parse(readFileSync(await savedScenario(page), 'utf8')).edits ?? [];
/** The edits that come with the scenario. */
const ORIGINAL = 1;
/** What the edit sets that was made beside those of the scenario, once it is there. */
const added = async (page, how = ORIGINAL) => {
  await comes(async () => (await edits(page)).length > how, true);
  return (await edits(page)).at(-1).set;
};
const flags = (page) => page.getByRole('button', { name: /^Edit at 48\.000 s: / }).count();

onPage(
  'an edge of blocks that is pulled makes the edit of the form, with its flag, and is undone',
  async (page) => {
    const before = await edits(page);
    let value = '';
    await drag(page, await kvEdge(page), 60, 0, async () => {
      const words = spaced(await says(page));
      assert.match(words, /^KV cache 28,269 → [\d,]+ blocks each$/);
      value = words.match(/→ ([\d,]+)/)[1].replaceAll(',', '');
      assert.equal((await flags(page)) > 0, false, 'no edit while it is dragged');
    });
    await comes(() => flags(page), 1);
    const byHand = await added(page);
    assert.deepEqual(byHand, { 'cluster.pools[0].kv.blocks': Number(value) });
    await page.keyboard.press('Control+z');
    await comes(async () => edits(page), before);
    // The same by the form.
    const panel = page.getByRole('complementary', { name: 'Scenario' });
    await panel.getByRole('searchbox').fill('KV cache blocks');
    await panel.getByRole('combobox', { name: 'Blocks', exact: true }).click();
    await page.getByRole('option', { name: /^Set/ }).click();
    const field = panel.getByRole('textbox', { name: /^Number/ }).first();
    await field.fill(value);
    await field.press('Enter');
    await comes(() => added(page), byHand);
  },
  { link: LINK },
);

onPage(
  'Escape ends a drag without an edit and keeps the selection',
  async (page) => {
    const before = await edits(page);
    const at = await kvEdge(page);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 60, at.y, { steps: 3 });
    await page.locator('.hand-ghost').waitFor({ state: 'attached' });
    const selected = await page.locator('.right [role=tab][aria-selected=true]').textContent();
    await page.keyboard.press('Escape');
    await comes(() => page.locator('.hand-ghost').count(), 0);
    await page.mouse.up();
    await resting(page);
    assert.deepEqual(await edits(page), before);
    assert.equal(await page.locator('.right [role=tab][aria-selected=true]').textContent(), selected);
  },
  { link: LINK },
);

onPage(
  'a ribbon that is pulled thicker is the rate of the workload',
  async (page) => {
    await drag(page, await rateEdge(page), 0, -60, async () => {
      assert.match(spaced(await says(page)), /^Arrivals 26 → 37 req\/s$/);
    });
    const set = await added(page);
    assert.deepEqual(Object.values(set), [37]);
    assert.match(Object.keys(set)[0], /^workload\.clients\[0\]\.arrivals\.\w+\.rate_per_s$/);
    await page.getByRole('textbox', { name: /^Rate/ }).first().waitFor();
    assert.equal(await page.getByRole('textbox', { name: /^Rate/ }).first().inputValue(), '37');
  },
  { link: LINK },
);

/** Carries the first bar of a row, right of `x`, to another row. */
async function carry(page, { rows, x, h }, from, to) {
  const { box } = await stage(page);
  const y = (row) => box.y + rows + (row + 0.6) * h;
  let at = box.x + x;
  const taken = async () => {
    for (at = box.x + x; at < box.x + x + 120; at += 4) {
      await page.mouse.move(at, y(from));
      if ((await page.locator('.stage-sheet').getAttribute('data-hand')) === 'takes') return true;
    }
    return false;
  };
  await comes(taken, true);
  await drag(page, { x: at, y: y(from) }, 20, y(to) - y(from), async () => {
    assert.match(spaced(await says(page)), new RegExp(`^#\\d+ on r${from} → r${to}$`));
    assert.equal(await page.locator('.hand-target').count(), 1);
  });
}

onPage(
  'a request that is carried to another replica is the what-if question of its panel',
  async (page) => {
    const before = await edits(page);
    await carry(page, { rows: 40, x: 426, h: 54 }, 1, 3);
    const panel = page.getByRole('main', { name: 'Compare with B' });
    await panel
      .getByText(/request \d+ to r3/)
      .first()
      .waitFor();
    await panel
      .locator('.compare-differs')
      .getByText(/Request \d+ to/)
      .waitFor();
    await page.keyboard.press('c');
    assert.deepEqual(await edits(page), before, 'the run on screen stays');
  },
  { link: LINK },
);

onPage(
  'the first view has the same edges and requests in its rows',
  async (page) => {
    const { box } = await stage(page);
    await drag(page, await edge(page, across(80, box.width - 42, box.width - 20, 1), 'KV cache'), -60, 0);
    await page.keyboard.press('w');
    await page.locator('.kpi').waitFor();
    assert.deepEqual(await added(page), { 'cluster.pools[0].kv.blocks': 20_000 });
    await page.keyboard.press('w');
    await page.locator('.calm-says').waitFor();
    await drag(page, await edge(page, down(60, 120, 260), 'Arrivals'), 0, -60);
    await page.keyboard.press('w');
    await page.locator('.kpi').waitFor();
    await comes(
      async () =>
        Object.entries(await added(page))
          .filter(([path]) => path.endsWith('rate_per_s'))
          .at(0)?.[1],
      37,
    );
    await page.keyboard.press('w');
    await page.locator('.calm-says').waitFor();
    await carry(page, { rows: 36, x: 822, h: 92 }, 1, 2);
    await page
      .getByRole('main', { name: 'Compare with B' })
      .getByText(/request \d+ to r2/)
      .first()
      .waitFor();
  },
  { link: LINK, view: 'calm' },
);

onPage(
  'the boundary between prefill and decode moves replicas as the ratio of the form does',
  async (page) => {
    const { box } = await stage(page);
    const before = (await edits(page)).length;
    const at = await edge(page, across(26, box.width * 0.3, box.width * 0.75), 'Prefill : decode');
    let words = '';
    await drag(page, { ...at, x: at.x + 20 }, 40, 0, async () => {
      words = spaced(await says(page));
      assert.match(words, /^Prefill : decode \d+ : \d+ → \d+ : \d+/);
    });
    const byHand = await added(page, before);
    const [, p, d] = words.match(/→ (\d+) : (\d+)/);
    await comes(() => page.locator('.ratio-now').first().textContent(), new RegExp(`^${p} : ${d}`));
    await page.keyboard.press('Control+z');
    await resting(page);
    await page.getByRole('button', { name: 'One prefill replica more' }).first().click();
    await comes(() => added(page, before), byHand);
  },
  { link: SPLIT },
);

onPage(
  'all of it is there by keys: the menu of the stage, arrows for a value, Enter for the edit',
  async (page) => {
    await stage(page);
    await page.getByRole('application', { name: /^Stage/ }).focus();
    await page.keyboard.press('ArrowDown');
    for (const title of ['Step', 'Request']) {
      await page.keyboard.press('Enter');
      await page.getByRole('tab', { name: title, selected: true }).waitFor();
    }
    await page.keyboard.press('Shift+F10');
    const menu = page.getByRole('dialog', { name: 'Break r0' });
    await menu.waitFor();
    const item = menu.getByRole('button', { name: /^KV cache/ });
    for (let i = 0; i < 20 && !(await item.evaluate((e) => e === document.activeElement)); i += 1)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const field = menu.getByRole('spinbutton', { name: /^KV cache/ });
    await field.focus();
    await page.keyboard.press('ArrowUp');
    assert.equal(await field.inputValue(), '31000');
    await page.keyboard.press('Enter');
    await menu.waitFor({ state: 'detached' });
    assert.deepEqual(await added(page), { 'cluster.pools[0].kv.blocks': 31_000 });
    await page.getByRole('application', { name: /^Stage/ }).focus();
    await page.keyboard.press('ContextMenu');
    await menu.waitFor();
    await menu.getByRole('button', { name: /^Send #\d+ to/ }).press('Enter');
    await menu.getByRole('button', { name: 'Send it to r3' }).press('Enter');
    await page
      .getByRole('main', { name: 'Compare with B' })
      .getByText(/request \d+ to r3/)
      .first()
      .waitFor();
  },
  { link: LINK },
);

onPage(
  'a right click beside the replicas opens what can be changed',
  async (page) => {
    const { canvas } = await stage(page);
    await canvas.click({ button: 'right', position: { x: 40, y: 120 } });
    const menu = page.getByRole('dialog', { name: 'Change the run' });
    await menu.getByRole('button', { name: /^Arrivals/ }).click();
    await menu.getByRole('spinbutton', { name: /^Arrivals/ }).fill('30');
    await menu.getByRole('button', { name: 'Apply' }).click();
    assert.deepEqual(Object.values(await added(page)), [30]);
  },
  { link: LINK },
);

/** A finger on the page, moved step by step. */
async function finger(page) {
  const devtools = await page.context().newCDPSession(page);
  const send = (type, touchPoints) => devtools.send('Input.dispatchTouchEvent', { type, touchPoints });
  return {
    press: (x, y) => send('touchStart', [{ x, y }]),
    move: async (x, y, dx, dy) => {
      for (let i = 1; i <= 5; i += 1) await send('touchMove', [{ x: x + (dx * i) / 5, y: y + (dy * i) / 5 }]);
    },
    lift: () => send('touchEnd', []),
  };
}

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

onPage(
  'a finger pulls an edge from 20 px beside it, and carries a request after it has rested on it',
  async (page) => {
    const { box } = await stage(page);
    const touch = await finger(page);
    await page.locator('.hand-edge[data-on=kv]').first().waitFor({ state: 'attached' });
    const kv = await page.locator('.hand-edge[data-on=kv]').first().boundingBox();
    const [x, y] = [kv.x - 18, kv.y + kv.height / 2];
    await touch.press(x, y);
    await touch.move(x, y, -60, 4);
    assert.match(spaced(await says(page)), /^KV cache 28,269 → 20,000 blocks each$/);
    await touch.lift();
    await page.getByRole('button', { name: 'Scenario', exact: true }).click();
    assert.deepEqual(await added(page), { 'cluster.pools[0].kv.blocks': 20_000 });
    await page.getByRole('button', { name: 'Close the scenario' }).click();
    // A row's first bar, carried to the next row.
    await resting(page);
    const rows = await page.locator('.hand-edge[data-on=kv]').all();
    const [from, to] = await Promise.all([rows[1].boundingBox(), rows[2].boundingBox()]);
    const bar = { x: box.x + 237, y: from.y + from.height / 2 + 8 };
    await touch.press(bar.x, bar.y);
    await page.locator('.hand-ghost').waitFor({ state: 'attached' });
    await touch.move(bar.x, bar.y, 0, to.y - from.y);
    await page.locator('.hand-target').waitFor({ state: 'attached' });
    await touch.lift();
    await page.getByRole('main', { name: 'Compare with B' }).waitFor();
  },
  { ...PHONE, link: LINK, view: 'calm' },
);
