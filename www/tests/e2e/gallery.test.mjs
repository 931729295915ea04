// The gallery of presets, links in notes, and rows as files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cli,
  clock,
  comes,
  part,
  preset,
  resting,
  savedReport,
  scratch,
  seedField,
  shareFiles,
  suite,
  THEMES,
} from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const gallery = (page) => page.getByRole('dialog', { name: 'Presets' });
const cards = (page) => gallery(page).locator('.card');

async function openGallery(page) {
  await page.keyboard.press('p');
  await cards(page).first().waitFor();
}

/** Waits until the clock shows an instant. */
async function shows(page, timeS) {
  await page.waitForFunction((s) => Number(document.querySelector('.clock')?.firstChild?.textContent) === s, timeS);
}

onPage('the gallery opens, is searched and opens a preset by keyboard alone', async (page) => {
  await openGallery(page);
  const all = await cards(page).count();
  assert.ok(all >= 14, `${all} cards`);
  await gallery(page).getByRole('searchbox', { name: 'Find a preset' }).focus();
  await page.keyboard.type('livelock');
  await page.waitForFunction(() => document.querySelectorAll('.gallery .card').length === 1);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await gallery(page).waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.querySelector('.preset-name')?.textContent === 'cache-livelock');
  assert.equal(await resting(page), 37);
});

onPage('what is typed on a card of the gallery is searched for, and is no shortcut', async (page) => {
  await openGallery(page);
  await comes(() => page.evaluate(() => document.activeElement?.classList.contains('card')), true);
  await page.keyboard.type('livelock');
  await page.waitForFunction(() => document.querySelectorAll('.gallery .card').length === 1);
  assert.equal(await gallery(page).getByRole('searchbox', { name: 'Find a preset' }).inputValue(), 'livelock');
  await page.keyboard.press('Escape');
  await gallery(page).waitFor({ state: 'detached' });
  assert.equal(await page.locator('.preset-name').textContent(), 'chat-4xh100');
});

onPage('another preset is read from its note on, wherever the form was', async (page) => {
  const form = page.locator('.left .tab').first();
  await form.evaluate((element) => element.scrollTo({ top: 400 }));
  await comes(() => form.evaluate((element) => element.scrollTop > 0), true);
  await preset(page, 'kv-pressure');
  await comes(() => form.evaluate((element) => element.scrollTop), 0);
});

onPage('tags filter the presets, Escape returns the focus', async (page) => {
  await openGallery(page);
  const chip = gallery(page).getByRole('button', { name: /^scheduling \d+$/ });
  const wanted = Number((await chip.textContent()).split(' ').at(-1));
  await chip.click();
  await page.waitForFunction((n) => document.querySelectorAll('.gallery .card').length === n, wanted);
  await comes(() => chip.getAttribute('aria-pressed'), 'true');
  await page.keyboard.press('Escape');
  await gallery(page).waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.closest('.top') !== null);
});

onPage('every card has a picture and opens its preset at its instant, without an error', async (page, t) => {
  await openGallery(page);
  const names = await cards(page).evaluateAll((found) => found.map((card) => card.dataset.preset));
  const opened = part('presets opened from the gallery', names, 6);
  for (const name of opened) {
    if ((await gallery(page).count()) === 0) await openGallery(page);
    const card = gallery(page).locator(`[data-preset="${name}"]`);
    assert.ok((await card.locator('.picture path').count()) > 0, `${name} is drawn`);
    const opens = Number(/opens at (\d+) s/.exec(await card.textContent())[1]);
    await card.click();
    await page.waitForFunction((n) => document.querySelector('.preset-name')?.textContent === n, name);
    await comes(() => clock(page), opens, name);
    await resting(page);
    await comes(() => page.locator('.notice.problem').count(), 0, name);
  }
  t.diagnostic(`${opened.length} presets opened`);
});

onPage('axe finds nothing in the gallery, on a desktop and a phone, in either theme', async (page) => {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ])
    for (const name of THEMES) {
      await page.setViewportSize({ width, height });
      await theme(page, name);
      await page.keyboard.press('p');
      await cards(page).first().waitFor();
      await painted(page);
      assert.deepEqual(await violations(page), [], `${width} × ${height}, ${name}`);
      const wide = await page.evaluate(() => document.querySelector('.gallery').scrollWidth > window.innerWidth);
      assert.equal(wide, false, `${width} × ${height}: nothing is cut at the side`);
      await page.keyboard.press('Escape');
      await gallery(page).waitFor({ state: 'detached' });
    }
});

onPage('a link in a note takes the run to an instant and selects its subject', async (page) => {
  await preset(page, 'cache-livelock');
  const note = page.locator('.story');
  await note.getByRole('button', { name: 'More' }).click();
  await note.getByRole('button', { name: 'Its waterfall' }).click();
  await shows(page, 46);
  await page.getByRole('img', { name: /Waterfall of request 74/ }).waitFor();
  await note.getByRole('button', { name: '61.8 s' }).click();
  await shows(page, 61.7);
});

onPage('rows that the page downloads are the bytes that the command line writes', async (page, t) => {
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  await preset(page, 'long-prompt');
  await shareFiles(page);
  const block = page.locator('.rows-block');
  for (const [table, format] of [
    ['requests', 'csv'],
    ['decisions', 'jsonl'],
    ['events', 'csv'],
    ['series', 'jsonl'],
  ]) {
    await block
      .getByRole('combobox', { name: 'Rows of' })
      .selectOption({ label: table[0].toUpperCase() + table.slice(1) });
    await block.getByRole('combobox', { name: 'Written as' }).selectOption({ label: format.toUpperCase() });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      block.getByRole('button', { name: 'Download' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), `long-prompt-${table}.${format}`);
    const [here, there] = [join(scratch(), 'page'), join(scratch(), `cli.${format}`)];
    await download.saveAs(here);
    run('run', 'long-prompt', '--json', `--${table}`, there);
    const bytes = readFileSync(here);
    assert.ok(bytes.length > 1000 && bytes.equals(readFileSync(there)), `${table} as ${format}`);
    t.diagnostic(`${table}: ${bytes.length} bytes`);
  }
});

onPage.long('a download of rows can be cancelled, and the run on screen stays where it is', async (page) => {
  await preset(page, 'fleet-256');
  const at = await clock(page);
  await shareFiles(page);
  const block = page.locator('.rows-block');
  await block.getByRole('combobox', { name: 'Rows of' }).selectOption({ label: 'Events' });
  await block.getByRole('button', { name: 'Download' }).click();
  await block.getByRole('button', { name: 'Cancel' }).click();
  await block.getByRole('button', { name: 'Download' }).waitFor();
  assert.equal(await clock(page), at);
});

onPage('a pasted link opens, other text is reported, and a blank scenario shows its defaults', async (page) => {
  await openGallery(page);
  const field = gallery(page).getByRole('textbox', { name: 'Paste a link' });
  await field.fill('chat with four replicas');
  await field.press('Enter');
  await gallery(page).getByRole('alert').getByText('a link contains a #').waitFor();
  await field.fill('#kv-pressure;seed=9;t=12.5');
  await field.press('Enter');
  await gallery(page).waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.querySelector('.clock')?.firstChild?.textContent?.startsWith('12.5'));
  await comes(async () => (await seedField(page)).inputValue(), '9');
  await openGallery(page);
  await gallery(page).getByRole('button', { name: 'Blank scenario' }).click();
  await page.waitForFunction(() => document.querySelector('.preset-name')?.textContent === 'default');
  await resting(page);
  // It is as it was opened: nothing of it is a change of the reader's.
  await page.getByRole('tab', { name: /^Changes$/ }).waitFor();
});

onPage('a saved report equals the one of the command line, including its link', async (page, t) => {
  await preset(page, 'kv-pressure');
  const path = await savedReport(page);
  const saved = readFileSync(path, 'utf8').trim();
  assert.equal(JSON.parse(saved).link, '#kv-pressure');
  const { run, missing } = cli();
  if (!run) t.skip(missing);
  else assert.equal(saved, run('run', 'kv-pressure', '--json'));
});
