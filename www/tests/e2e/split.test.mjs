// A split cluster by hand: from the default preset to prefill and decode replicas, a transfer, its waterfall, the ratio.
import assert from 'node:assert/strict';
import { comes, drop, moreFigures, resting, suite } from './harness.mjs';

const onPage = suite();
const scenarioPanel = (page) => page.getByRole('complementary', { name: 'Scenario' });
const inspector = (page) => page.getByRole('complementary', { name: 'Inspector' });
const ratio = (page) => scenarioPanel(page).getByRole('group', { name: 'Ratio of prefill to decode replicas' });
const now = (page) => ratio(page).locator('output');

/** Prompts of one length at a steady rate, which a split of four replicas serves within its objectives. */
const STEADY = {
  tokenyard: 1,
  title: 'Steady prompts',
  seed: 7,
  run: { horizon_s: 20, warmup_s: 2 },
  cluster: { pools: [{ name: 'main', replicas: 4, latency: 'catalogue' }] },
  workload: {
    clients: [
      {
        name: 'chat',
        arrivals: { poisson: { rate_per_s: 12 } },
        prompt_tokens: { constant: { tokens: 1500 } },
        output_tokens: { constant: { tokens: 60 } },
      },
    ],
  },
  slo: { ttft_ms: 400, tpot_ms: 20 },
};

/** Opens the steady prompts at their beginning. */
async function opened(page) {
  await drop(page, 'scenario.json', JSON.stringify(STEADY));
  await page.getByText(STEADY.title).first().waitFor();
  await resting(page);
  await page.keyboard.press('Home');
  await resting(page);
}

/** Opens a request that was handed over, from the log. */
async function openLanded(page) {
  await page.keyboard.press('Shift+L');
  await comes(
    async () =>
      (await inspector(page)
        .getByText(/Waterfall/)
        .count()) > 0,
    true,
  );
  await resting(page);
}

onPage('the default preset is a split cluster after one click, and a ratio of its own after four', async (page) => {
  const panel = scenarioPanel(page);
  await panel.getByRole('button', { name: 'Split', exact: true }).first().click();
  await now(page).waitFor();
  const first = await now(page).textContent();
  assert.match(first, /^\d+ : \d+/);
  await ratio(page).getByRole('button', { name: 'One prefill replica less' }).click();
  await comes(async () => (await now(page).textContent()) !== first, true);
  await resting(page);
  await panel.getByRole('button', { name: /^Link/ }).waitFor();
  await panel.getByRole('textbox', { name: /^Port of a GPU/ }).waitFor();
  // Undo brings back the ratio, then the mixed pool.
  await page.keyboard.press('Control+z');
  await comes(() => now(page).textContent(), first);
  await page.keyboard.press('Control+z');
  await ratio(page).waitFor({ state: 'detached' });
});

onPage('a transfer is watched and read: waterfall, two decisions, blocks at both ends', async (page) => {
  await opened(page);
  await scenarioPanel(page).getByRole('button', { name: 'Split', exact: true }).first().click();
  await now(page).waitFor();
  await openLanded(page);
  await page.keyboard.press('Shift+L');
  await resting(page);
  const fall = inspector(page).getByRole('img', { name: /^Waterfall of request/ });
  assert.match(await fall.getAttribute('aria-label'), /Prefill .*Transfer /);
  const rows = await fall.locator('.row-name').allTextContents();
  assert.ok(
    rows.some((row) => /^Prefill r\d/.test(row.trim())),
    rows.join(),
  );
  assert.ok(
    rows.some((row) => row.trim() === 'Transfer'),
    rows.join(),
  );
  await inspector(page).getByRole('heading', { name: 'Two decisions' }).waitFor();
  assert.equal(await inspector(page).locator('.two-decisions table').count(), 2);
  await inspector(page)
    .getByText(/^r\d+ has all \d+, r\d+ gave its blocks back$/)
    .waitFor();
  const figures = page.getByRole('region', { name: 'Key figures' });
  await moreFigures(page);
  await figures.getByRole('heading', { name: /^Hand-over p99/ }).waitFor();
  await figures.getByRole('heading', { name: /^Ports out/ }).waitFor();
});

onPage('the ratio is found and used, all by keyboard', async (page) => {
  await opened(page);
  await scenarioPanel(page).getByRole('button', { name: 'Split', exact: true }).first().focus();
  await page.keyboard.press('Enter');
  await comes(async () => (await now(page).textContent()).startsWith('2 : 2'), true);
  await page.locator('body').click({ position: { x: 700, y: 20 } });
  await page.keyboard.press('{');
  await comes(async () => (await now(page).textContent()).startsWith('1 : 3'), true);
  await page.keyboard.press('}');
  await page.keyboard.press('}');
  await comes(async () => (await now(page).textContent()).startsWith('3 : 1'), true);
  await scenarioPanel(page).getByRole('button', { name: 'Find the ratio…' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Find the ratio' });
  await dialog.getByLabel('Seeds').selectOption('1');
  await dialog.getByRole('button', { name: 'Find the ratio' }).focus();
  await page.keyboard.press('Enter');
  const use = dialog.getByRole('button', { name: /^Use \d : \d$/ });
  await use.waitFor();
  await dialog.getByRole('img', { name: /^Capacity with each ratio/ }).waitFor();
  // 1:3, 2:2, 3:1 and mixed, under the heads.
  assert.equal(await dialog.getByRole('row').count(), 5);
  const best = (await use.textContent()).trim().replace(/^Use /, '');
  await use.focus();
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await comes(async () => (await now(page).textContent()).startsWith(best), true);
});
