// A replica crashes live, comes back, and the crash is undone; the run is that of the command line.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { compared, comparison } from './comparing.mjs';
import {
  chartTool,
  chooseReplica,
  cli,
  comes,
  drop,
  finalDigest,
  moreFigures,
  resting,
  savedScenario,
  suite,
} from './harness.mjs';
import { goTo } from './sharing.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const FLEET = {
  title: 'Four replicas to break',
  run: { horizon_s: 120 },
  cluster: { pools: [{ replicas: 4 }], resilience: { retries: 1 } },
  workload: { clients: [{ arrivals: { poisson: { rate_per_s: 40 } } }] },
};
const inspector = (page) => page.getByRole('complementary', { name: 'Inspector' });
const figures = (page) => page.getByRole('region', { name: 'Key figures' });

const edits = async (page) => JSON.parse(readFileSync(await savedScenario(page), 'utf8')).edits ?? [];
const faults = async (page) => (await edits(page)).map(({ at_us, fault }) => [at_us / 1e6, fault]);
const stop = (page, name) => page.locator('.flag-stops .btn', { hasText: name }).first();

/** Crashes r1 at 30 s for 40 s. */
async function crashed(page) {
  await opened(page);
  await inspector(page).getByLabel('Back after').fill('40');
  await inspector(page).getByRole('button', { name: 'Break it now' }).click();
  await stop(page, /Crash r1/i).waitFor({ state: 'attached' });
  await resting(page);
}

/** Drags on the timeline from one instant to another, at a height. */
async function dragged(page, fromS, toS, y) {
  const { x, y: top, width } = await page.getByRole('slider', { name: 'Time' }).boundingBox();
  const at = (s) => x + 16 + ((width - 32) * s) / FLEET.run.horizon_s;
  await page.mouse.move(at(fromS), top + y);
  await page.mouse.down();
  await page.mouse.move((at(fromS) + at(toS)) / 2, top + y, { steps: 3 });
  await page.mouse.move(at(toS), top + y, { steps: 3 });
  await page.mouse.up();
  await resting(page);
}

async function opened(page) {
  await drop(page, 'scenario.json', JSON.stringify(FLEET));
  await page.getByText(FLEET.title).first().waitFor();
  await resting(page);
  await goTo(page, 30);
  await chooseReplica(page, 1);
}

onPage(
  'a replica crashes live and comes back, which is an edit of the timeline that can be undone',
  async (page, t) => {
    await opened(page);
    const block = inspector(page).getByRole('group', { name: 'Break r1' });
    await block.getByRole('radio', { name: 'Crash' }).waitFor();
    await inspector(page).getByLabel('Back after').fill('40');
    await inspector(page).getByRole('button', { name: 'Break it now' }).click();
    const flag = page.locator('.flag-stops .btn', { hasText: /Crash r1/i });
    await flag.first().waitFor({ state: 'attached' });
    await goTo(page, 50);
    await moreFigures(page);
    await figures(page).getByText('Available').waitFor();
    await inspector(page).locator('.pill', { hasText: 'down' }).waitFor();
    // The lane under the pointer says what its replica was then.
    await chartTool(page, 'Choose charts');
    await page.getByRole('checkbox', { name: 'Replicas by stage' }).check();
    await page.keyboard.press('Escape');
    const chart = page.locator('[data-chart="replicas"]');
    await chart.scrollIntoViewIfNeeded();
    const plot = await chart.locator('.plot-area').boundingBox();
    const point = (s) => page.mouse.move(plot.x + (plot.width * s) / FLEET.run.horizon_s, plot.y + plot.height / 2);
    const isDown = chart.locator('.readouts', { hasText: /r1\s*down/ });
    await point(40);
    await isDown.waitFor();
    await point(20);
    await comes(() => isDown.count(), 0);
    await page.mouse.move(0, 0);
    assert.deepEqual(await violations(page), []);
    const document = { edits: await edits(page) };
    assert.deepEqual(
      document.edits.map((e) => e.fault?.crash?.restart_s),
      [40],
    );
    const { run, missing } = cli();
    if (run) assert.equal(await finalDigest(page), run('digest', await savedScenario(page)).split(/\s+/)[0]);
    else t.diagnostic(missing);
    await goTo(page, 90);
    await inspector(page).getByRole('tab', { name: 'Replica' }).click();
    await inspector(page)
      .locator('.pill', { hasText: /serving|cold/ })
      .waitFor();
    await page.keyboard.press('Control+z');
    await comes(() => flag.count(), 0);
    await comes(() => figures(page).getByText('Available').count(), 0);
  },
);

onPage('the menu of a card is opened and used with the keyboard alone', async (page) => {
  await opened(page);
  await page.keyboard.press('f');
  const menu = page.getByRole('dialog', { name: 'Break r1' });
  const chosen = menu.getByRole('button', { expanded: true });
  await chosen.waitFor();
  assert.match(await chosen.textContent(), /Crash/);
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('ArrowDown');
  await comes(async () => /Restart/.test(await chosen.textContent()), true);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await comes(async () => /Crash|Restart/.test(await chosen.textContent()), false);
  await page.keyboard.press('Escape');
  await comes(() => menu.count(), 0);
  assert.deepEqual(await faults(page), [], 'nothing broke');
  await page.keyboard.press('f');
  await chosen.waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await page.keyboard.type('4');
  await page.keyboard.press('Tab');
  await page.keyboard.type('20');
  await page.keyboard.press('Enter');
  await stop(page, /Slow r1/i).waitFor({ state: 'attached' });
  const [[at, { slow }]] = await faults(page);
  assert.deepEqual([at, slow.replica, slow.factor, slow.for_s], [30, 1, 4, 20]);
  await goTo(page, 40);
  await page.locator('.stage-host canvas').click({ button: 'right', position: { x: 300, y: 60 } });
  await page.getByRole('dialog', { name: 'Break r0' }).waitFor();
});

onPage('on the timeline the bar of a crash is dragged longer, and its pennant to another instant', async (page, t) => {
  await crashed(page);
  // The lower track, at the end of the bar.
  await dragged(page, 70, 80, 19);
  const [[at, longer]] = await faults(page);
  assert.equal(at, 30);
  assert.ok(Math.abs(longer.crash.restart_s - 50) < 0.3, `${longer.crash.restart_s} s`);
  await dragged(page, 30, 45, 6);
  const [[moved, same]] = await faults(page);
  assert.ok(Math.abs(moved - 45) < 0.3, `${moved} s`);
  assert.deepEqual(same, longer, 'it lasts as long as before');
  const { run, missing } = cli();
  if (run) assert.equal(await finalDigest(page), run('digest', await savedScenario(page)).split(/\s+/)[0]);
  else t.diagnostic(missing);
});

onPage('what a crash cost is told, and the run without it is compared as B and kept as a branch', async (page, t) => {
  await crashed(page);
  await goTo(page, 60);
  await inspector(page).getByRole('tab', { name: 'Replica' }).click();
  const cost = inspector(page).locator('.blk', { hasText: 'What the crash of r1 cost' });
  await cost.getByText('Attempts hit').waitFor();
  const hit = Number(
    await cost
      .locator('div', { hasText: /^Attempts hit/ })
      .locator('dd')
      .textContent(),
  );
  assert.ok(hit > 0, `${hit} attempts`);
  await cost.getByRole('button', { name: 'no crash' }).click();
  await compared(page);
  await comparison(page).getByText('no crash of r1').first().waitFor();
  await page.keyboard.press('c');
  await comes(() => comparison(page).count(), 0);
  const with_ = await finalDigest(page);
  await page.getByRole('button', { name: 'Branch here' }).click();
  const flag = stop(page, /Crash r1/i);
  await flag.focus();
  await flag.press('x');
  await page
    .locator('.flag-stops .btn', { hasText: /^Switched-off edit/ })
    .first()
    .waitFor({ state: 'attached' });
  const without = await finalDigest(page);
  assert.notEqual(without, with_);
  await moreFigures(page);
  await figures(page).getByText('Goodput').waitFor();
  await comes(() => figures(page).getByText('Available').count(), 0);
  const { run, missing } = cli();
  if (run) assert.equal(without, run('digest', await savedScenario(page)).split(/\s+/)[0]);
  else t.diagnostic(missing);
});
