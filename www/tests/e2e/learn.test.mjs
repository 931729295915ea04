// The list of lessons: its road, the reader's path, lessons of one's own, teachers, pages for previews, one step in a frame.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { comes, drop, long, newPage, open, ROOT, suite, THEMES } from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const CARDS = JSON.parse(readFileSync(join(ROOT, 'src/generated/lessons.json'), 'utf8'));
const [first, second] = CARDS;
const learn = (page) => page.getByRole('dialog', { name: 'Lessons' });
const card = (page, { name }) => learn(page).locator(`.learn-card[data-lesson="${name}"]`);
const focused = (page) => page.evaluate(() => document.activeElement?.dataset.lesson);
const hash = (page) => page.evaluate(() => location.hash);

/** What a reader did before: the first lesson is done, the second was left at its second step with one guess. */
async function walked(page) {
  const done = first.steps.map((_, i) => i);
  const all = {
    [first.name]: { step: done.length - 1, done, hints: {}, guesses: {} },
    [second.name]: { step: 1, done: [0], hints: {}, guesses: { 0: { guess: { number: 2 }, factor: 2.5 } } },
  };
  await page.addInitScript((text) => localStorage.setItem('lessons', text), JSON.stringify(all));
}

/** A lesson of a reader. Its claim holds if fewer than `below` requests arrive. */
const own = (below) => `
lesson: 1
title: "My own"
about: "Count the requests."
audience: "Anyone"
minutes: 2
scenarios:
  small:
    document:
      tokenyard: 1
      run: { horizon_s: 10, warmup_s: 1 }
      workload: { clients: [{ arrivals: { constant: { rate_per_s: 4 } } }] }
runs:
  one: { scenario: small }
seeds: 3
steps:
  - kind: see
    title: "Count"
    text: "Requests come at an even pace."
    open: "small;t=5"
    claims:
      - { says: "Few requests came", value: "one.requests.arrived", below: ${below} }
`;

onPage('the list opens from the top bar, is searched, and opens a lesson by the mouse', async (page) => {
  await page.getByRole('banner').getByRole('button', { name: 'Learn' }).click();
  await card(page, first).waitFor();
  assert.equal(await learn(page).locator('.learn-card').count(), CARDS.length);
  assert.equal(await hash(page), '#learn');
  await learn(page)
    .getByRole('button', { name: /^Start with 1/ })
    .waitFor();
  await learn(page).getByText(`0 of ${CARDS.length} done`).waitFor();
  await learn(page).getByRole('searchbox', { name: 'Find a lesson' }).fill('no such words');
  await learn(page).getByText('No lesson has these words.').waitFor();
  await learn(page).getByRole('searchbox', { name: 'Find a lesson' }).fill(second.title);
  await comes(() => learn(page).locator('.learn-card').count(), 1);
  await card(page, second).click();
  await learn(page).waitFor({ state: 'detached' });
  await comes(() => hash(page), `#lesson=${second.name};step=1`);
  await page.getByRole('heading', { name: second.title }).waitFor();
});

onPage('arrows go from card to card, a slash to the search, Enter opens, Escape gives the run back', async (page) => {
  const before = await hash(page);
  await page.getByRole('banner').getByRole('button', { name: 'Learn' }).focus();
  await page.keyboard.press('Enter');
  await comes(() => focused(page), first.name);
  await page.keyboard.press('ArrowRight');
  await comes(() => focused(page), second.name);
  await page.keyboard.press('ArrowDown');
  await comes(() => focused(page), CARDS[5].name, 'the card below, in a row of four');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  await comes(() => focused(page), CARDS.at(-1).name);
  await page.keyboard.press('/');
  await comes(() => page.evaluate(() => document.activeElement?.type), 'search');
  await page.keyboard.press('Escape');
  await learn(page).waitFor({ state: 'detached' });
  await comes(() => hash(page), before);
  await comes(() => page.evaluate(() => document.activeElement?.textContent?.trim()), 'Learn');
  await page.getByRole('banner').getByRole('button', { name: 'Learn' }).click();
  await comes(() => focused(page), first.name);
  await page.keyboard.press('Enter');
  await comes(() => hash(page), `#lesson=${first.name};step=1`);
  // The keys of the lesson work at once.
  await comes(() => page.evaluate(() => document.activeElement?.tagName), 'H3');
  await page.keyboard.press('ArrowRight');
  await comes(() => hash(page), `#lesson=${first.name};step=2`);
});

onPage(
  'the path goes on where it was left, guesses have their place, and all is forgotten when asked',
  async (page) => {
    await card(page, second).waitFor();
    await learn(page).getByText(`1 of ${CARDS.length} done`).waitFor();
    await comes(() => card(page, second).getAttribute('aria-current'), 'step');
    assert.equal(await learn(page).locator('.learn-node[data-state=done]').count(), 1);
    assert.equal(await learn(page).locator('.road-cards > li.walked').count(), 1);
    await learn(page).getByText(`2.50 × the guess, step 1`).waitFor({ state: 'attached' });
    await learn(page).getByRole('button', { name: 'forget', exact: true }).click();
    await learn(page).getByRole('button', { name: 'Keep', exact: true }).click();
    await learn(page).getByText(`1 of ${CARDS.length} done`).waitFor();
    await learn(page).getByRole('button', { name: 'forget', exact: true }).click();
    await learn(page).getByRole('button', { name: 'Forget', exact: true }).click();
    await learn(page).getByText(`0 of ${CARDS.length} done`).waitFor();
    await learn(page).getByText('No guess yet.').waitFor();
    assert.equal(await page.evaluate(() => localStorage.getItem('lessons')), null);
  },
  { link: '#learn', opened: walked },
);

onPage(
  'a lesson of a file plays once its claims hold; a claim that fails is named, and the lesson plays anyway when asked',
  async (page) => {
    const choose = async (text) =>
      learn(page)
        .getByLabel('Lesson file', { exact: true })
        .setInputFiles({ name: 'mine.yaml', mimeType: 'text/yaml', buffer: Buffer.from(text) });
    await card(page, first).waitFor();
    await choose('lesson: 1\ntitle: 7\n');
    await learn(page).getByText('This lesson cannot be played:').waitFor();
    await choose(own(2));
    await learn(page).getByText('The engine does not confirm a claim').waitFor();
    await learn(page)
      .getByText(/Step 1, “Few requests came”: holds with 0 of 3 seeds, 3 needed\. With seed number \d it misses by/)
      .waitFor();
    await learn(page).getByRole('button', { name: 'Play it anyway' }).click();
    await learn(page).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'My own' }).waitFor();
    // A file that is dropped on the page takes the same way.
    await drop(page, 'mine.yaml', own(1000));
    await page.getByRole('heading', { name: 'My own' }).waitFor();
    await learn(page).waitFor({ state: 'detached' });
  },
  { link: '#learn' },
);

onPage(
  'teachers get links and frames of single steps, and two switches',
  async (page) => {
    await card(page, first).waitFor();
    await learn(page).getByRole('combobox', { name: 'Lesson' }).selectOption(second.name);
    await learn(page).getByRole('combobox', { name: 'Step' }).selectOption('2');
    await comes(
      async () => (await learn(page).getByRole('textbox', { name: 'Link to this step' }).inputValue()).split('#')[1],
      `lesson=${second.name};step=2`,
    );
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await learn(page).getByRole('button', { name: 'Copy frame' }).click();
    await learn(page).getByText('Code of a frame copied.').waitFor();
    const code = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(code, new RegExp(`^<iframe src="http[^"]*#embed;lesson=${second.name};step=2" width="960"`));
    const hide = learn(page).getByRole('switch', { name: 'Hide answers until asked' });
    await hide.click();
    await comes(() => hide.getAttribute('aria-checked'), 'true');
  },
  { link: '#learn' },
);

onPage(
  'on a phone the cards stand below each other, and nothing is wider than the screen',
  async (page) => {
    await card(page, first).waitFor();
    const places = await learn(page)
      .locator('.learn-card')
      .evaluateAll((all) => all.map((one) => [one.getBoundingClientRect().left, one.getBoundingClientRect().right]));
    assert.equal(new Set(places.map(([left]) => left)).size, 1);
    assert.ok(places.every(([, right]) => right <= 390));
    await learn(page).getByText('Checked by the engine').scrollIntoViewIfNeeded();
    assert.equal(await page.evaluate(() => document.querySelector('.learn-body').scrollWidth), 390);
    assert.deepEqual(await violations(page), []);
  },
  { link: '#learn', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, opened: walked },
);

onPage(
  'axe finds nothing in the list of lessons, in either theme',
  async (page) => {
    await card(page, first).waitFor();
    const found = [];
    for (const name of THEMES) {
      await theme(page, name);
      await painted(page);
      found.push(...(await violations(page)).map((v) => `${name}: ${v}`));
    }
    assert.deepEqual(found, []);
  },
  { link: '#learn', opened: walked },
);

test('the page of a lesson is read without JavaScript, and opens the lesson with it', async () => {
  const site = await open();
  try {
    const still = await site.browser.newContext({ javaScriptEnabled: false });
    const text = await still.newPage();
    await text.goto(`${site.url}learn/${second.name}/`);
    assert.equal(await text.title(), `${second.title} · Tokenyard`);
    await text.getByRole('heading', { name: second.title }).waitFor();
    assert.equal(await text.locator('ol > li').count(), second.steps.length);
    const meta = (name) => text.locator(`meta[property="${name}"], meta[name="${name}"]`).getAttribute('content');
    assert.equal(await meta('og:title'), second.title);
    assert.equal(await meta('og:description'), second.about);
    assert.match(await meta('og:image'), /preview\.png$/);
    assert.equal(await meta('twitter:card'), 'summary_large_image');
    await still.close();
    const { page, seen, close } = await newPage(site);
    await page.goto(`${site.url}learn/${second.name}/`);
    await page.getByRole('heading', { name: second.title }).first().waitFor();
    await comes(() => hash(page), `#lesson=${second.name};step=1`);
    assert.equal(new URL(page.url()).pathname, new URL(site.url).pathname);
    assert.deepEqual(seen.errors, []);
    await close();
  } finally {
    await site.close();
  }
});

test('a step of a lesson stands in a frame of another page, with its card, stage and charts', async () => {
  const site = await open();
  const host = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>A post</title>
      <iframe title="step" width="960" height="600" src="${site.url}#embed;lesson=${second.name};step=1"></iframe>`);
  });
  await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
  try {
    const page = await site.browser.newPage({ viewport: { width: 1000, height: 640 }, serviceWorkers: 'block' });
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(`http://127.0.0.1:${host.address().port}/`);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('complementary', { name: 'Lesson' }).getByText(second.steps[0].title).first().waitFor();
    await frame.getByRole('region', { name: 'Stage' }).waitFor();
    await frame.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await comes(() => frame.getByRole('banner').count(), 0);
    await comes(async () => (await frame.getByRole('link', { name: 'Open in Tokenyard' }).count()) === 1, true);
    assert.deepEqual(errors, []);
    await page.close();
  } finally {
    await site.close();
    await new Promise((resolve) => host.close(resolve));
  }
});

long(test)('without a network lessons open by their page and by the list', async () => {
  const site = await open();
  try {
    const { page, seen, close } = await newPage(site, { serviceWorkers: 'allow' });
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(async () => (await navigator.serviceWorker.ready).active?.state === 'activated');
    await page.reload();
    await page.waitForFunction(() => performance.getEntriesByName('first-frame').length > 0);
    await page.context().setOffline(true);
    await page.goto(`${site.url}learn/${second.name}/`);
    await page.getByRole('heading', { name: second.title }).first().waitFor();
    assert.equal(await hash(page), `#lesson=${second.name};step=1`);
    await page.evaluate(() => {
      location.hash = '#learn';
    });
    await card(page, CARDS.at(-1)).click();
    await comes(() => hash(page), `#lesson=${CARDS.at(-1).name};step=1`);
    assert.deepEqual(seen.errors, []);
    await close();
  } finally {
    await site.close();
  }
});
