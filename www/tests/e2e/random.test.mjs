// Random actions: edits, seeks, steps, undo, presets, dialogs, playing. After each the page answers, shows one instant and has no
// error; at the end its run equals that of the command line for the saved scenario. Where a part runs, it is some actions of one seed.
import assert from 'node:assert/strict';
import {
  cli,
  clock,
  comes,
  finalDigest,
  inspectorTab,
  part,
  preset,
  resting,
  savedScenario,
  suite,
} from './harness.mjs';
import { goTo } from './sharing.mjs';

const onPage = suite();

const SEEDS = part('seeds of random actions', [20, 21, 22, 23, 24], 1);
const ACTS = part('random actions of a seed', Array.from({ length: 500 }), 25).length;

const PRESETS = [
  'chat-4xh100',
  'kv-pressure',
  'stale-herd',
  'crash-cold-cache',
  'queue-at-the-gateway',
  'scale-to-zero',
];

/** The same numbers every time. */
function draws(seed) {
  let state = seed;
  return (bound) => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return Math.floor((state / 4294967296) * bound);
  };
}

/** Writes into a field of the form, if this scenario has it. */
async function fill(page, name, value) {
  const field = page.getByRole('complementary', { name: 'Scenario' }).getByRole('textbox', { name }).first();
  if (!(await field.isVisible())) return;
  await field.fill(value);
  await field.press('Enter');
}

async function press(page, keys) {
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press(keys);
}

async function openAndLeave(page, name) {
  if (name === 'Help') await press(page, '?');
  else await page.getByRole('banner').getByRole('button', { name }).click();
  await page.locator(':is(dialog, [role=dialog]):visible').first().waitFor();
  await page.keyboard.press('Escape');
  await comes(() => page.locator(':is(dialog, [role=dialog]):visible').count(), 0);
}

async function playAWhile(page, ms) {
  await press(page, 'Space');
  await page.waitForTimeout(ms);
  const pause = page.getByRole('button', { name: 'Pause', exact: true });
  if (await pause.isVisible()) await press(page, 'Space');
}

/** What a user does, by name; what is listed twice comes twice as often. Edits are anywhere in the run, so that seeks go before them too. */
const ACTIONS = [
  ['edit replicas', (page, below) => fill(page, 'Replicas', String(1 + below(8)))],
  ['edit the rate', (page, below) => fill(page, 'Rate', String(below(40)))],
  ['seek', (page, below) => goTo(page, 0.5 * below(100))],
  ['seek to half', async (page) => goTo(page, (await clock(page)) / 2)],
  ['undo', (page) => press(page, 'Control+z')],
  ['undo', (page) => press(page, 'Control+z')],
  ['redo', (page) => press(page, 'Control+Shift+z')],
  ['step', (page) => press(page, '.')],
  ['step back', (page) => press(page, ',')],
  ['engine step', (page) => press(page, 'Shift+ArrowRight')],
  ['play', (page, below) => playAWhile(page, 50 + below(400))],
  ['restart', (page) => page.getByRole('button', { name: 'Restart' }).click()],
  ['presets and back', (page) => openAndLeave(page, 'Gallery')],
  ['share and back', (page) => openAndLeave(page, 'Share')],
  ['help and back', (page) => openAndLeave(page, 'Help')],
  ['inspector', (page, below) => inspectorTab(page, ['Run', 'Log', 'Replica'][below(3)])],
  ['open a preset', (page, below) => preset(page, PRESETS[below(PRESETS.length)])],
];

/** Key figure, chart over time and distribution of TTFT, where they are shown and differ. */
function apart(page) {
  return page.evaluate(() => {
    const bare = (text) => (text ?? '').replaceAll(/[\s,]/g, '');
    const figure = [...document.querySelectorAll('.kpi > div')].find((el) => el.textContent.includes('TTFT p99'));
    const key = bare(figure?.querySelector('p > span')?.textContent);
    if (!/^\d/.test(key)) return [];
    const titled = (chart) => chart.querySelector('figcaption b')?.textContent === 'TTFT';
    const head = [...document.querySelectorAll('.time-chart')].find(titled)?.querySelector('.strong');
    const share = document.querySelector('.ecdf canvas')?.getAttribute('aria-label');
    const found = [];
    if (head && bare(head.textContent) !== key) found.push(`key figure ${key}, chart ${bare(head.textContent)}`);
    if (share && !bare(share).includes(`99%within${key}`)) found.push(`key figure ${key}, distribution ${share}`);
    return found;
  });
}

for (const seed of SEEDS)
  onPage(
    `${ACTS} random actions from seed ${seed} show one instant each and end in the digest of the command line`,
    async (page, t) => {
      const below = draws(seed);
      let slowest = { ms: 0 };
      for (let i = 0; i < ACTS; i += 1) {
        const [name, act] = ACTIONS[below(ACTIONS.length)];
        const began = performance.now();
        await act(page, below);
        await resting(page);
        const ms = Math.round(performance.now() - began);
        if (ms > slowest.ms) slowest = { ms, name, i };
        if (ms > 2000) t.diagnostic(`action ${i}, ${name}: ${ms} ms`);
        await comes(() => apart(page), [], `after action ${i}, ${name}`);
      }
      t.diagnostic(`slowest of ${ACTS}: action ${slowest.i}, ${slowest.name}: ${slowest.ms} ms`);
      const { run, missing } = cli();
      if (!run) {
        t.diagnostic(`not compared with the command line: ${missing}`);
        return;
      }
      const digest = await finalDigest(page);
      assert.equal(digest, run('digest', await savedScenario(page)).split(/\s+/)[0]);
      t.diagnostic(`digest ${digest} in the page and on the command line`);
    },
  );
