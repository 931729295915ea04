// The first view: its flags and playhead, the menu of a phone, and presets that open playing.
import assert from 'node:assert/strict';
import { comes, suite } from './harness.mjs';

const onPage = suite();
const CALM = { link: '', view: 'calm', plays: true };
const PHONE = { ...CALM, viewport: { width: 390, height: 844 }, hasTouch: true };

/** Waits until the opening instant is there. */
const opened = (page) =>
  page.waitForFunction(() => Number.parseFloat(document.querySelector('.clock')?.textContent ?? '0') >= 48);

const boxOf = (page, selector) =>
  page.locator(selector).evaluate((el) => {
    const { left, right, top, bottom } = el.getBoundingClientRect();
    return { left, right, top, bottom };
  });

onPage(
  'flags stand above the chart, and one playhead goes through chart and timeline at every width',
  async (page) => {
    await opened(page);
    await page.keyboard.press('Space');
    for (const [width, height] of [
      [1920, 1080],
      [1440, 900],
      [1024, 768],
      [768, 900],
      [390, 844],
    ]) {
      await page.setViewportSize({ width, height });
      const apart = async () => {
        const [upper, lower] = [await boxOf(page, '.charts-times .playhead'), await boxOf(page, '.scrubber-line')];
        return Math.max(Math.abs(upper.left - lower.left), lower.top - upper.bottom);
      };
      await comes(async () => (await apart()) <= 1, true);
      const plot = await boxOf(page, '.calm-area .plot');
      const flag = await boxOf(page, '.flag-mark');
      assert.ok(flag.top < plot.top, `${width}: the flag is above the plot`);
    }
  },
  CALM,
);

onPage(
  'a flag of the scenario is an outline, one of the hand is filled, and both open what they changed',
  async (page) => {
    await opened(page);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Break r0' }).click();
    await page.keyboard.press('Space');
    await page.getByText(/r0 is down/).waitFor();
    await page.keyboard.press('Space');
    await comes(() => page.locator('.flag-mark.scheduled').count(), 1);
    await comes(() => page.locator('.flag-mark.applied:not(.scheduled)').count(), 1);
    await page.locator('.flag-mark:not(.scheduled)').click();
    await page.getByRole('dialog', { name: 'Edits on the timeline' }).getByText('Crash').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.flag-mark.scheduled').click();
    await page.getByRole('dialog', { name: 'Edits on the timeline' }).getByText('Slow').first().waitFor();
  },
  CALM,
);

onPage(
  'a flag is dragged to another instant',
  async (page) => {
    await opened(page);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Break r1' }).click();
    const mine = page.locator('.flag-mark:not(.scheduled)');
    await mine.waitFor();
    const { x, y } = await mine.boundingBox();
    await page.mouse.move(x + 8, y + 6);
    await page.mouse.down();
    await page.mouse.move(x - 100, y + 6, { steps: 4 });
    await page.locator('.flag-carried').waitFor();
    await page.mouse.up();
    await comes(async () => (await mine.boundingBox()).x < x - 80, true);
  },
  CALM,
);

onPage(
  'on a phone flags are masts, and a tap shows their words',
  async (page) => {
    await opened(page);
    await page.locator('.play').tap();
    assert.equal(await page.locator('.flag-lane text').count(), 0);
    await page.locator('.flag-mark').tap({ position: { x: 20, y: 8 } });
    await page.getByRole('dialog', { name: 'Edits on the timeline' }).getByText('Slow').first().waitFor();
  },
  PHONE,
);

onPage(
  'on a phone one menu has all names, and each opens its view',
  async (page) => {
    await opened(page);
    await page.locator('.play').tap();
    const choose = async (name) => {
      await page.getByRole('button', { name: 'Menu' }).tap();
      await page.getByRole('dialog', { name: 'Menu' }).getByRole('button', { name, exact: true }).tap();
    };
    await choose('Gallery');
    await page.getByRole('dialog', { name: 'Presets' }).waitFor();
    await page.keyboard.press('Escape');
    await choose('Compare');
    await page.getByRole('button', { name: 'Race', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await choose('Share');
    await page.getByRole('dialog', { name: /Share/ }).waitFor();
    await page.keyboard.press('Escape');
    await choose('Find a command');
    await page.getByRole('dialog', { name: /command/i }).waitFor();
    await page.keyboard.press('Escape');
    await choose('Light theme');
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
    await choose('Learn');
    await page
      .getByRole('heading', { name: /Lessons/ })
      .first()
      .waitFor();
  },
  PHONE,
);

onPage(
  'a preset of the gallery plays when it is opened for the first time, and rests the second time',
  async (page) => {
    await opened(page);
    const open = async (name) => {
      await page.getByRole('button', { name: 'Gallery' }).click();
      await page.locator(`.card[data-preset=${name}]`).click();
      await page.getByRole('dialog', { name: 'Presets' }).waitFor({ state: 'detached' });
    };
    const at = (from, to) =>
      page.waitForFunction(
        ([from, to]) => {
          const now = Number.parseFloat(document.querySelector('.clock')?.textContent ?? '');
          return now >= from && now < to;
        },
        [from, to],
      );
    await open('router-showdown');
    await at(42, 48);
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await at(42.5, 100);
    await open('chat-4xh100');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.keyboard.press('Space');
    await open('router-showdown');
    await at(42, 42.1);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  },
  CALM,
);
