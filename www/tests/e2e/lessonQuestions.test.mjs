// The questions of a lesson in the built page in Chromium: each of the four kinds is answered, and nothing of the engine's answer
// is in the page before. The lesson is a file of one's own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cli, comes, drop, ROOT, resting, suite, THEMES } from './harness.mjs';
import { theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const FILE = join(ROOT, 'tests/lessons/questions.yaml');
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const card = (page) => page.locator('.lesson');
const handIn = (page) => card(page).locator('.ask form button[type=submit]');
const outcome = (page) => card(page).locator('.ask-outcome');
const chart = (page) => page.locator('.guess-chart:visible');
const plot = (page) => chart(page).locator('.guess-plot');

/** Drops the lesson and opens it at a step. One of its claims is false, so it is played anyway. */
async function openAt(page, step) {
  await drop(page, 'questions.yaml', readFileSync(FILE, 'utf8'));
  const anyway = page.getByRole('button', { name: 'Play it anyway' });
  await card(page).or(anyway).first().waitFor();
  if (await anyway.isVisible()) await anyway.click();
  await card(page).waitFor();
  if (step > 1)
    await card(page)
      .getByRole('button', { name: new RegExp(`^Step ${step}, `) })
      .click();
  await card(page).locator('.ask').waitFor();
  await resting(page);
}

/** All seeds of the step on screen have run. */
const seedsIn = (page) => comes(() => card(page).locator('.ask').innerText(), /\b6 of 6 seeds/, 'all seeds have run');

/** The texts of an element that nobody sees, too. */
const textOf = (locator) => locator.evaluate((el) => el.textContent);

/** Draws over the whole plot, from the lower left, with the mouse. */
async function draw(page, rise = 60) {
  const { x, y, width, height } = await plot(page).boundingBox();
  await page.mouse.move(x + 50, y + height - 70);
  await page.mouse.down();
  for (let i = 1; i <= 20; i++)
    await page.mouse.move(x + 50 + (i * (width - 75)) / 20, y + height - 70 - (i * rise) / 20);
  await page.mouse.up();
}

const rows = (page) =>
  card(page)
    .locator('.guess-table tbody tr')
    .evaluateAll((all) =>
      all.map((row) => [...row.children].map((cell) => cell.textContent.replaceAll('\u00a0', ' '))),
    );

onPage('one of several answers: the reasons come after the guess, and a second guess is called one', async (page) => {
  await openAt(page, 1);
  assert.doesNotMatch(await textOf(card(page)), /Prompts wait|share the replica|engine’s answer|wait longer|seeds/);
  assert.equal(await handIn(page).isDisabled(), true);
  await card(page).getByText('At 2 requests a second', { exact: true }).click();
  await handIn(page).click();
  await comes(() => outcome(page).innerText(), /^Not right\. More requests share the replica/);
  await comes(() => card(page).locator('.ask-because').innerText(), /^At 12 requests a second: Prompts wait/);
  await seedsIn(page);
  await comes(() => card(page).locator('.evidence-card').innerText(), /Twelve requests a second wait longer/);
  assert.match(await card(page).locator('.ask-card.is-right').innerText(), /At 12.*the engine’s answer/s);
  for (const name of THEMES) {
    await theme(page, name);
    assert.deepEqual(await violations(page), [], name);
  }
  await card(page).getByRole('button', { name: 'Guess again' }).click();
  await comes(() => card(page).locator('.ask-again').innerText(), /second guess: you have seen the answer/);
  assert.doesNotMatch(await textOf(card(page)), /Prompts wait|engine’s answer/);
  await card(page).getByText('At 12 requests a second', { exact: true }).click();
  await handIn(page).click();
  await comes(() => outcome(page).innerText(), /^Right\./);
  assert.match(await card(page).locator('.ask-foot').innerText(), /Your second guess, after the answer/);
});

onPage.long('an order: by drag, by buttons and by keys', async (page) => {
  await openAt(page, 2);
  const names = () => card(page).locator('.ask-grip span').allInnerTexts();
  const [p99, p50, e2e] = await names();
  const grip = (name) => card(page).getByRole('button', { name: new RegExp(`^\\d ${name} ?, place`) });
  await grip(p99).focus();
  await page.keyboard.press('ArrowDown');
  assert.deepEqual(await names(), [p50, p99, e2e]);
  await page.keyboard.press('ArrowDown');
  assert.deepEqual(await names(), [p50, e2e, p99]);
  assert.match(await page.evaluate(() => document.activeElement.textContent), /^3 ?TTFT, p99, place 3 of 3/);
  await card(page)
    .getByRole('button', { name: `Move ${p99} up` })
    .click();
  assert.deepEqual(await names(), [p50, p99, e2e]);
  const [from, to] = [await grip(e2e).boundingBox(), await grip(p50).boundingBox()];
  await page.mouse.move(from.x + 40, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(from.x + 40, (from.y + to.y) / 2);
  await page.mouse.move(to.x + 40, to.y + 8);
  await page.mouse.up();
  assert.deepEqual(await names(), [e2e, p50, p99]);
  assert.deepEqual(await violations(page), []);
  await handIn(page).click();
  await comes(() => outcome(page).innerText(), 'Not right. 0 of 3 stand where the engine puts them.');
  await seedsIn(page);
  const table = await rows(page);
  assert.deepEqual(
    table.map(([name, , , place]) => [name, place]),
    [
      ['1. TTFT, p50', '2'],
      ['2. TTFT, p99', '3'],
      ['3. E2E, p50', '1'],
    ],
  );
  assert.deepEqual(await violations(page), []);
});

onPage.long(
  'a number: a wrong one says what is allowed, the scale takes keys, and the engine’s is that of the command line',
  async (page, t) => {
    await openAt(page, 3);
    const typed = card(page).locator('.ask-number input[type=text]');
    await typed.fill('many');
    await typed.press('Tab');
    await comes(() => card(page).locator('.ask-wrong').innerText(), /Found “many”; type a number from 1–100.×/);
    await card(page).getByRole('slider').focus();
    await page.keyboard.press('ArrowLeft');
    assert.equal(await card(page).locator('.ask-wrong').count(), 0);
    assert.equal(await typed.inputValue(), '9.77');
    assert.deepEqual(await violations(page), []);
    await typed.fill('3');
    await typed.press('Enter');
    if (await handIn(page).isVisible()) await handIn(page).click();
    await seedsIn(page);
    const { run, missing } = cli();
    if (!run) {
      t.skip(missing);
      return;
    }
    const found = JSON.parse(run('lesson', 'check', FILE, '--json', '--step', '3'))[0].steps[0];
    const words = (await card(page).locator('.ask-pair').innerText()).replaceAll('\u00a0', ' ');
    assert.ok(words.includes(`${found.number.mean.toFixed(2)} ×`), words);
    assert.ok(words.includes((found.number.mean / 3).toFixed(2)), words);
  },
);

onPage.long(
  'a curve drawn with the mouse: the engine’s appears over it, and both stand in a table',
  async (page, t) => {
    await openAt(page, 4);
    // The runs are made meanwhile, and nothing of them is in the page.
    await page.waitForTimeout(1500);
    assert.equal(await page.locator('.truth-line, .guess-knee, .truth-name').count(), 0);
    assert.doesNotMatch(await textOf(chart(page)), /seeds|engine/);
    assert.deepEqual(
      (await rows(page)).map((row) => row.length),
      Array(8).fill(2),
    );
    await chart(page).getByRole('button', { name: 'TTFT p99 as a table' }).click();
    assert.doesNotMatch(await textOf(chart(page)), /seeds|engine|factor/);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    assert.equal(await chart(page).locator('.chart-table').count(), 0);

    await draw(page);
    assert.match(await chart(page).locator('.guess-line').getAttribute('d'), /^M.*L/);
    await chart(page).getByRole('button', { name: 'That is my guess' }).click();
    await seedsIn(page);
    await chart(page).locator('.truth-line').waitFor();
    await comes(() => textOf(plot(page)), /× your guess/, 'how far it is from the guess');
    assert.match(await textOf(plot(page)), /knee/);
    assert.match(
      await plot(page).getAttribute('aria-label'),
      /^TTFT p99 against arrivals\. The engine goes from .* It differs most at/,
    );
    for (const name of THEMES) {
      await theme(page, name);
      assert.deepEqual(await violations(page), [], name);
    }
    const { run, missing } = cli();
    if (!run) {
      t.skip(missing);
      return;
    }
    const { points } = JSON.parse(run('lesson', 'check', FILE, '--json', '--step', '4'))[0].steps[0].curve;
    const table = await rows(page);
    assert.deepEqual(
      table.slice(0, 5).map(([x, , engine]) => [x, engine]),
      points
        .slice(0, 5)
        .map(({ x, y }) => [`${x} req/s`, `${y.mean < 99.95 ? y.mean.toFixed(1) : Math.round(y.mean)} ms`]),
    );
    // The next step shows the same, and the guess cannot be changed there but by a second one.
    await card(page)
      .getByRole('button', { name: /^Step 5, / })
      .click();
    await chart(page).locator('.truth-line').waitFor();
    assert.equal(await card(page).locator('.guess-table').first().isVisible(), true);
    const line = await chart(page).locator('.guess-line').getAttribute('d');
    await draw(page, 10);
    assert.equal(await chart(page).locator('.guess-line').getAttribute('d'), line);
    await chart(page).getByRole('button', { name: 'Draw again' }).click();
    assert.equal(await page.locator('.truth-line').count(), 0);
  },
);

onPage('a curve drawn by keys alone, and typed', async (page) => {
  await openAt(page, 4);
  await card(page).getByRole('button', { name: 'Draw with keys' }).focus();
  await page.keyboard.press('Enter');
  const slider = page.getByRole('slider', { name: 'Your guess of TTFT p99' });
  await comes(() => slider.getAttribute('aria-valuetext'), '2\u00a0req/s: 500\u00a0ms');
  await page.keyboard.press('PageDown');
  await page.keyboard.press('ArrowUp');
  await comes(() => slider.getAttribute('aria-valuetext'), '2\u00a0req/s: 400\u00a0ms');
  await page.keyboard.press('Enter');
  await comes(() => chart(page).locator('.guess-said').innerText(), '7 of 8 points are missing');
  for (let i = 0; i < 7; i++) await page.keyboard.press('ArrowRight');
  await comes(() => slider.getAttribute('aria-valuetext'), '16\u00a0req/s: 400\u00a0ms');
  const typed = card(page).getByLabel('TTFT p99 at 16\u00a0req/s');
  await typed.fill('950');
  await typed.press('Tab');
  await slider.focus();
  await page.keyboard.press('Enter');
  await seedsIn(page);
  const mine = async () => (await rows(page)).map(([, guess]) => guess);
  await comes(mine, [...Array(7).fill('400 ms'), '950 ms']);
});

onPage.long('claims: one that holds, and one that does not, with the seeds in which it held', async (page) => {
  await drop(page, 'questions.yaml', readFileSync(FILE, 'utf8'));
  const anyway = page.getByRole('button', { name: 'Play it anyway' });
  await card(page).or(anyway).first().waitFor();
  if (await anyway.isVisible()) await anyway.click();
  await card(page)
    .getByRole('button', { name: /^Step 5, / })
    .click();
  const claims = card(page).locator('.evidence-card');
  await comes(
    () => claims.nth(0).innerText(),
    /^Checked by the engine\s+6 of 6 seeds\s+p99 of TTFT grows with the load/,
  );
  await comes(() => claims.nth(1).innerText(), /^Not as the lesson says\s+held in 0 of 6 seeds/);
  assert.match(
    await claims.nth(1).innerText(),
    /It must hold in 6\. Worst: seed \d, missed by .* The lesson goes on\./s,
  );
  assert.equal(await claims.nth(0).locator('.evidence-tick').count(), 6);
  assert.match(
    await claims.nth(0).getByRole('img').getAttribute('aria-label'),
    /mean .*×, claim: over 1, held in 6 seeds/,
  );
  for (const name of THEMES) {
    await theme(page, name);
    assert.deepEqual(await violations(page), [], name);
  }
});

onPage.long(
  'on a phone the chart is above the card’s table, is drawn with a finger, and nothing is too small',
  async (page) => {
    await openAt(page, 4);
    const above = await chart(page).boundingBox();
    const table = await card(page).locator('.guess-typed').boundingBox();
    assert.ok(above.y + above.height <= table.y + 1, 'the chart comes first');
    assert.equal(above.width, 390);
    await plot(page).scrollIntoViewIfNeeded();
    await draw(page, 40);
    await chart(page).getByRole('button', { name: 'That is my guess' }).tap();
    await seedsIn(page);
    await chart(page).locator('.truth-line').waitFor();
    const small = await card(page)
      .locator('.ask button:visible')
      .evaluateAll((all) => all.filter((el) => el.getBoundingClientRect().height < 24).map((el) => el.outerHTML));
    assert.deepEqual(small, []);
    assert.deepEqual(await violations(page), []);
  },
  PHONE,
);
