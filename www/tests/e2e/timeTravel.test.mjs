// Going back and forth, running to occasions, moving flags, and runs kept by edits in the past.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cli, comes, finalDigest, inspectorTab, OPENING_S, resting, savedScenario, stepBy, suite } from './harness.mjs';

const onPage = suite();
const transport = (page) => page.getByRole('region', { name: 'Transport' });
const scenarioPanel = (page) => page.getByRole('complementary', { name: 'Scenario' });
const timeline = (page) => page.getByRole('slider', { name: 'Time' });

async function at(page, seconds) {
  await page.waitForFunction(
    (s) => Math.abs(Number(document.querySelector('.clock')?.firstChild.textContent.replaceAll(',', '')) - s) < 0.01,
    seconds,
  );
  await resting(page);
}

async function goTo(page, seconds) {
  const field = page.getByRole('textbox', { name: /Go to time/ });
  await field.fill(String(seconds));
  await field.press('Enter');
  await at(page, seconds);
  await page.evaluate(() => document.activeElement.blur());
}

async function type(field, text) {
  await field.fill(text);
  await field.press('Enter');
}

/** How often a colour of the health strip is drawn beyond a share of the timeline's width. */
async function drawnBeyond(page, share) {
  return page.evaluate((from) => {
    const canvas = document.querySelector('.scrubber canvas');
    const { width, height } = canvas;
    const copy = Object.assign(document.createElement('canvas'), { width, height });
    const pen = copy.getContext('2d', { willReadFrequently: true });
    pen.drawImage(canvas, 0, 0);
    const pixels = pen.getImageData(0, 0, width, height).data;
    const row = Math.round((38 / canvas.getBoundingClientRect().height) * height);
    const seen = new Set();
    for (let x = Math.round(width * from); x < width * 0.98; x++) {
      const i = (row * width + x) * 4;
      seen.add(`${pixels[i]},${pixels[i + 1]},${pixels[i + 2]}`);
    }
    return seen.size;
  }, share);
}

onPage('going back keeps what was computed, and the end is the same again', async (page, t) => {
  const digest = await finalDigest(page);
  const computed = await drawnBeyond(page, 0.6);
  assert.ok(computed > 3, `${computed} colours: the health of the run`);
  for (const seconds of [30, 200, 61.9, 0.5]) await goTo(page, seconds);
  await page.waitForFunction(() =>
    document.querySelector('.scrubber canvas')?.ariaLabel?.startsWith('Timeline at 0.5'),
  );
  assert.ok((await drawnBeyond(page, 0.6)) > 3, 'the future stays on the timeline');
  assert.equal(await finalDigest(page), digest);
  const { run, missing } = cli();
  if (run) assert.equal(digest, run('digest', await savedScenario(page)).split(/\s+/)[0]);
  else t.diagnostic(missing);
});

onPage('a dragged playhead shows the run under the pointer while it is dragged', async (page) => {
  await goTo(page, 120);
  const box = await timeline(page).boundingBox();
  const x = (seconds) => box.x + 16 + ((box.width - 32) * seconds) / 240;
  await page.mouse.move(x(100), box.y + 34);
  await page.mouse.down();
  for (const seconds of [90, 40]) {
    await page.mouse.move(x(seconds), box.y + 34, { steps: 3 });
    await page.waitForFunction(
      (s) => Math.abs(Number(document.querySelector('.clock')?.firstChild.textContent) - s) < 1,
      seconds,
    );
  }
  await page.mouse.up();
  await resting(page);
});

onPage(
  'steps back undo steps on, by event, by engine step and by frame, and each of several fast keys counts',
  async (page) => {
    for (const [on, back] of [
      ['.', ','],
      ['Shift+Period', 'Shift+Comma'],
    ]) {
      // The next event may be nearer than the digits of the clock show.
      for (let k = 0; k < 3; k++) await page.keyboard.press(on);
      await page.waitForFunction(
        (s) => Number(document.querySelector('.clock')?.firstChild.textContent) > s,
        OPENING_S,
      );
      const first = await resting(page);
      for (let k = 0; k < 6; k++) await page.keyboard.press(on);
      await page.waitForFunction((s) => Number(document.querySelector('.clock')?.firstChild.textContent) > s, first);
      assert.ok((await resting(page)) > first);
      for (let k = 0; k < 6; k++) await page.keyboard.press(back);
      await page.waitForFunction((s) => Number(document.querySelector('.clock')?.firstChild.textContent) === s, first);
      assert.equal(await resting(page), first, `${back} leads back`);
      await goTo(page, OPENING_S);
    }
    // At five simulated seconds a second a frame is a twelfth of a second.
    await page.keyboard.press('n');
    await at(page, OPENING_S + 5 / 60);
    await page.keyboard.press('Shift+N');
    await at(page, OPENING_S);
  },
);

onPage('buttons step on and back like the keys, each by one event', async (page) => {
  await inspectorTab(page, 'Run');
  const events = async () =>
    Number((await page.locator('dt:text-is("Engine events") + dd').textContent()).replaceAll(',', ''));
  const before = await events();
  for (const more of [1, 2]) {
    await stepBy(page, 'Step one event');
    await comes(events, before + more);
  }
  await resting(page);
  for (const more of [1, 0, -1]) {
    await stepBy(page, 'Step back');
    await comes(events, before + more);
  }
  await resting(page);
  await stepBy(page, 'Step one event');
  await comes(events, before);
  await stepBy(page, 'Step one engine step');
  await comes(async () => (await events()) > before, true, 'an engine step runs further');
  await resting(page);
  const further = await events();
  await stepBy(page, 'Step back');
  await comes(events, further - 1);
});

onPage('going back keeps the selected request, also from before it arrived', async (page) => {
  await goTo(page, 30);
  const offer = page.getByRole('button', { name: 'latest', exact: true });
  await offer.click();
  await offer.waitFor({ state: 'hidden' });
  await resting(page);
  const fall = page.getByRole('img', { name: /Waterfall of request/ });
  await fall.waitFor();
  const name = /^Waterfall of request \d+/.exec(await fall.getAttribute('aria-label'))[0];
  const same = page.getByRole('img', { name: new RegExp(`^${name}\\b`) });
  await goTo(page, 100);
  await same.waitFor();
  for (const seconds of [60, 31]) {
    await goTo(page, seconds);
    await same.waitFor();
  }
  await goTo(page, 0.5);
  await page.getByText(/^#\d+ has not arrived yet\.$/).waitFor();
  await goTo(page, 31);
  await same.waitFor();
});

onPage('the run goes to the next chosen occasion, again by a key, and shows what it searches', async (page) => {
  const choose = transport(page).getByRole('button', { name: 'Choose what to run to' });
  await choose.click();
  const list = page.getByRole('dialog', { name: 'Choose what to run to' });
  await type(list.getByRole('textbox', { name: 'Queue above: which' }), '2');
  await list.waitFor({ state: 'hidden' });
  await page.waitForFunction((s) => Number(document.querySelector('.clock')?.firstChild.textContent) > s, OPENING_S);
  const first = await resting(page);
  await transport(page).getByRole('button', { name: 'Run to next queue above 2' }).waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('g');
  await page.waitForFunction((s) => Number(document.querySelector('.clock')?.firstChild.textContent) > s, first);
  await resting(page);
  await page.keyboard.press('Shift+G');
  await list.waitFor();
  await list.getByRole('combobox', { name: 'Event of a kind: which' }).selectOption('livelock');
  await list.getByRole('combobox', { name: 'Event of a kind: which' }).press('Escape');
  await page.keyboard.press('Shift+G');
  await list.getByRole('button', { name: 'next edit' }).click();
  await at(page, 60);
});

onPage('a search for an occasion that does not come can be cancelled', async (page) => {
  const panel = scenarioPanel(page);
  await panel.getByRole('button', { name: /^Run/ }).click();
  await type(panel.getByRole('textbox', { name: 'Ends at', exact: true }), '12000');
  await page.waitForFunction(() => document.querySelector('.clock small')?.textContent?.includes('12,000'));
  await resting(page);
  await transport(page).getByRole('button', { name: 'Choose what to run to' }).click();
  const list = page.getByRole('dialog', { name: 'Choose what to run to' });
  await list.getByRole('button', { name: 'next refusal' }).click();
  await transport(page).getByText('Looking for the next refusal').waitFor();
  await transport(page).getByRole('button', { name: 'Cancel' }).click();
  await transport(page).getByText('Looking for the next refusal').waitFor({ state: 'detached' });
  const stopped = await resting(page);
  assert.ok(stopped < 12_000, `${stopped} s`);
});

/** When the edits of the scenario apply, in seconds, and which are switched off. */
async function editsOf(page) {
  const { edits } = JSON.parse(readFileSync(await savedScenario(page), 'utf8'));
  return edits.map((edit) => [edit.at_us / 1e6, edit.off === true]);
}

onPage.long(
  'a flag is moved by keyboard, switched off, edited in place, removed, and all of it undone',
  async (page) => {
    await goTo(page, 100);
    const stop = page.locator('.flag-stops .btn').first();
    await stop.focus();
    await stop.press('ArrowRight');
    await page.locator('.flag-stops .btn', { hasText: 'Edit at 61.200' }).waitFor({ state: 'attached' });
    await comes(() => editsOf(page), [[61.2, false]]);
    await stop.focus();
    await stop.press('x');
    await page.locator('.flag-stops .btn', { hasText: 'Switched-off edit at 61.200' }).waitFor({ state: 'attached' });
    await comes(() => editsOf(page), [[61.2, true]]);
    await stop.focus();
    await stop.press('e');
    const panel = page.getByRole('dialog', { name: 'Edits on the timeline' });
    await panel.getByRole('button', { name: 'Switch on' }).click();
    await type(panel.getByRole('textbox', { name: 'Time of the edit, in seconds' }), '70');
    await page.locator('.flag-stops .btn', { hasText: 'Edit at 70.000' }).waitFor({ state: 'attached' });
    await type(panel.locator('label input').nth(1), '35');
    await page.locator('.flag-stops .btn', { hasText: 'Rate 35' }).waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    await stop.focus();
    await stop.press('Delete');
    await page.waitForFunction(() => document.querySelectorAll('.flag-stops .btn').length === 0);
    for (const said of [
      'Rate 35',
      'Edit at 70.000',
      'Edit at 61.200',
      'Switched-off edit',
      'Edit at 61.200',
      'Edit at 60.000',
    ]) {
      await page.keyboard.press('Control+z');
      await page.locator('.flag-stops .btn', { hasText: said }).waitFor({ state: 'attached' });
    }
    await comes(() => editsOf(page), [[60, false]]);
    await at(page, 100);
  },
);

onPage('a flag is dragged by the pointer, and opened by a click', async (page) => {
  await goTo(page, 100);
  const box = await timeline(page).boundingBox();
  const x = (seconds) => box.x + 16 + ((box.width - 32) * seconds) / 240;
  await page.mouse.move(x(60) + 2, box.y + 6);
  await page.mouse.down();
  await page.mouse.move(x(80), box.y + 6, { steps: 5 });
  await page.mouse.up();
  await page.locator('.flag-stops .btn', { hasText: /Edit at (79|80)\./ }).waitFor({ state: 'attached' });
  await at(page, 100);
  const [[seconds]] = await editsOf(page);
  await page.mouse.click(x(seconds) + 2, box.y + 6);
  await page.getByRole('dialog', { name: 'Edits on the timeline' }).waitFor();
});

onPage('an edit in the past keeps the old run, which is listed, named and shown again', async (page, t) => {
  const old = await finalDigest(page);
  const oldFile = await savedScenario(page);
  await goTo(page, 30);
  const replicas = scenarioPanel(page).getByRole('textbox', { name: 'Replicas' }).first();
  await type(replicas, '6');
  const runs = transport(page).getByRole('button', { name: /^Runs \d+ of this scenario/ });
  await runs.waitFor();
  const edited = await finalDigest(page);
  const editedFile = await savedScenario(page);
  assert.notEqual(edited, old);
  await runs.click();
  const list = page.getByRole('dialog', { name: 'Runs of this scenario' });
  const name = list.getByRole('textbox', { name: 'Name of Run 1' });
  await type(name, 'four replicas');
  await list.getByText(/without .*replicas/i).waitFor();
  await comes(() => list.getByRole('row').count(), 3);
  await list.getByRole('button', { name: 'Show four replicas' }).click();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.runs tr.pick input')].some((i) => i.value === 'four replicas'),
  );
  await page.keyboard.press('Escape');
  assert.equal(await finalDigest(page), old);
  const { run, missing } = cli();
  if (run) {
    assert.equal(old, run('digest', oldFile).split(/\s+/)[0]);
    assert.equal(edited, run('digest', editedFile).split(/\s+/)[0]);
  } else t.diagnostic(missing);
  await runs.click();
  await list.getByRole('button', { name: 'Remove Run 2' }).click();
  await comes(() => list.getByRole('row').count(), 2);
});
