// Studies of many runs on the page: a race of routers over seeds, and the alternatives of one routing decision in a
// large cluster.
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { clock, drop, newPage, ROOT, resting } from '../e2e/harness.mjs';
import { scenarioOf } from './seeks.mjs';

/** Routers and seeds of the race; they are the page's defaults. */
const ROUTERS = 7;
const SEEDS = 5;
const HORIZON_S = 600;
/** The cluster of a what-if question, its request, whose decision the page keeps, and the end of the alternatives. */
const REPLICAS = 64;
const REQUEST = 8000;
const UNTIL_S = 20;

const seconds = (ms) => Number((ms / 1000).toFixed(2));
const load = () => Number(loadavg()[0].toFixed(2));

async function opened(site, name, scenario) {
  const visit = await newPage(site);
  await drop(visit.page, `${name}.json`, JSON.stringify(scenario));
  await visit.page.waitForFunction((n) => document.querySelector('.preset-name')?.textContent === n, `${name}.json`);
  await resting(visit.page);
  return visit;
}

/** From the key that starts the race until all its runs are ranked. */
export async function race(site) {
  const scenario = JSON.parse(readFileSync(join(ROOT, '../scenarios/router-showdown.json'), 'utf8'));
  scenario.run.horizon_s = HORIZON_S;
  const { page, close } = await opened(site, 'race', scenario);
  const began = load();
  await page.keyboard.press('c');
  const panel = page.getByRole('main', { name: 'Compare with B' });
  await panel.getByRole('button', { name: 'Race' }).click();
  await panel.getByLabel('Seeds').selectOption(String(SEEDS));
  const boxes = panel.locator('.race-chooser input:not(:disabled)');
  // The scenario's own router always runs.
  for (let i = 0, ticked = 1; i < (await boxes.count()); i++) {
    const wanted = ticked < ROUTERS && (await boxes.nth(i).isChecked());
    await boxes.nth(i).setChecked(wanted);
    ticked += wanted ? 1 : 0;
  }
  const start = performance.now();
  await panel.getByRole('button', { name: `Run ${ROUTERS} × ${SEEDS} runs` }).click();
  const done = panel.getByText(new RegExp(`^\\s*${ROUTERS * SEEDS} of ${ROUTERS * SEEDS} `));
  await done.waitFor({ timeout: 600_000 });
  const wall = performance.now() - start;
  const [, workers] = (await done.textContent()).match(/(\d+) workers/) ?? [];
  const threads = await page.evaluate(() => navigator.hardwareConcurrency);
  await close();
  return {
    name: 'race',
    target: 'page',
    replicas: scenario.cluster.pools[0].replicas,
    horizon_s: HORIZON_S,
    runs: ROUTERS * SEEDS,
    wall_s: seconds(wall),
    workers: Number(workers),
    threads,
    load: [began, load()],
  };
}

/** Wall time for which a run plays alone, and in step with another. */
const PLAYED_MS = 6000;

/** Simulated seconds per second at full speed. */
async function speedOf(page) {
  await page.getByRole('combobox', { name: 'Speed' }).selectOption({ label: 'Speed max' });
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  // Code compiled at first use, and the module built for speed, are loaded by then.
  await page.waitForTimeout(PLAYED_MS / 2);
  const from = await clock(page);
  const start = performance.now();
  await page.waitForTimeout(PLAYED_MS);
  const s = await clock(page);
  const wall = (performance.now() - start) / 1000;
  await page.keyboard.press('Space');
  await resting(page);
  return Number(((s - from) / wall).toFixed(1));
}

/** Two runs in step, beside one alone: 8 replicas under two routers. */
export async function lockStep(site) {
  const scenario = JSON.parse(readFileSync(join(ROOT, '../scenarios/router-showdown.json'), 'utf8'));
  scenario.run.horizon_s = 8000;
  const began = load();
  const one = await opened(site, 'alone', scenario);
  const alone = await speedOf(one.page);
  await one.close();
  const both = await opened(site, 'in-step', scenario);
  await both.page.keyboard.press('c');
  const panel = both.page.getByRole('main', { name: 'Compare with B' });
  await panel.getByLabel('Router of B').selectOption({ label: 'Least loaded' });
  await panel.getByText('request by request').waitFor();
  const inStep = await speedOf(both.page);
  await both.close();
  return {
    name: 'lock-step',
    target: 'page',
    replicas: scenario.cluster.pools[0].replicas,
    alone_sim_s_per_s: alone,
    in_step_sim_s_per_s: inStep,
    share: Number((inStep / alone).toFixed(2)),
    load: [began, load()],
  };
}

/** A cluster of 64 replicas as a link: the default preset, sixteen times as large, at an instant and with a request selected. */
function linkTo(request) {
  const scenario = scenarioOf(REPLICAS / 4);
  const set = scenario.workload.clients.flatMap((client, i) =>
    Object.entries(client.arrivals).map(
      ([kind, of]) => `workload.clients[${i}].arrivals.${kind}.rate_per_s=${of.rate_per_s}`,
    ),
  );
  const parts = [`cluster.pools[0].replicas=${REPLICAS}`, 'edits=[]', ...set, `t=${UNTIL_S}`];
  return `#chat-4xh100;${parts.join(';')};select=request:${request}`;
}

/** Milliseconds from the button until the table of alternatives is shown. */
async function asked(page) {
  const block = page.locator('.what-if');
  const start = performance.now();
  await block.getByRole('button', { name: 'Compare all alternatives' }).click();
  await block.getByRole('table').waitFor({ timeout: 600_000 });
  return performance.now() - start;
}

/**
 * Sixteen alternatives of one decision: the first question about a run, which runs up to it, and one about the next
 * request.
 */
export async function whatIf(site) {
  const { page, close } = await newPage(site, { link: linkTo(REQUEST) });
  await resting(page);
  const began = load();
  const first = await asked(page);
  await page.getByRole('button', { name: 'Next request' }).click();
  const again = await asked(page);
  await close();
  // The same after two seconds on the request, when the page has prepared the question.
  const other = await newPage(site, { link: linkTo(REQUEST) });
  await resting(other.page);
  await other.page.locator('.what-if').waitFor();
  await other.page.waitForTimeout(2000);
  const looked = await asked(other.page);
  await other.close();
  return {
    name: 'what-if',
    target: 'page',
    replicas: REPLICAS,
    alternatives: 16,
    until_s: UNTIL_S,
    first_s: seconds(first),
    again_s: seconds(again),
    looked_at_s: seconds(looked),
    load: [began, load()],
  };
}
