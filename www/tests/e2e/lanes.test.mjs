// The lanes in the built page in Chromium: opened, zoomed, panned and stepped with keys, brushed, a step and a request chosen.
import assert from 'node:assert/strict';
import { comes, inspectorTab, suite, THEMES } from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const link = '#router-showdown;t=60';
const lanes = (page) => page.locator('.lanes-canvas');
const sentence = (page) => page.locator('.lanes-canvas canvas').getAttribute('aria-label');
const plain = (text) => text.replaceAll('\u00a0', ' ').trim();

/** From when to when the lanes show, in seconds, and how many steps began there. */
async function shown(page) {
  const said = plain((await sentence(page)) ?? '');
  const [, from, to, steps] = /from ([\d.]+) to ([\d.]+) s: (\d+|no) steps? began/.exec(said) ?? [];
  return { from: Number(from), to: Number(to), steps: steps === 'no' ? 0 : Number(steps) };
}

async function opened(page) {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Lanes', exact: true }).click();
  await lanes(page).waitFor();
  await comes(async () => (await shown(page)).steps > 10, true, 'steps are there');
}

onPage.long(
  'lanes follow the playhead, and keys zoom, pan and fit them',
  async (page) => {
    await opened(page);
    const first = await shown(page);
    assert.ok(first.from < 60 && first.to > 60 && Math.abs(first.to - first.from - 2) < 0.02, JSON.stringify(first));
    await lanes(page).focus();
    await page.keyboard.press('w');
    await comes(async () => (await shown(page)).to - (await shown(page)).from < 1.5, true, 'W zooms in');
    await page.keyboard.press('s');
    await comes(async () => Math.abs((await shown(page)).to - (await shown(page)).from - 2) < 0.02, true, 'S out');
    await page.keyboard.press('a');
    await comes(async () => (await shown(page)).from < first.from - 0.2, true, 'A pans');
    await page.getByRole('button', { name: 'Follow the playhead' }).click();
    await comes(async () => Math.abs((await shown(page)).from - first.from) < 0.02, true, 'it follows again');
    await page.keyboard.press('Tab');
    await lanes(page).focus();
    await page.keyboard.press('f');
    await comes(async () => (await shown(page)).to > 200, true, 'F shows the run');
    for (const name of THEMES) {
      await theme(page, name);
      await painted(page);
      assert.deepEqual(await violations(page), [], name);
    }
  },
  { link },
);

onPage.long(
  'period and comma choose steps, whose terms add up in the inspector',
  async (page) => {
    await opened(page);
    await lanes(page).focus();
    await page.keyboard.press('.');
    // There is no step after the latest one.
    const latest = page.getByRole('heading', { name: /^Step [\d,]+$/ });
    const name = await latest.textContent();
    await page.keyboard.press('.');
    await page.keyboard.press('.');
    await comes(() => latest.textContent(), name);
    await inspectorTab(page, 'Step');
    const title = page.locator('.step-head h2');
    await title.waitFor();
    const number = async () => Number((await title.innerText()).replace(/\D/g, ''));
    const last = await number();
    await lanes(page).focus();
    await page.keyboard.press(',');
    await comes(number, last - 1);
    const cells = async (row) => (await row.locator('td').first().innerText()).replace(',', '');
    const rows = await page.locator('.terms tbody tr').all();
    const terms = await Promise.all(rows.map(async (row) => Number(await cells(row))));
    const whole = Number(await cells(page.locator('.terms tfoot tr')));
    const sum = terms.reduce((a, b) => a + b, 0);
    // Each is rounded to three digits.
    assert.ok(Math.abs(sum - whole) < 0.02 * whole + 0.03, `${terms} add up to ${whole}`);
    await page.getByText(/^It (took|takes) /).waitFor();
    await painted(page);
    assert.deepEqual(await violations(page), []);
  },
  { link },
);

onPage(
  'a drag on the ruler selects a span, whose steps are listed by replica; the table lists them too',
  async (page) => {
    await opened(page);
    const box = await lanes(page).boundingBox();
    const y = box.y + 50;
    await page.mouse.move(box.x + 200, y);
    await page.mouse.down();
    await page.mouse.move(box.x + 300, y, { steps: 4 });
    await page.mouse.up();
    const table = page.locator('.by-replica');
    await table.waitFor();
    const replicas = await table.locator('tbody tr').count();
    assert.ok(replicas >= 2, `${replicas} replicas`);
    await page.getByText('Selected span').waitFor();
    await page.keyboard.press('Escape');
    await lanes(page).focus();
    await page.keyboard.press('Escape');
    await comes(() => table.count(), 0, 'Escape clears the span');
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    const behind = page.getByRole('region', { name: 'Lanes as a table' });
    await behind.waitFor();
    assert.equal(await behind.locator('tbody').first().locator('tr').count(), replicas);
    await behind.locator('tbody').last().locator('button').last().click();
    await page.locator('.step-head h2').waitFor();
    await page.keyboard.press('Escape');
  },
  { link },
);

onPage(
  'a step is chosen with the pointer, and a request of the open replica',
  async (page) => {
    await opened(page);
    const box = await lanes(page).boundingBox();
    // The first lane begins below minimap, ruler and router.
    await page.mouse.click(box.x + 300, box.y + 96);
    await page.locator('.step-head h2').waitFor();
    await lanes(page).focus();
    const open = async () => Number(/r(\d+) has \d+ requests/.exec((await sentence(page)) ?? '')?.[1] ?? Number.NaN);
    await comes(async () => (await open()) >= 0, true, 'the replica that the stage frames is open');
    for (let at = await open(); at > 0; at -= 1) {
      await page.keyboard.press('[');
      await comes(open, at - 1, '[ opens the one before');
    }
    await page.keyboard.press(']');
    await comes(async () => /r1 has \d+ requests/.test((await sentence(page)) ?? ''), true, '] opens the next replica');
    await page.keyboard.press('Enter');
    await comes(async () => /has \d+ requests/.test((await sentence(page)) ?? ''), false, 'Enter closes it');
  },
  { link },
);
