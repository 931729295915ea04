// Accessibility: keys, the time field, work that can be cancelled, a focus that is never lost.
import assert from 'node:assert/strict';
import { clock, comes, drop, OPENING_S, resting, suite } from './harness.mjs';

const onPage = suite();
const scenarioPanel = (page) => page.getByRole('complementary', { name: 'Scenario' });
const transport = (page) => page.getByRole('region', { name: 'Transport' });

/** Waits until the clock shows an instant, in seconds. */
async function at(page, seconds) {
  await page.waitForFunction(
    (s) => Math.abs(Number(document.querySelector('.clock')?.firstChild.textContent.replaceAll(',', '')) - s) < 0.002,
    seconds,
  );
}

async function speedStop(page) {
  return Number(await page.getByRole('combobox', { name: 'Speed' }).inputValue());
}

onPage('keys of players and profilers seek as described, and each of several fast keys counts', async (page) => {
  const stop = await speedStop(page);
  await page.keyboard.press(']');
  await page.keyboard.press(']');
  await comes(() => speedStop(page), stop + 2);
  await page.keyboard.press('[');
  await comes(() => speedStop(page), stop + 1);
  // The next event may be nearer than the digits of the clock show.
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('.');
  await page.waitForFunction((s) => Number(document.querySelector('.clock')?.firstChild.textContent) > s, OPENING_S);
  await page.keyboard.press('t');
  await comes(() => page.evaluate(() => document.activeElement.id), 'time-field');
  await page.keyboard.type('1:00');
  await page.keyboard.press('Enter');
  await at(page, 60);
  await page.keyboard.press('Escape');
  // Several events happen at one instant: each key goes back by one of them.
  for (let i = 0; i < 8; i += 1) await page.keyboard.press(',');
  await page.waitForFunction(() => {
    const now = Number(document.querySelector('.clock')?.firstChild.textContent);
    return now < 60 && now > 59;
  });
  const before = await resting(page);
  for (let i = 0; i < 4; i += 1) await page.keyboard.press('Shift+Comma');
  await page.waitForFunction((s) => Number(document.querySelector('.clock')?.firstChild.textContent) < s, before);
  await resting(page);
  // Each arrow of the timeline is a two-hundredth of 240 s, from the target of the seek under way.
  await page.getByRole('slider', { name: 'Time' }).focus();
  const from = await clock(page);
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowRight');
  await at(page, from + 3.6);
  await page.getByRole('combobox', { name: 'Speed' }).selectOption({ label: 'Speed 60×' });
  await page.getByTitle('minutes of load').waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('Home');
  await at(page, 0);
});

onPage('a time that cannot be reached is refused with the range, and is kept', async (page) => {
  const field = page.getByRole('textbox', { name: /Go to time/ });
  await field.fill('9999');
  await field.press('Enter');
  await transport(page).getByRole('alert').filter({ hasText: 'from 0 to 240 s' }).waitFor();
  await comes(() => field.inputValue(), '9999');
  assert.equal(await clock(page), OPENING_S);
  await field.fill('50');
  await transport(page).getByRole('alert').waitFor({ state: 'detached' });
});

onPage('long work shows its name and progress, and is cancelled by its button and by Space', async (page) => {
  const panel = scenarioPanel(page);
  await panel.getByRole('button', { name: /^Run/ }).click();
  const horizon = panel.getByRole('textbox', { name: 'Ends at', exact: true });
  await horizon.fill('40000');
  await horizon.press('Enter');
  await page.getByText('of 40,000 s').waitFor();
  await resting(page);
  await transport(page).getByRole('button', { name: 'Run to next preemption' }).click();
  const travel = page.locator('.run-target');
  await travel.filter({ hasText: 'Looking for the next preemption' }).waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  await travel.getByRole('button', { name: 'Cancel' }).click();
  await travel.waitFor({ state: 'detached' });
  assert.ok((await resting(page)) < 40_000);
  const field = page.getByRole('textbox', { name: /Go to time/ });
  await field.fill('39000');
  await field.press('Enter');
  await travel
    .filter({ hasText: /Going to 39,000.* s/ })
    .getByRole('progressbar')
    .waitFor();
  for (const width of [1440, 1280, 1120]) {
    await page.setViewportSize({ width, height: 800 });
    const cut = await travel.evaluate((all) => {
      const box = all.getBoundingClientRect();
      const parts = [...all.querySelectorAll('progress, b, button')].map((part) => part.getBoundingClientRect());
      return parts.filter(({ left, right, width }) => width < 20 || left < box.left || right > box.right).length;
    });
    assert.equal(cut, 0, `how far it is and Cancel at ${width}`);
  }
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('Space');
  await travel.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  assert.ok((await resting(page)) < 39_000, 'it stopped and does not play');
});

onPage.long('a change that rebuilds a long run shows its target, and can be stopped on the way', async (page) => {
  const panel = scenarioPanel(page);
  await panel.getByRole('button', { name: /^Run/ }).click();
  const type = async (name, text) => {
    const field = panel.getByRole('textbox', { name, exact: true });
    await field.fill(text);
    await field.press('Enter');
  };
  await type('Ends at', '12000');
  await page.getByText('of 12,000 s').waitFor();
  await resting(page);
  const travel = page.locator('.run-target');
  for (const [name, warmUp] of [
    ['Cancel', '10'],
    ['Stop', '30'],
  ]) {
    const field = page.getByRole('textbox', { name: /Go to time/ });
    await field.fill('3000');
    await field.press('Enter');
    await at(page, 3000);
    await resting(page);
    await type('Warm-up', warmUp);
    await travel
      .filter({ hasText: /Going to 3,000\.000 s/ })
      .getByRole('progressbar', { name: 'Done' })
      .waitFor();
    await comes(() => page.getByRole('button', { name: 'Play', exact: true }).count(), 0);
    await transport(page).getByRole('button', { name, exact: true }).click();
    await travel.waitFor({ state: 'detached' });
    assert.ok((await resting(page)) < 3000, `${name} stopped it on the way`);
    await comes(() => panel.getByRole('textbox', { name: 'Warm-up', exact: true }).inputValue(), warmUp);
  }
});

onPage('End runs to the end of the run, and Shift P pauses without ever playing', async (page) => {
  await page.keyboard.press('End');
  await at(page, 240);
  await resting(page);
  await page.keyboard.press('Home');
  await at(page, 0);
  await resting(page);
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await comes(async () => (await clock(page)) > 0, true);
  await page.keyboard.press('Shift+P');
  const paused = await resting(page);
  assert.ok(paused < 240, 'it is not simply over');
  await page.keyboard.press('Shift+P');
  assert.equal(await resting(page), paused, 'a second one lets it rest');
});

onPage('Space plays after a button was clicked, and presses a button that a key has reached', async (page) => {
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const turn = () => page.getByRole('button', { name: /^(Light|Dark) theme$/ });
  const before = await theme();
  await turn().click();
  const after = await theme();
  assert.notEqual(after, before);
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  assert.equal(await theme(), after, 'the button was not pressed again');
  await page.keyboard.press('Shift+P');
  await resting(page);
  await page.getByRole('button', { name: 'Find a command' }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await comes(theme, before);
  assert.equal(await page.getByRole('button', { name: 'Pause', exact: true }).count(), 0);
});

onPage('the focus goes to the nearest control when the focused one disappears', async (page) => {
  const panel = scenarioPanel(page);
  const replicas = panel.getByRole('textbox', { name: 'Replicas' });
  await replicas.fill('5');
  await replicas.press('Enter');
  await panel.getByRole('tab', { name: 'Changes' }).click();
  const undo = panel.getByRole('button', { name: 'Undo', exact: true });
  await comes(() => undo.isEnabled(), true);
  await panel.getByRole('button', { name: /^Remove the edit at 48/ }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.changes li').length === 1);
  await page.waitForFunction(() => document.activeElement !== document.body);
  await comes(() => page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Remove the edit at 60/);
  await undo.focus();
  for (let i = 0; i < 2; i += 1) await page.keyboard.press('Enter');
  await comes(() => undo.isEnabled(), false);
  await page.waitForFunction(() => document.activeElement !== document.body && !document.activeElement.disabled);
});

onPage('the status is announced on request, and automatically when the run rests', async (page) => {
  const spoken = page.locator('.page > [role=status][aria-live=polite]');
  await page.waitForFunction(() => /^At 48 s/.test(document.querySelector('.page > [role=status]')?.textContent));
  await page.keyboard.press('v');
  await comes(() => spoken.textContent(), /^At 48 s: \d+ running, .* TTFT p99 /);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog');
  for (const key of [
    '[ or −',
    ',',
    'Home',
    't',
    '/',
    'v',
    'r',
    'b',
    'x',
    's',
    'y',
    'j',
    'k',
    '1',
    'Shift + S',
    'Shift + N',
  ])
    await sheet.locator('kbd').getByText(key, { exact: true }).waitFor();
  await sheet.getByRole('checkbox', { name: /Announce to a screen reader/ }).uncheck();
  await comes(() => page.evaluate(() => localStorage.getItem('spoken')), 'off');
});

onPage.long('the effect of an edit is announced once its window has passed, unless switched off', async (page) => {
  await page.evaluate(() => {
    window.said = [];
    const region = document.querySelector('.page > [role=status]');
    new MutationObserver(() => window.said.push(region.textContent)).observe(region, {
      characterData: true,
      childList: true,
      subtree: true,
    });
  });
  const since = () => page.evaluate(() => window.said.filter((sentence) => sentence.startsWith('Since the edit: ')));
  const rate = scenarioPanel(page).getByRole('textbox', { name: 'Rate, Arrivals, client chat' });
  const playUntil = async (seconds) => {
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await comes(async () => (await clock(page)) > seconds, true);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    return resting(page);
  };
  await rate.fill('60');
  await rate.press('Enter');
  await page.locator('.f.chg .was').waitFor();
  await resting(page);
  assert.deepEqual(await since(), [], 'nothing has come of it yet');
  await page.getByRole('combobox', { name: 'Speed' }).selectOption({ label: 'Speed 10×' });
  const reached = await playUntil(OPENING_S + 35);
  await comes(async () => (await since()).length, 1, 'it is said once');
  assert.match((await since())[0], /^Since the edit: p99 TTFT up from [\d.]+\s(ms|s) to [\d.]+\ss, /);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('?');
  await page.getByRole('checkbox', { name: /Announce to a screen reader/ }).uncheck();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await rate.fill('5');
  await rate.press('Enter');
  await page.waitForFunction(() => document.querySelector('.f.chg input')?.dataset.value === '5');
  await resting(page);
  await page.evaluate(() => {
    window.said = [];
  });
  await playUntil(reached + 35);
  assert.deepEqual(await page.evaluate(() => window.said), []);
});

onPage('the stage takes keys: arrows a replica, Enter its step and then a request, each announced', async (page) => {
  const stage = page.getByRole('application', { name: /^Stage/ });
  await stage.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const spoken = page.locator('.page > [role=status]');
  await comes(() => spoken.textContent(), /^Replica r1 /);
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await page.waitForFunction(
    () => document.querySelector('.right [role=tab][aria-selected=true]')?.textContent === 'Replica',
  );
  await page.keyboard.press('Enter');
  await comes(() => spoken.textContent(), /^Step \d+ of r1/);
  await page.keyboard.press('Enter');
  await inspector.locator('h2, .rid, b').filter({ hasText: /^#\d+/ }).first().waitFor();
  await comes(() => spoken.textContent(), /^Request \d+, /);
  assert.ok(await stage.evaluate((e) => e === document.activeElement), 'the focus stays on the stage');
});

onPage('256 clients give a small form at first, and each of them can be reached', async (page) => {
  const clients = Array.from({ length: 256 }, (_, i) => ({
    name: `client-${i}`,
    arrivals: { poisson: { rate_per_s: 0.05 } },
  }));
  await drop(page, 'many.json', JSON.stringify({ title: 'Many', run: { horizon_s: 60 }, workload: { clients } }));
  await page.getByRole('heading', { name: 'Many' }).waitFor();
  await resting(page);
  const panel = scenarioPanel(page);
  const nodes = await page.evaluate(() => document.querySelectorAll('.left *').length);
  assert.ok(nodes < 3000, `${nodes} elements`);
  await panel.getByText('1–12 of 256').waitFor();
  await panel.getByRole('button', { name: 'The next 12, Workload' }).click();
  await panel.getByText('13–24 of 256').waitFor();
  await panel.getByRole('searchbox').fill('rate client-255');
  await panel.getByRole('textbox', { name: 'Rate, Arrivals, client client-255' }).waitFor();
});

onPage('the flags of the timeline are stops of the tab key and lead to their edits', async (page) => {
  const stop = page.getByRole('button', { name: /^Edit at 60\.000 s: / });
  await stop.focus();
  assert.ok((await stop.boundingBox()).width > 80, 'it is seen while it has the focus');
  await page.keyboard.press('Enter');
  await at(page, 60);
  assert.ok(await stop.evaluate((e) => e === document.activeElement));
});

onPage('the list of presets works with keys: open, move, leave, and open a choice', async (page) => {
  const trigger = page.getByRole('banner').getByRole('button', { name: 'Presets' });
  const lit = page.locator('[role=menuitem][data-highlighted]');
  const focused = () => trigger.evaluate((e) => e === document.activeElement);
  await trigger.focus();
  await page.keyboard.press('ArrowDown');
  const field = page.getByRole('searchbox', { name: 'Find a preset' });
  await comes(() => field.evaluate((e) => e === document.activeElement), true);
  await page.keyboard.press('ArrowDown');
  await comes(() => lit.textContent(), /Gallery/);
  await page.keyboard.press('Escape');
  await comes(() => page.getByRole('menuitem').filter({ visible: true }).count(), 0);
  await comes(focused, true);
  await page.keyboard.press('ArrowDown');
  await comes(() => field.evaluate((e) => e === document.activeElement), true);
  await page.keyboard.press('ArrowDown');
  await comes(() => lit.textContent(), /Gallery/);
  await page.keyboard.press('End');
  await comes(async () => (await lit.textContent()) !== 'Gallery: all with pictures…', true);
  const name = await lit.getAttribute('data-value');
  await page.keyboard.press('Enter');
  await page.waitForFunction((n) => document.querySelector('.preset-name')?.textContent === n, name);
});

onPage('Escape ends a search of the form, and brings its sections back', async (page) => {
  const field = page.getByRole('searchbox', { name: 'Search the form' });
  await field.fill('replicas');
  await page.getByRole('region', { name: 'Found' }).waitFor();
  await field.press('Escape');
  await page.getByRole('button', { name: 'Explain Fleet' }).waitFor();
  assert.equal(await field.inputValue(), '');
  assert.equal(await page.getByRole('region', { name: 'Found' }).count(), 0);
});
