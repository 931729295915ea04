// The glossary on the built page in Chromium: words and numbers with their formulas over the run, and the list of all words.
import assert from 'node:assert/strict';
import { comes, moreFigures, runFigures, suite, THEMES } from './harness.mjs';
import { theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const popover = (page) => page.locator('.term-popover');
const label = (page, name) => page.locator('.kpi h2 > span:first-child').filter({ hasText: name }).first();
const row = (page, head) =>
  popover(page)
    .locator('.term-rows > div')
    .filter({ has: page.locator('dt', { hasText: new RegExp(`^${head}$`) }) })
    .locator('dd');
const focusedText = (page) => page.evaluate(() => document.activeElement?.textContent);
/** The number in a text, without its unit. */
const number = (text) => Number(text.replaceAll(',', '').match(/[\d.]+/)[0]);

onPage('a hover opens the word of a key figure, and it stays while the pointer is in it', async (page) => {
  await moreFigures(page);
  await label(page, 'Goodput').hover();
  await popover(page).getByRole('heading', { name: 'Goodput' }).waitFor();
  await comes(() => row(page, 'here').innerText(), /^[\d,]+ \/ [\d.]+ = [\d.]+/);
  await popover(page).getByText('measured time').hover();
  // Longer than the popover stays after the pointer has left.
  await page.waitForTimeout(600);
  assert.equal(await popover(page).isVisible(), true);
  await page.mouse.move(700, 880);
  await popover(page).waitFor({ state: 'detached' });
});

onPage('the numbers in a formula are those of the report, and give its result', async (page) => {
  await runFigures(page);
  const goodput = page.locator('.blk dl > div').filter({ has: page.locator('dt', { hasText: /^Goodput$/ }) });
  const shown = number(await goodput.locator('dd').innerText());
  // The scroll that brings the row into sight may move it away from the pointer.
  const here = async () => {
    await page.mouse.move(700, 500);
    await goodput.locator('dt').hover();
    await page.waitForTimeout(700);
    return (await row(page, 'here').count()) > 0 ? row(page, 'here').innerText() : '';
  };
  await comes(here, /= [\d.]/);
  const [met, seconds, result] = (await row(page, 'here').innerText()).split(/[/=]/).slice(0, 3).map(number);
  assert.ok(Math.abs(met / seconds - result) <= 0.05, `${met} / ${seconds} = ${result}`);
  assert.equal(result, shown);
  assert.equal(number(await row(page, 'this run').innerText()), shown);
});

onPage('by keyboard: Tab comes to a group once, arrows go on, Enter goes in, Escape leaves', async (page) => {
  await moreFigures(page);
  // The first focus loads the glossary.
  await page.locator('.play').focus();
  await comes(() => page.locator('.kpi [data-term][tabindex="0"]').count(), 1);
  await page.locator('.kpi [data-term][tabindex="0"]').focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await popover(page).getByRole('heading', { name: 'TTFT' }).waitFor();
  assert.equal(await label(page, 'TTFT p99').getAttribute('aria-describedby'), 'term-said');
  for (let i = 0; i < 10 && (await focusedText(page)) !== 'TPOT p99'; i += 1) await page.keyboard.press('ArrowRight');
  await popover(page).getByRole('heading', { name: 'TPOT' }).waitFor();
  await page.keyboard.press('Enter');
  await comes(() => page.evaluate(() => document.activeElement?.className), /term-popover/);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Close');
  await page.keyboard.press('Escape');
  await popover(page).waitFor({ state: 'detached' });
  assert.equal(await focusedText(page), 'TPOT p99');
});

onPage('a click pins a word; a click elsewhere closes it', async (page) => {
  await page.locator('figcaption > b', { hasText: 'TTFT' }).first().click();
  await popover(page).getByRole('heading', { name: 'TTFT' }).waitFor();
  await page.mouse.move(5, 400);
  await page.waitForTimeout(600);
  assert.equal(await popover(page).isVisible(), true);
  await page
    .locator('.stage canvas')
    .first()
    .click({ position: { x: 5, y: 5 } });
  await popover(page).waitFor({ state: 'detached' });
});

onPage('all words are found by typing, and a word opens with its numbers', async (page) => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a command' }).fill('glossary');
  await page.keyboard.press('Enter');
  const list = page.getByRole('dialog', { name: 'Glossary' });
  await list.getByRole('searchbox', { name: 'Find a word' }).fill('little');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await comes(() => list.locator('.term-here dd').innerText(), /^[\d.]+ × [\d.]+ = [\d.]+\srequests/);
  for (const name of THEMES) {
    await theme(page, name);
    assert.deepEqual(await violations(page), [], name);
  }
  await list.getByRole('searchbox').fill('no such word');
  await list.getByText('No word matches.').waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
});

onPage('axe finds nothing in a popover, in either theme', async (page) => {
  await label(page, 'TTFT p99').click();
  await comes(() => row(page, 'here').innerText(), /=/);
  for (const name of THEMES) {
    await theme(page, name);
    assert.deepEqual(await violations(page), [], name);
  }
});

onPage('on a phone a tap opens a sheet from below', async (page) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await moreFigures(page);
  await label(page, 'E2E p99').click();
  await popover(page).getByRole('heading', { name: 'E2E' }).waitFor();
  const box = await popover(page).boundingBox();
  assert.deepEqual([box.x, box.width, Math.round(box.y + box.height)], [0, 390, 844]);
  assert.deepEqual(await violations(page), []);
  await popover(page).getByRole('button', { name: 'All words' }).click();
  await page.getByRole('dialog', { name: 'Glossary' }).getByRole('button', { name: 'E2E', expanded: true }).waitFor();
});
