// Ranks of servers in lock step: on the stage of prefill and decode, in the inspector and in the lanes.
import assert from 'node:assert/strict';
import { chooseReplica, comes, drop, inspectorTab, resting, suite, THEMES } from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const plain = (text) => (text ?? '').replaceAll('\u00a0', ' ').trim();
const inspector = (page) => page.getByRole('complementary', { name: 'Inspector' });

/** Two prefill ranks of one server, and four that decode, with drafts and a CPU tier. */
const RANKS = { expert_ranks_lockstep: true, model: 'deepseek-v2-lite', gpu: 'H100' };
const DRAFTS = { speculative: { tokens: 1, acceptance: 0.8 } };
const TWO = {
  tokenyard: 1,
  title: 'Ranks of two servers',
  seed: 7,
  run: { horizon_s: 30, warmup_s: 2 },
  cluster: {
    pools: [
      { name: 'prefill', role: 'prefill', replicas: 2, expert_ranks: 2, kv: { cpu_blocks: 4000 }, ...RANKS },
      { name: 'decode', role: 'decode', replicas: 4, expert_ranks: 4, engine: DRAFTS, ...RANKS },
    ],
  },
  workload: {
    clients: [
      {
        name: 'chat',
        arrivals: { poisson: { rate_per_s: 20 } },
        prompt_tokens: { lognormal: { median_tokens: 2000, sigma: 0.8, min_tokens: 64, max_tokens: 8000 } },
        output_tokens: { constant: { tokens: 300 } },
      },
    ],
  },
};

onPage('ranks say whom they wait for: on the stage, in Why and in the lanes', async (page) => {
  await drop(page, 'scenario.json', JSON.stringify(TWO));
  await page.getByText(TWO.title).first().waitFor();
  await resting(page);
  const stage = page.locator('.stage canvas').first();
  await comes(async () => /Server s1 of decode has 4 ranks/.test(plain(await stage.getAttribute('aria-label'))), true);
  await chooseReplica(page, 3);
  const server = inspector(page).getByRole('group', { name: /^Server s1 of decode/ });
  await server.waitFor();
  assert.deepEqual((await server.locator('.rank > span').allTextContents()).map(plain), ['r2', 'r3', 'r4', 'r5']);
  await server.getByRole('button', { name: /^r5/ }).click();
  await inspector(page).getByRole('heading', { name: 'r5', exact: true }).waitFor();
  await inspectorTab(page, 'Run');
  const drafts = inspector(page).locator('.drafts');
  assert.match(plain(await drafts.locator('tbody tr').first().textContent()), /^decode1\.\d+/);
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Lanes', exact: true }).click();
  await page.locator('.lanes-canvas').waitFor();
  const lanes = page.locator('.lanes-canvas canvas');
  await comes(async () => plain(await lanes.getAttribute('aria-label')), /Server s1, decode: 4 ranks in lock step\./);
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  const steps = page.getByRole('region', { name: 'Lanes as a table' }).locator('table').last();
  await steps.locator('th', { hasText: 'waited' }).waitFor();
  for (const name of THEMES) {
    await theme(page, name);
    await painted(page);
    assert.deepEqual(await violations(page), [], name);
  }
});
