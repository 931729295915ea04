// The first minute: four steps on the stage of the first view, at the first visit and from the help.
import assert from 'node:assert/strict';
import { comes, suite } from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const FIRST = { link: '', view: 'calm', minute: true, plays: true };
const PHONE = { ...FIRST, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const line = (page) => page.locator('#minute-line');
const says = async (page, words) => {
  await line(page).filter({ hasText: words }).waitFor();
  return (await line(page).innerText()).replaceAll(/\s+/g, ' ');
};
/** What wears the ring, by its name. */
const ringed = (page) =>
  page
    .locator('.ring:visible, .request-mark, .minute-head')
    .evaluateAll((all) => all.map((el) => el.getAttribute('aria-label') ?? (el.textContent.trim() || el.className)));
const step = (page) => page.locator('.minute-dots').getAttribute('aria-label');
const p99 = async (page) => (await page.locator('.calm-figures p').first().innerText()).replaceAll(/\s+/g, ' ');
const pick = async (page, router) => {
  await page.getByRole('button', { name: 'Router' }).click();
  await page.getByRole('button', { name: router }).click();
};

onPage(
  'all four steps by mouse: each waits for what is done, and says its number before and after',
  async (page) => {
    assert.equal(
      await says(page, 'Give requests'),
      'Round robin has buried r2. Give requests to the least loaded replica.',
    );
    assert.deepEqual([await step(page), await ringed(page)], ['Step 1 of 4', ['Round robin Router']]);
    await page.getByRole('button', { name: 'Router' }).click();
    // The words of the choices come after the engine.
    await comes(async () => (await ringed(page)).slice(1), ['Least loadedThe replica with the smallest load']);
    await page.getByRole('button', { name: /^Least loaded/ }).click();
    await says(page, 'p99 needs time to settle');
    assert.match(await p99(page), /^before the edit at [45]\d(\.\d+)? s: [23]\.\d+ s →/);
    // It plays fast as long as it waits, and then as before.
    assert.match(await page.locator('.speed').evaluate((el) => el.selectedOptions[0].textContent), /5×/);
    assert.match(await says(page, 'Now break one'), /^p99 [23]\.\d+ s → \d\d+ ms\. Now break one: take r0 away\.$/);
    assert.match(await page.locator('.speed').evaluate((el) => el.selectedOptions[0].textContent), / 1×/);
    assert.deepEqual([await step(page), await ringed(page)], ['Step 2 of 4', ['Break r0']]);
    await page.getByRole('button', { name: 'Break r0' }).click();
    assert.match(await says(page, 'What happened'), /^\d+ requests moved, none is lost\. What happened to /);
    const mark = page.locator('.request-mark');
    await mark.waitFor();
    assert.match(await mark.getAttribute('aria-label'), /^Request \d+, now at r[123]$/);
    assert.equal(await mark.getAttribute('aria-describedby'), 'minute-line');
    await mark.click();
    // The request may be between two tokens when it is clicked.
    await comes(() => says(page, 'Pull the playhead'), /^A pause of [\d.]+ m?s\. Pull the playhead back/);
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor();
    assert.deepEqual([await step(page), await ringed(page)], ['Step 4 of 4', ['minute-head']]);
    const { x, y, width, height } = await page.getByRole('slider', { name: 'Time' }).boundingBox();
    await page.mouse.move(x + width * 0.6, y + height - 8);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.3, y + height - 8, { steps: 3 });
    await page.mouse.up();
    assert.equal(
      await says(page, 'Done.'),
      'Done. Everything else is one key away: W opens the instrument, W brings you back.',
    );
    await comes(() => page.locator('.calm-says').innerText(), /^The same requests at the same instants/);
    await page.getByRole('button', { name: 'Open the instrument' }).click();
    await page.locator('.kpi').waitFor();
    await page.keyboard.press('w');
    await page.locator('.calm-says').waitFor();
    assert.equal(await line(page).count(), 0, 'once done it is over');
  },
  FIRST,
);

onPage(
  'all four steps by keyboard alone',
  async (page) => {
    await says(page, 'Give requests');
    const go = async (name) => {
      await page.getByRole('button', { name }).first().focus();
      await page.keyboard.press('Enter');
    };
    await go('Router');
    await page.locator('.router-list button:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await says(page, 'Now break one');
    await go('Break r0');
    await says(page, 'What happened');
    // In the order of the Tab key it comes after the tools, and is described by the line.
    await page.locator('.request-mark').waitFor();
    await page.locator('.request-mark').focus();
    await page.keyboard.press('Enter');
    await says(page, 'Pull the playhead');
    const slider = page.getByRole('slider', { name: 'Time' });
    assert.equal(await slider.getAttribute('aria-describedby'), 'minute-line');
    await slider.focus();
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await says(page, 'Done.');
    await page.keyboard.press('w');
    await page.locator('.kpi').waitFor();
  },
  FIRST,
);

onPage(
  'Skip and Esc end it, and it is seen once; the help brings it back',
  async (page) => {
    await says(page, 'Give requests');
    // An open menu closes first.
    await page.getByRole('button', { name: 'Router' }).click();
    await page.keyboard.press('Escape');
    await page.locator('.router-list').waitFor({ state: 'detached' });
    assert.equal(await line(page).count(), 1);
    await page.keyboard.press('Escape');
    await line(page).waitFor({ state: 'detached' });
    assert.deepEqual(await ringed(page), []);
    await page.reload();
    await page.getByRole('button', { name: 'First steps' }).waitFor();
    await page.locator('.calm-says', { hasText: 'four replicas' }).waitFor();
    assert.equal(await line(page).count(), 0);
    await page.keyboard.press('?');
    await page.getByRole('button', { name: 'Show the first minute again' }).click();
    await says(page, 'Give requests');
    await page.getByRole('button', { name: 'Skip', exact: true }).click();
    await line(page).waitFor({ state: 'detached' });
  },
  FIRST,
);

onPage(
  'the list of commands shows it again, from the whole page and another run',
  async (page) => {
    await page.locator('.kpi').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('first minute');
    await page.getByRole('option', { name: /Show the first minute again/ }).waitFor();
    await page.keyboard.press('Enter');
    await says(page, 'Round robin has buried r2.');
  },
  { link: '#kv-pressure', view: 'work', plays: true },
);

onPage.long(
  'a worse router is said to be worse, and the step waits for a better one',
  async (page) => {
    await says(page, 'Give requests');
    await pick(page, /^Always busiest/);
    await says(page, 'p99 needs time to settle');
    assert.match(await says(page, 'Worse.'), /^p99 [23]\.\d+ s → \d\d?\.\d+ s\. Worse\. Try the least loaded\.$/);
    assert.deepEqual([await step(page), await ringed(page)], ['Step 1 of 4', ['Always busiest Router']]);
  },
  FIRST,
);

onPage(
  'everything else works meanwhile, and the line waits',
  async (page) => {
    await says(page, 'Give requests');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Send a burst' }).click();
    await page.getByRole('button', { name: 'Scenario' }).click();
    await page.locator('.left').getByRole('tab', { name: 'Form' }).waitFor();
    await page.keyboard.press('w');
    await page.locator('.kpi').waitFor();
    await page.keyboard.press('w');
    assert.match(await says(page, 'Give requests'), /^Round robin has buried r2\./);
    // Another run has no steps.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Open “A KV cache that is too small”');
    await page.keyboard.press('Enter');
    await line(page).waitFor({ state: 'detached' });
  },
  FIRST,
);

onPage(
  'a paused run waits for Play, which wears the ring',
  async (page) => {
    await says(page, 'Give requests');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await pick(page, /^Least loaded/);
    assert.match(await says(page, 'Press Play'), /^Now: least loaded\. Press Play: p99 needs time to settle\.$/);
    await comes(() => ringed(page), ['Play']);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await says(page, 'the run plays at 5×');
    assert.deepEqual(
      await page.locator('.ring, .minute-head').evaluateAll((all) => all.flatMap((el) => el.getAnimations()).length),
      0,
    );
  },
  { ...FIRST, reducedMotion: 'reduce' },
);

onPage(
  'on a phone the line takes the place of the sentence, and nothing moves; axe finds nothing at any step',
  async (page) => {
    await says(page, 'Give requests');
    const found = [];
    const look = async (what) => {
      for (const name of ['dark', 'light']) {
        await theme(page, name);
        await painted(page);
        found.push(...(await violations(page)).map((v) => `${what}, ${name}: ${v}`));
      }
      const [head, stage] = await page
        .locator('.calm-figures, .stage-host')
        .evaluateAll((all) => all.map((el) => el.getBoundingClientRect().top));
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.equal(beyond, false, `${what}: nothing is wider than the page`);
      return [head, stage];
    };
    const places = await look('1');
    await pick(page, /^Least loaded/);
    await says(page, 'Now break one');
    assert.deepEqual(await look('2'), places);
    const box = await page.locator('.minute').boundingBox();
    assert.ok(box.y + box.height <= places[0] + 1, 'the line ends above the figures');
    await page.getByRole('button', { name: 'Break', exact: true }).click();
    await page.locator('.stage-sheet canvas').click({ position: { x: 90, y: 80 } });
    await says(page, 'Tap it');
    const mark = page.locator('.request-mark');
    await page.keyboard.press('Space');
    await mark.waitFor();
    assert.ok((await mark.boundingBox()).width >= 24);
    assert.deepEqual(await look('3'), places);
    await mark.click();
    await says(page, 'Pull the playhead');
    await page.getByRole('button', { name: 'Close the inspector' }).click();
    assert.deepEqual(await look('4'), places);
    await page.getByRole('slider', { name: 'Time' }).focus();
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    assert.equal(await says(page, 'Done.'), 'Done. Scenario and Why, below, open the rest.');
    assert.deepEqual(await look('end'), places);
    assert.deepEqual(found, []);
  },
  PHONE,
);

onPage.long(
  'axe finds nothing at any step on a desktop, and a screen reader is told each line once',
  async (page) => {
    const found = [];
    const look = async (what) => {
      await page.keyboard.press('Space');
      for (const name of ['dark', 'light']) {
        await theme(page, name);
        await painted(page);
        found.push(...(await violations(page)).map((v) => `${what}, ${name}: ${v}`));
      }
      await page.keyboard.press('Space');
    };
    const told = page.locator('.minute [role=status]');
    await says(page, 'Give requests');
    assert.match(await told.innerText(), /^Round robin has buried r2\./);
    await look('1');
    await pick(page, /^Least loaded/);
    await says(page, 'Now break one');
    await comes(() => told.innerText(), /Now break one/);
    await look('2');
    await page.getByRole('button', { name: 'Break r0' }).click();
    await page.locator('.request-mark').waitFor();
    await look('3');
    await page.locator('.request-mark').click();
    await says(page, 'Pull the playhead');
    await look('4');
    await page.getByRole('slider', { name: 'Time' }).focus();
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await says(page, 'Done.');
    await comes(() => told.innerText(), /^The same requests at the same instants/);
    assert.deepEqual(found, []);
  },
  FIRST,
);
