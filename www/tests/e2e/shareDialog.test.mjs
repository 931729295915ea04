// The dialog for sharing in the built page in Chromium: copying, the offer for long links, and sharing on a phone.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { cli, comes, drop, finalDigest, resting, scratch, suite } from './harness.mjs';
import { explicit, goTo, sharedLink } from './sharing.mjs';

const onPage = suite();
const dialogOf = (page) => page.getByRole('dialog', { name: 'Share this run' });
const button = (page, name) => dialogOf(page).getByRole('button', { name, exact: true });
const copied = (page) => page.evaluate(() => navigator.clipboard.readText());

/** Whether a button of the dialog is offered first. */
const isFirst = (page, name) => button(page, name).evaluate((el) => el.classList.contains('pri'));

onPage(
  'the link, the same as Markdown and the code of a frame are copied, a title with signs of Markdown as text',
  async (page) => {
    const link = await sharedLink(page);
    await comes(() => isFirst(page, 'Copy link'), true);
    await button(page, 'Copy link').click();
    await dialogOf(page).getByRole('status').getByText('Link copied.').waitFor({ state: 'attached' });
    await comes(() => copied(page), link);
    await button(page, 'Copy as Markdown').click();
    await dialogOf(page).getByRole('status').getByText('Markdown copied.').waitFor({ state: 'attached' });
    const contains = 'preset kv-pressure, 1 change, opens at 20 s';
    await comes(() => copied(page), `[A \\[small\\] cache \\*](${link}): ${contains}`);
    await button(page, 'Copy code').click();
    await comes(() => copied(page), /^<iframe src="http\S+#embed=ttft-over-time;kv-pressure;\S*t=20" .*><\/iframe>$/);
  },
  { link: '#kv-pressure;t=20;title=A%20%5Bsmall%5D%20cache%20*', permissions: ['clipboard-read', 'clipboard-write'] },
);

onPage(
  'a link that is copied has the note that was typed last, and one typed last before the dialog closed stays',
  async (page) => {
    await sharedLink(page);
    const note = dialogOf(page).getByRole('textbox', { name: 'Note' });
    await note.fill('');
    await page.keyboard.type('What the postmortem is about');
    await button(page, 'Copy link').click();
    await dialogOf(page).getByRole('status').getByText('Link copied.').waitFor({ state: 'attached' });
    const field = dialogOf(page).getByRole('textbox', { name: 'Link', exact: true });
    const text = await copied(page);
    await comes(() => field.inputValue(), text);
    await button(page, 'Readable').click();
    await comes(() => field.inputValue(), /postmortem/);
    await note.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(', in short');
    await page.keyboard.press('Escape');
    await page.getByText('What the postmortem is about, in short').first().waitFor();
  },
  { link: '#kv-pressure;t=20', permissions: ['clipboard-read', 'clipboard-write'] },
);

/** Opens a scenario with a number of requests, and the dialog for sharing. */
async function shareMany(page, requests) {
  await drop(page, 'many.json', explicit(requests));
  await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'One by one');
  await resting(page);
  await goTo(page, 12.25);
  await page.getByRole('banner').getByRole('button', { name: 'Share' }).click();
}

/** The digest of the page's run, and that of the command line for the file saved by the dialog. */
async function digests(page, run) {
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Save file').click()]);
  const path = join(scratch(), download.suggestedFilename());
  await download.saveAs(path);
  await page.keyboard.press('Escape');
  await dialogOf(page).waitFor({ state: 'detached' });
  return [await finalDigest(page), run('digest', path).split(/\s+/)[0]];
}

onPage('if a link is too long for chats, the file is offered first, and contains the scenario', async (page, t) => {
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  await shareMany(page, 600);
  await dialogOf(page).getByText('Too long for chats and mails').waitFor();
  const length = (await dialogOf(page).getByRole('textbox', { name: 'Link', exact: true }).inputValue()).length;
  assert.ok(length > 4000 && length < 32_768, `${length} characters`);
  assert.deepEqual([await isFirst(page, 'Save file'), await isFirst(page, 'Copy link')], [true, false]);
  await dialogOf(page).getByText('Too long for a QR code').waitFor();
  await comes(
    () =>
      dialogOf(page)
        .getByRole('img', { name: /QR code/ })
        .count(),
    0,
  );
  const [here, there] = await digests(page, run);
  assert.equal(here, there);
});

onPage.long(
  'if a scenario is too long for a link, the dialog says so, and its file contains the scenario',
  async (page, t) => {
    const { run, missing } = cli();
    if (!run) {
      t.skip(missing);
      return;
    }
    await shareMany(page, 4000);
    await dialogOf(page).getByText('Too long for chats and mails').waitFor();
    await comes(
      () => dialogOf(page).getByRole('textbox', { name: 'Link', exact: true }).inputValue(),
      /Too long for a link/,
    );
    await comes(() => button(page, 'Copy link').isDisabled(), true);
    await comes(() => isFirst(page, 'Save file'), true);
    const [here, there] = await digests(page, run);
    assert.equal(here, there);
  },
);

onPage(
  'a phone passes title and link to its share dialog',
  async (page) => {
    await page.evaluate(() => {
      window.shared = [];
      navigator.share = async (data) => {
        window.shared.push(data);
      };
    });
    const url = await sharedLink(page);
    await button(page, 'Share…').click();
    await comes(() => page.evaluate(() => window.shared), [{ title: 'A small cache', url }]);
  },
  {
    link: '#kv-pressure;t=20;title=A%20small%20cache',
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  },
);
