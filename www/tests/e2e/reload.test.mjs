// A reload or a crash of the tab keeps the whole run, in the built page in Chromium.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { cli, comes, drop, finalDigest, newPage, open, resting, savedScenario, suite } from './harness.mjs';
import { explicit, goTo, setSeed, sharedLink } from './sharing.mjs';

const onPage = suite();

async function reloaded(page) {
  await page.reload();
  await page.waitForFunction(() => performance.getEntriesByName('first-frame').length > 0);
  return resting(page);
}

/** The view of the run: the tab of the inspector, its replica, and the speed. */
const look = (page) =>
  page.evaluate(() =>
    ['.right [role=tab][aria-selected=true]', '.right h2.big', '.speed option:checked'].map(
      (of) => document.querySelector(of)?.textContent,
    ),
  );

onPage('a reload keeps edits of the timeline, speed and selection', async (page) => {
  await goTo(page, 30);
  const replicas = page.getByRole('textbox', { name: 'Replicas' }).first();
  await replicas.fill('6');
  await replicas.press('Enter');
  await resting(page);
  await page.getByRole('application', { name: /^Stage/ }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press(']');
  const looked = ['Replica', 'r1', 'Speed 10×'];
  await comes(() => look(page), looked);
  const edited = readFileSync(await savedScenario(page), 'utf8');
  assert.deepEqual(
    JSON.parse(edited).edits.map((edit) => edit.at_us / 1e6),
    [30, 60],
  );
  const link = await sharedLink(page, { result: false });
  await page.keyboard.press('Escape');
  await comes(() => page.url(), link);
  assert.equal(await reloaded(page), 30);
  await comes(() => look(page), looked);
  assert.equal(readFileSync(await savedScenario(page), 'utf8'), edited);
});

onPage.long('a scenario whose link no address takes comes back with its instant after a reload', async (page, t) => {
  await drop(page, 'many.json', explicit(4000));
  await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'One by one');
  await resting(page);
  await goTo(page, 12.25);
  await comes(() => page.evaluate(() => sessionStorage.getItem('scenario')), /"at_us":12250000/);
  assert.equal(new URL(page.url()).hash, '', 'no link is that long');
  const whole = readFileSync(await savedScenario(page), 'utf8');
  assert.equal(await reloaded(page), 12.25);
  const back = await savedScenario(page);
  assert.equal(readFileSync(back, 'utf8'), whole);
  const digest = await finalDigest(page);
  const { run, missing } = cli();
  if (run) assert.equal(digest, run('digest', back).split(/\s+/)[0]);
  else t.diagnostic(missing);
});

/** The contents of the tab, with the section of the seed open, read without Playwright, which drops a crashed page. */
async function shown(devtools) {
  const expression = `
    if (!document.querySelector('[data-path=seed]'))
      [...document.querySelectorAll('.left button')].find((button) => /^Run/.test(button.textContent))?.click();
    JSON.stringify({
    now: document.querySelector('.clock')?.firstChild?.textContent,
    seed: document.querySelector('[data-path=seed] input')?.value,
    rests: document.querySelector('.page')?.dataset.mode,
  })`;
  const { result } = await devtools.send('Runtime.evaluate', { expression });
  return JSON.parse(result.value);
}

let site;
before(async () => {
  site = await open();
});
after(() => site?.close());

test('a tab that crashes comes back where it was, with its seed', { timeout: 300_000 }, async () => {
  const { page, seen, close } = await newPage(site);
  try {
    await resting(page);
    await setSeed(page, 77);
    await goTo(page, 31.5);
    await page.waitForFunction(() => /^#chat-4xh100;length=\d+;seed=77;t=31\.5$/.test(location.hash));
    const devtools = await page.context().newCDPSession(page);
    const before = await shown(devtools);
    assert.deepEqual(before, { now: '31.500', seed: '77', rests: 'paused' });
    await devtools.send('Page.enable');
    const crashed = page.waitForEvent('crash');
    // A crashed tab does not answer.
    devtools.send('Page.crash').catch(() => {});
    await crashed;
    const loaded = once(devtools, 'Page.loadEventFired');
    await devtools.send('Page.reload');
    await loaded;
    await comes(() => shown(devtools), before);
    assert.deepEqual(seen.errors, []);
  } finally {
    await close();
  }
});
