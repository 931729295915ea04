// The estimates of a learning autoscaler, in the tab Scaling of the built page in Chromium: the texts follow from the
// rows of the command line.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cli, clock, comes, inspectorTab, preset, resting, scratch, suite, toEnd } from './harness.mjs';
import { inspectorFits } from './violations.mjs';

const onPage = suite();
const panel = (page) => page.getByRole('complementary', { name: 'Inspector' });

/** The decisions of a preset, as the command line writes them. */
function decisions(name) {
  const { run, missing } = cli();
  if (missing) throw new Error(missing);
  const path = join(scratch(), 'scaling.jsonl');
  run('run', name, '--scaling', path);
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Three significant digits, as on the page. */
function sig3(x) {
  const size = Math.abs(x);
  if (size >= 99.95) return String(Math.round(x)).replace(/\B(?=(\d{3})+$)/g, ',');
  return size >= 9.995 ? x.toFixed(1) : x.toFixed(2);
}

async function goTo(page, seconds) {
  await page.locator('#time-field').fill(String(seconds));
  await page.locator('#time-field').press('Enter');
  await comes(() => clock(page), seconds);
  await resting(page);
}

/** The text of the tab, with plain spaces. */
async function told(page) {
  return (await panel(page).innerText()).replaceAll('\u00a0', ' ').replace(/\s+/g, ' ');
}

onPage.long('the tab shows each decision as in the rows of the command line', async (page) => {
  await preset(page, 'filter-mended');
  await inspectorTab(page, 'Scaling');
  const rows = decisions('filter-mended');
  for (const seconds of [195, 210, 270, 480]) {
    await goTo(page, seconds);
    const row = rows.find((r) => r.time_us === seconds * 1e6);
    const by = row.desired - row.current;
    await comes(() => told(page), new RegExp(`${by === 0 ? 'No change' : `\\+${by}`} at ${seconds}\\.000 s`));
    const text = await told(page);
    const has = (words) => assert.ok(text.includes(words), `${seconds} s: “${words}” in ${text}`);
    has(`${sig3(row.demand_per_s)} req/s ÷ (λ* ${sig3(row.replica_per_s)} × `);
    has(`${sig3(row.alpha_ms)} ms`);
    has(`${sig3(1e3 * row.beta_ms)} µs`);
    has(`${sig3(1e6 * row.gamma_ms)} ns`);
    has(`true ${sig3(row.true_alpha_ms)} ms`);
    has(`± ${sig3(1.96 * row.alpha_sd_ms)}`);
    has(`${sig3(row.nis)}`);
    has(`${row.updates_accepted} accepted, ${row.updates_rejected} rejected`);
    has(`${sig3(row.replica_per_s)} req/s`);
    has(`true ${sig3(row.true_replica_per_s)} req/s`);
    has(`mean TTFT ≤ ${sig3(row.goal_ttft_ms)} ms, mean ITL ≤ ${sig3(row.goal_itl_ms)} ms`);
    has(`● ${row.goal_path}`);
    has(`TTFT mean, ms ${sig3(row.ttft_ms)} ${sig3(row.true_ttft_ms)} ${sig3(row.predicted_ttft_ms)}`);
    has(`ITL mean, ms ${sig3(row.itl_ms)} ${sig3(row.true_itl_ms)} ${sig3(row.predicted_itl_ms)}`);
    has(`Prompt, answer tokens ${Math.round(row.input_tokens)}, ${Math.round(row.output_tokens)}`);
    has(`Ready, pending – ${row.ready}, ${row.pending}`);
  }
});

onPage('arrows move between decisions, and before the first one the tab gives its time', async (page) => {
  await preset(page, 'filter-mended');
  await inspectorTab(page, 'Scaling');
  await goTo(page, 200);
  await comes(() => told(page), /\+1 at 195\.000 s/);
  await panel(page).getByRole('button', { name: 'Previous decision' }).click();
  await comes(() => clock(page), 180);
  await comes(() => told(page), /No change at 180\.000 s/);
  await panel(page).getByRole('button', { name: 'Next decision' }).press('Enter');
  await comes(() => clock(page), 195);
  await goTo(page, 5);
  await comes(() => told(page), /There is no decision yet\. The autoscaler decides every 15 s/);
  await panel(page).getByRole('button', { name: 'Next decision' }).click();
  await comes(() => clock(page), 15);
  await comes(() => told(page), /at 15\.000 s/);
});

onPage('a filter that has locked itself out says so, and a pool without autoscaler has no tab', async (page) => {
  assert.equal(await panel(page).getByRole('tab', { name: 'Scaling' }).count(), 0);
  await preset(page, 'filter-locked-out');
  await inspectorTab(page, 'Scaling');
  await goTo(page, 150);
  await comes(() => told(page), /it never asks for more\..*further off than the gate allows: it was rejected/);
  const gate = panel(page).getByRole('img', { name: /^Normalised innovation squared of each cycle, logarithmic/ });
  await comes(() => gate.locator('.rejected').count(), 10);
  await goTo(page, 300);
  await comes(() => told(page), /the published program creates no filter and keeps its state/);
});

onPage('an autoscaler that does not learn has no estimator', async (page) => {
  await preset(page, 'spike-cold-starts');
  await inspectorTab(page, 'Scaling');
  await goTo(page, 120);
  await comes(() => told(page), /at 120\.000 s.*Inputs.*Rule.*Replicas over time/);
  assert.doesNotMatch(await told(page), /Estimator|How far to trust it/);
});

onPage('the tab fits and axe finds nothing in it, on a desktop and a phone', async (page) => {
  await preset(page, 'filter-mended');
  await toEnd(page);
  await inspectorTab(page, 'Scaling');
  await panel(page).getByText('How far to trust it').waitFor();
  await panel(page).locator('summary').click();
  await inspectorFits(page, ['.est', '.scaling-validity', '.scaling-inputs', '.scaling-chain']);
});
