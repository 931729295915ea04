// On a phone, by touch alone: everything that is side by side on a desktop can be reached by tapping.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { clock, comes, OPENING_S, resting, SIX, savedScenario, suite } from './harness.mjs';

const onPage = suite();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const tab = (page, name) => page.getByRole('navigation', { name: 'View' }).getByRole('button', { name });

onPage(
  'a tap opens what to run to, and the run goes there',
  async (page) => {
    await page.getByRole('button', { name: 'Choose what to run to' }).tap();
    const list = page.getByRole('dialog', { name: 'Choose what to run to' });
    await list.waitFor();
    await list.getByRole('button', { name: 'next edit' }).waitFor();
    // It is placed again once its content has loaded.
    await comes(async () => {
      const box = await list.boundingBox();
      return box.x >= 0 && box.x + box.width <= 390 && box.y >= 0;
    }, true);
    assert.equal(await clock(page), OPENING_S);
    await list.getByRole('button', { name: 'next edit' }).tap();
    await list.waitFor({ state: 'hidden' });
    await comes(() => clock(page), 60);
  },
  PHONE,
);

onPage(
  'the seed is edited in the section of the run, and the run uses it',
  async (page) => {
    await tab(page, 'Scenario').tap();
    const panel = page.getByRole('main', { name: 'Scenario' });
    await panel.getByRole('button', { name: /^Run/ }).tap();
    const seed = panel.getByRole('textbox', { name: 'Seed' });
    await seed.tap();
    await seed.fill('7');
    await page.keyboard.press('Enter');
    await panel.getByRole('tab', { name: /^Changes/ }).tap();
    await comes(() => panel.getByRole('button', { name: 'Undo', exact: true }).isEnabled(), true);
    await panel.getByRole('tab', { name: 'Form' }).tap();
    await resting(page);
    await comes(() => seed.inputValue(), '7');
    assert.match(readFileSync(await savedScenario(page), 'utf8'), /"seed": 7,/);
  },
  PHONE,
);

onPage(
  'the first key figures are on the screen, and the others one tap away, the cost too',
  async (page) => {
    // A link with a note opens the scenario.
    await tab(page, 'Stage').tap();
    const figures = page.locator('.kpi > div');
    await comes(() => figures.count(), 4);
    await page.getByRole('button', { name: /^\d+ more$/ }).tap();
    const cost = figures.filter({ hasText: 'Cost' });
    await comes(() => cost.locator('p').textContent(), /^\$\d+\.\d\d/);
    const boxes = await figures.evaluateAll((all) => all.map((figure) => figure.getBoundingClientRect().toJSON()));
    assert.equal(boxes.length, 11);
    const transport = await page.getByRole('region', { name: 'Transport' }).boundingBox();
    for (const { left, right, top, bottom, width } of boxes)
      assert.ok(left >= 0 && right <= 390 && top >= 0 && bottom <= transport.y && width > 60, `${left} ${top}`);
  },
  PHONE,
);

onPage(
  'a tap on a line of the log reads it, and its button opens the request',
  async (page) => {
    await tab(page, 'Inspector').tap();
    const inspector = page.getByRole('main', { name: 'Inspector' });
    await inspector.getByRole('tab', { name: 'Log' }).tap();
    await page.getByLabel('Kind of event').selectOption('completed');
    await page.waitForFunction(() =>
      [...document.querySelectorAll('.log-row .kind')].every((k) => k.textContent === 'completed'),
    );
    const row = page.locator('.log-row').last();
    const request = (await row.locator('.rq-no').textContent()).trim();
    await row.tap();
    await page.locator('.log-read p').filter({ hasText: request }).waitFor();
    const fall = page.getByRole('img', { name: /^Waterfall of request/ });
    await comes(() => fall.count(), 0, 'a tap alone opens nothing');
    await page
      .locator('.log-read')
      .getByRole('button', { name: `Open ${request}`, exact: true })
      .tap();
    await fall.waitFor();
    await comes(() => fall.getAttribute('aria-label'), new RegExp(`^Waterfall of request #?${request.slice(1)}\\b`));
  },
  PHONE,
);

for (const [held, viewport] of [
  ['upright', { width: 390, height: 844 }],
  ['across', { width: 844, height: 390 }],
]) {
  onPage(
    `a tap on a distribution shows the request at its place on a phone held ${held}`,
    async (page) => {
      await tab(page, 'Charts').tap();
      const canvas = page.locator('.ecdf canvas').first();
      await canvas.scrollIntoViewIfNeeded();
      const { width, height } = await canvas.boundingBox();
      await canvas.tap({ position: { x: width - 2, y: height / 2 } });
      await page.getByRole('img', { name: /^Waterfall of request/ }).waitFor();
    },
    { ...PHONE, viewport, link: SIX },
  );
}
