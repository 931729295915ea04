// Everything is edited while it runs: topology, policies, traffic. Each edit is a flag, can be undone, and replays elsewhere.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cli, clock, comes, finalDigest, resting, savedScenario, seedField, suite, undoInList } from './harness.mjs';
import { goTo } from './sharing.mjs';

const onPage = suite();
const scenarioPanel = (page) => page.getByRole('complementary', { name: 'Scenario' });

/** The scheduled edits of the first preset. */
const SCHEDULED = 1;

/** Waits for a number of flags on the timeline besides the scheduled ones, by its sentence. */
async function flags(page, count) {
  await page.getByRole('img', { name: new RegExp(`Timeline.*; ${SCHEDULED + count} edits?\\b`) }).waitFor();
}

async function type(field, text) {
  await field.fill(text);
  await field.press('Enter');
}

async function pick(page, list, option) {
  await list.click();
  await page.getByRole('option', { name: option }).first().click();
}

async function play(page) {
  // Slowly, so that the run still plays at the last edit.
  for (let i = 0; i < 2; i += 1) await page.keyboard.press('[');
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
}

async function pause(page) {
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await resting(page);
}

onPage(
  'pools, clients, GPU, scheduler, prompt and a router weight change while it plays, each a flag, and replay to the same digest',
  async (page, t) => {
    const panel = scenarioPanel(page);
    const pool = panel.getByRole('group', { name: 'main-2' });
    const before = await clock(page);
    await play(page);
    // An edit before its first step would be at its opening instant.
    await comes(async () => (await clock(page)) > before, true);
    await panel.getByRole('button', { name: 'Add pool' }).click();
    await pool.first().getByText('added at').waitFor();
    await panel.getByRole('button', { name: 'Add client' }).click();
    await panel.getByRole('group', { name: 'batch-2' }).waitFor();
    await flags(page, 2);
    await type(pool.first().getByRole('textbox', { name: 'GPU' }), 'A100-80');
    await flags(page, 3);
    await panel.getByRole('button', { name: /^Scheduling/ }).click();
    await pick(page, panel.getByRole('combobox', { name: 'Scheduler' }).first(), 'SJF');
    await flags(page, 4);
    await type(panel.getByRole('group', { name: 'chat' }).getByRole('textbox', { name: 'Median' }).first(), '700');
    await flags(page, 5);
    await pick(page, panel.getByRole('combobox', { name: 'Policy' }).first(), 'Weighted');
    await panel.getByRole('combobox', { name: 'Profile' }).waitFor();
    await pick(page, panel.getByRole('combobox', { name: 'Profile' }), 'Custom');
    await flags(page, 7);
    await panel
      .getByRole('slider', { name: /, as a slider/ })
      .first()
      .press('ArrowRight');
    await flags(page, 8);
    assert.equal(
      await panel
        .getByRole('textbox', { name: /^Prefix affinity/ })
        .first()
        .inputValue(),
      '3.5',
    );
    await undoInList(panel);
    await flags(page, 9);
    assert.equal(
      await panel
        .getByRole('textbox', { name: /^Prefix affinity/ })
        .first()
        .inputValue(),
      '3',
    );
    await undoInList(panel);
    await flags(page, 10);
    await comes(() => page.locator('.problem').count(), 0);
    await pause(page);
    assert.ok((await clock(page)) > before, 'the run went on');
    const digest = await finalDigest(page);
    const path = await savedScenario(page);
    const all = JSON.parse(readFileSync(path, 'utf8')).edits;
    assert.equal(all.length, SCHEDULED + 10);
    const edits = all.filter((e) => e.after_events !== undefined);
    assert.equal(edits.length, 10);
    assert.deepEqual(Object.keys(edits[0].add), ['cluster.pools']);
    assert.deepEqual(edits[2].set, { 'cluster.pools[1].gpu': 'A100-80' });
    assert.ok(edits.every((e) => e.change === undefined && e.at_us > before * 1e6));
    const { run, missing } = cli();
    if (!run) {
      t.skip(missing);
      return;
    }
    assert.equal(digest, run('digest', path).split(/\s+/)[0]);
    t.diagnostic(`digest ${digest} in the page and on the command line`);
  },
);

onPage.long(
  'undo and redo by keyboard: an added pool is removed and added again, later it is emptied and filled',
  async (page) => {
    const panel = scenarioPanel(page);
    await panel.getByRole('button', { name: 'Add pool' }).focus();
    await page.keyboard.press('Enter');
    const pool = panel.getByRole('group', { name: 'main-2' }).first();
    await pool.waitFor();
    await page.waitForFunction(() => document.activeElement?.classList.contains('entry-name'));
    const replicas = pool.getByRole('textbox', { name: 'Replicas' });
    await comes(() => replicas.inputValue(), '4');
    await type(replicas, '2');
    await flags(page, 2);
    await page.keyboard.press('Control+z');
    await flags(page, 1);
    await comes(() => replicas.inputValue(), '4');
    await page.keyboard.press('Control+z');
    await flags(page, 0);
    await comes(() => pool.count(), 0);
    await page.keyboard.press('Control+Shift+Z');
    await flags(page, 1);
    await comes(() => replicas.inputValue(), '4');
    await goTo(page, 50);
    await page.keyboard.press('Control+z');
    await flags(page, 2);
    await comes(() => replicas.inputValue(), '0');
    await page.keyboard.press('Control+Shift+Z');
    await flags(page, 1);
    await comes(() => replicas.inputValue(), '4');
    await pool.getByRole('button', { name: 'Drain pool' }).click();
    await flags(page, 2);
    await comes(() => replicas.inputValue(), '0');
  },
);

onPage('an edit ahead of the playhead is undone by removing it; a restart by the old document', async (page) => {
  const panel = scenarioPanel(page);
  const replicas = panel.getByRole('textbox', { name: 'Replicas' }).first();
  await type(replicas, '6');
  await flags(page, 1);
  await page.getByRole('slider', { name: 'Time' }).press('PageDown');
  await page.waitForFunction(() => document.querySelectorAll('.f.chg').length === 0);
  await resting(page);
  await undoInList(panel);
  await flags(page, 0);
  const seed = await seedField(page);
  await type(seed, '7');
  await page.waitForFunction(() => document.querySelector('.preset-name')?.nextElementSibling?.textContent === '+1');
  await undoInList(panel);
  await page.waitForFunction(() => document.querySelector('[data-path=seed] input')?.value === '42');
});

onPage(
  'on a phone pools and clients are added, emptied and undone without YAML, each control large enough to hit',
  async (page) => {
    await page.getByRole('navigation', { name: 'View' }).getByRole('button', { name: 'Scenario' }).click();
    const panel = page.getByRole('main', { name: 'Scenario' });
    for (const name of ['Add pool', 'Add client']) {
      const button = panel.getByRole('button', { name });
      await button.scrollIntoViewIfNeeded();
      assert.ok((await button.boundingBox()).height >= 40, name);
      await button.click();
    }
    await flags(page, 2);
    const client = panel.getByRole('group', { name: 'batch-2' });
    await client.getByRole('button', { name: /^Stop traffic/ }).click();
    await flags(page, 3);
    await comes(() => client.getByRole('textbox', { name: 'Rate' }).inputValue(), '0');
    await panel.getByRole('tab', { name: /^Changes/ }).click();
    const undo = panel.getByRole('button', { name: 'Undo', exact: true });
    assert.ok((await undo.boundingBox()).height >= 40);
    await undo.click();
    await panel.getByRole('tab', { name: 'Form' }).click();
    await flags(page, 2);
    await comes(() => client.getByRole('textbox', { name: 'Rate' }).inputValue(), '2');
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `the page is ${overflow} px too wide`);
  },
  { viewport: { width: 390, height: 844 } },
);
