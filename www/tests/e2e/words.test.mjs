// Title, note and marks, edited where they stand, in the built page in Chromium: they change no result and travel in
// links.
import assert from 'node:assert/strict';
import { comes, newPage, preset, resting, suite } from './harness.mjs';
import { goTo, sharedLink } from './sharing.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const banner = (page) => page.getByRole('banner');
const dialogOf = (page) => page.getByRole('dialog', { name: 'Share this run' });
const address = (page) => page.url().split('#')[0];
/** Events of the run so far: a run that began again has others under way. */
const figures = (page) => page.locator('.kpi').innerText();

async function retitle(page, text) {
  await banner(page).getByRole('button', { name: 'Presets' }).click();
  await page.getByRole('menuitem', { name: 'Edit the title…' }).click();
  const field = banner(page).getByRole('textbox', { name: 'Title' });
  await field.fill(text);
  await field.press('Enter');
  await comes(() => page.locator('h1').textContent(), text);
}

async function writeNote(page, text) {
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill(text);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
}

onPage('the title is edited in the top bar, the run stays as it is, and undo brings the old one back', async (page) => {
  await goTo(page, 61.5);
  const [before, shown] = [await page.locator('h1').textContent(), await figures(page)];
  await retitle(page, 'Postmortem of 20 November');
  assert.equal(await resting(page), 61.5);
  assert.equal(await figures(page), shown);
  await page.keyboard.press('Control+z');
  await comes(() => page.locator('h1').textContent(), before);
  await page.keyboard.press('Control+y');
  await comes(() => page.locator('h1').textContent(), 'Postmortem of 20 November');
  // An edit of the run keeps the words, which the simulation has not been told.
  await page.keyboard.press('F2');
  await banner(page).getByRole('textbox', { name: 'Title' }).press('Escape');
  assert.equal(await page.locator('h1').textContent(), 'Postmortem of 20 November');
});

onPage('instants and requests of a note are links, and its marks stand on the timeline', async (page) => {
  await writeNote(page, 'See #7 and t=20.\nat 41.5 s: the queue of r2 grows\nat 60 s: it is over');
  const story = page.locator('.story');
  await story.getByRole('button', { name: 't=20', exact: true }).click();
  assert.equal(await resting(page), 20);
  const marks = page.getByRole('toolbar', { name: 'Marks of the note, 2' });
  await marks.getByRole('button', { name: 'Mark at 41.5 s: the queue of r2 grows' }).click();
  assert.equal(await resting(page), 41.5);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await comes(() => resting(page), 60);
  await comes(() => page.locator('.note-line-mark').count(), 2);
  await story.getByRole('button', { name: '#7', exact: true }).click();
  await page.locator('.right').getByText('#7', { exact: true }).first().waitFor();
});

onPage('a key marks the instant, and a mark is removed again', async (page) => {
  await goTo(page, 33.25);
  await page.keyboard.press('m');
  await page.getByRole('textbox', { name: 'Mark at 33.25 s' }).fill('here it begins');
  await page.keyboard.press('Enter');
  const mark = page.getByRole('button', { name: 'Mark at 33.25 s: here it begins' });
  await mark.waitFor();
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('m');
  await page.getByRole('button', { name: 'Remove the mark at 33.25 s' }).click();
  await mark.waitFor({ state: 'detached' });
});

onPage.long(
  'words of the dialog for sharing are in the link and open elsewhere, without them it is the preset',
  async (page) => {
    await preset(page, 'kv-pressure');
    await goTo(page, 31.5);
    await sharedLink(page);
    const dialog = dialogOf(page);
    await dialog.getByRole('textbox', { name: 'Title' }).fill('A short one');
    await dialog.getByRole('textbox', { name: 'Note' }).fill('at 30 s: look');
    await dialog.getByRole('textbox', { name: 'Title' }).focus();
    const field = dialog.getByRole('textbox', { name: 'Link', exact: true });
    await comes(() => field.inputValue(), /title=A%20short%20one;note=at%2030%20s:%20look/);
    const link = await field.inputValue();
    assert.equal(await page.locator('h1').textContent(), 'A short one');
    await dialog.getByRole('checkbox', { name: 'Words' }).click();
    await comes(() => field.inputValue(), /#kv-pressure;t=31\.5;result=/);
    await dialog.getByRole('checkbox', { name: 'Result' }).click();
    await comes(() => field.inputValue(), /#kv-pressure;t=31\.5$/);
    await dialog.getByRole('checkbox', { name: 'View', exact: true }).click();
    await comes(() => field.inputValue(), /#kv-pressure$/);
    const site = { browser: page.context().browser(), url: address(page) };
    const other = await newPage(site, {
      link: link.slice(address(page).length),
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    try {
      await resting(other.page);
      // On a phone the note comes first.
      await other.page.locator('.story .note-text').getByText('look').waitFor();
      assert.equal(await other.page.locator('h1').textContent(), 'A short one');
      assert.equal(await other.page.locator('.notice').count(), 0, 'the result is the same');
      assert.deepEqual(other.seen.errors, []);
    } finally {
      await other.close();
    }
  },
);

onPage(
  'a result that differs is said with both versions',
  async (page) => {
    await page
      .locator('.notice')
      .getByText(/The result differs from the one in the link at 20 s: version 0\.0\.9/)
      .waitFor();
    assert.match(
      await page.locator('.notice').innerText(),
      /computed digest 00ff00ff00ff00ff\. This page is version \d/,
    );
  },
  { link: '#kv-pressure;t=20;result=0.0.9:00ff00ff00ff00ff' },
);

onPage(
  'span, law, close-up and charts come back from a link, and the address follows them',
  async (page) => {
    await page.getByRole('slider', { name: 'Start of the selected span' }).waitFor();
    await page.getByRole('button', { name: 'Theory', pressed: true }).waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.time-chart').length === 2);
    await page.getByRole('button', { name: 'KV', exact: true }).click();
    await page.waitForFunction(() => /closeup=kv/.test(location.hash));
  },
  { link: '#kv-pressure;t=60;span=20-40;theory=best;charts=kv-use,ttft-over-time' },
);
