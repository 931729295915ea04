// The first view at the sizes of a low phone and a wide screen, and with a fleet that has no rows.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';
import { painted } from './texts.mjs';

const onPage = suite();
const CALM = { link: '', view: 'calm', plays: true };

/** Waits until the opening instant is there. */
const opened = (page) =>
  page.waitForFunction(() => Number.parseFloat(document.querySelector('.clock')?.textContent ?? '0') >= 48);
const boxOf = (page, selector) => page.locator(selector).first().boundingBox();

onPage(
  'a low phone has its whole chart and its clock above Play, and its tools below the rows',
  async (page) => {
    await opened(page);
    await page.locator('.play').tap();
    await painted(page);
    const [tools, rows, plot, foot] = await Promise.all(
      ['.calm-tools', '.stage-view', '.calm-area .plot', '.foot'].map((selector) => boxOf(page, selector)),
    );
    assert.ok(rows.y + rows.height <= tools.y, 'the tools cover a row');
    assert.ok(plot.height >= 90, `${plot.height} px of the chart`);
    assert.ok(plot.y + plot.height <= foot.y + 1, 'the chart is cut');
    const clock = page.getByRole('timer', { name: 'Simulated time' });
    assert.match(await clock.innerText(), /^\d+\.\d\s*s$/);
    assert.ok((await clock.boundingBox()).y < foot.y);
  },
  { ...CALM, viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
);

onPage(
  'a high and wide page has rows that fill its stage, and content of at most 1,600 px',
  async (page) => {
    await opened(page);
    await page.keyboard.press('Space');
    await painted(page);
    const breaks = page.getByRole('button', { name: /^Break r/ });
    const [first, last] = [await breaks.first().boundingBox(), await breaks.last().boundingBox()];
    const hint = await boxOf(page, '.calm-hint');
    assert.ok(hint.y - last.y < 120, `${hint.y - last.y} px below the last row`);
    assert.ok(last.y - first.y > 300, `${last.y - first.y} px from the first row to the last`);
    const says = await boxOf(page, '.calm-says');
    assert.ok(first.x + first.width - says.x <= 1600, `${first.x + first.width - says.x} px wide`);
    assert.ok(Math.abs(says.x + 800 - 960) < 2, `the content begins at ${says.x}`);
  },
  { ...CALM, viewport: { width: 1920, height: 1080 } },
);

onPage(
  'a fleet that is drawn without rows has the three tools below its stage',
  async (page) => {
    await page.getByRole('button', { name: 'Send a burst' }).waitFor();
    await page.getByRole('button', { name: 'Router' }).click();
    await page.getByRole('button', { name: /^Least loaded/ }).click();
    await page.getByRole('button', { name: 'Least loaded Router' }).waitFor();
    await page.getByRole('button', { name: 'Break', exact: true }).click();
    await page.getByRole('button', { name: 'Pick a replica', pressed: true }).waitFor();
    await painted(page);
    const { width, height } = await boxOf(page, '.stage canvas');
    await page
      .locator('.stage canvas')
      .first()
      .click({ position: { x: width / 2, y: height / 2 } });
    // The pick was taken as the aim of the break.
    await page.getByRole('button', { name: 'Break', exact: true, pressed: false }).waitFor();
  },
  { link: '#fleet-256', view: 'calm' },
);

onPage(
  'with the system’s colours the dots and the ring of a step are seen',
  async (page) => {
    await page.locator('#minute-line').waitFor();
    const ring = page.locator('.router-tool.ring');
    await ring.waitFor();
    assert.equal(await ring.evaluate((el) => getComputedStyle(el).outlineStyle), 'solid');
    const dots = await page
      .locator('.minute-dots i')
      .evaluateAll((all) => all.map((el) => getComputedStyle(el).borderTopStyle));
    assert.deepEqual(dots, ['solid', 'solid', 'solid', 'solid']);
  },
  { ...CALM, minute: true, forcedColors: 'active' },
);

onPage(
  'on a phone the key and the command of a close-up show it, whichever tab is open',
  async (page) => {
    await page.getByRole('button', { name: 'Scenario', exact: true }).tap();
    await page.keyboard.press('2');
    await page.getByRole('button', { name: 'Charts', exact: true, current: true }).first().waitFor();
    await page.locator('.closeup').first().waitFor();
  },
  { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
);
