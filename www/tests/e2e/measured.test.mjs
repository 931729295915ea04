// Measured runs beside the simulation: the panel, an experiment opened as a scenario, and the user's own benchmark.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { comes, drop, ROOT, resting, suite } from './harness.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const panel = (page) => page.getByRole('main', { name: 'How true is this?' });

onPage(
  'measured runs are beside the simulation, and an experiment opens with its measured percentiles',
  async (page) => {
    await page.getByRole('button', { name: 'How true is this?' }).click();
    await panel(page)
      .getByRole('row', { name: /All of these/ })
      .waitFor();
    await comes(
      () => panel(page).locator('.truth-title').textContent(),
      /E2E mean of \d+ experiments below the knee, not fitted to: .* % off in the median/,
    );
    await panel(page)
      .getByRole('button', { name: /^r3-open-loop-sweep/ })
      .click();
    await panel(page).getByRole('combobox', { name: 'Stage' }).selectOption('rate4');
    await panel(page)
      .getByRole('row', { name: /TTFT p50/ })
      .waitFor();
    await panel(page).getByRole('button', { name: 'Open as a scenario' }).click();
    await panel(page).waitFor({ state: 'detached' });
    await resting(page);
    await comes(() => page.getByRole('heading', { level: 1 }).textContent(), /e-r3-open-loop-sweep/);
    const chart = page.getByRole('img', { name: /Distribution of TTFT.*Measured: p50/ });
    await chart.waitFor();
  },
);

onPage('raw, calibrated, transfer and ranking are separate, and errors are listed by model', async (page) => {
  await page.getByRole('button', { name: 'How true is this?' }).click();
  const title = panel(page).locator('.truth-title');
  await title.waitFor();
  const titles = [await title.textContent()];
  for (const [level, row] of [
    ['Raw', /All of these/],
    ['Transfer', /^GPU A100-40/],
    ['Ranking', /^D stage|^d-exp/],
  ]) {
    await panel(page).getByRole('button', { name: level, exact: true }).click();
    await panel(page).getByRole('row', { name: row }).first().waitFor();
    titles.push(await title.textContent());
  }
  assert.equal(new Set(titles).size, titles.length, titles.join('; '));
  const models = panel(page).getByRole('region', { name: 'Errors by model' });
  await models
    .getByRole('row', { name: /llama-3\.1-8b/i })
    .first()
    .waitFor();
});

onPage('a dropped benchmark is compared with the run, and one click calibrates the scenario to it', async (page) => {
  const text = readFileSync(`${ROOT}../tests/it/exchange/samples/vllm-bench-detailed.json`, 'utf8');
  await drop(page, 'bench-0721.json', text);
  const row = panel(page).getByRole('row', { name: /^TPOT mean \d/ });
  await row.waitFor();
  await comes(() => row.textContent(), /8\.00.ms/);
  await panel(page).getByRole('button', { name: 'Calibrate to this run' }).click();
  await panel(page)
    .getByText(/Fitted \d of \d+ coefficients/)
    .waitFor();
  await panel(page)
    .getByText(/calibrated to bench-0721\.json/)
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'detached' });
});

onPage('a file that does not say its load shows no errors until the load is given', async (page) => {
  const text = readFileSync(`${ROOT}../tests/it/exchange/samples/llmperf-responses.json`, 'utf8');
  await drop(page, 'responses.json', text);
  const row = panel(page).getByRole('row', { name: /^TPOT mean \d/ });
  await row.waitFor();
  await comes(() => row.textContent(), /–$|—$/);
  await panel(page).getByLabel('Requests in flight').fill('3');
  await panel(page).getByRole('button', { name: 'Run with this load' }).click();
  await comes(() => row.textContent(), /%$/);
  await panel(page)
    .getByText(/24 requests, 3 in flight/)
    .waitFor();
});

onPage('a range query is drawn beside the run at the same instants', async (page) => {
  const text = readFileSync(`${ROOT}../tests/it/exchange/samples/range-query.json`, 'utf8');
  await drop(page, 'range.json', text);
  await panel(page)
    .getByText(/5 instants, one every 15 s, over 60 s/)
    .waitFor();
  await panel(page).getByRole('img', { name: 'KV usage over time, measured and simulated' }).waitFor();
});

onPage(
  'the panel of measured runs is opened and left by keyboard, and the focus returns to its button',
  async (page) => {
    await page.getByRole('button', { name: 'How true is this?' }).focus();
    await page.keyboard.press('Enter');
    await panel(page).locator('.truth-title').waitFor();
    await panel(page).getByRole('rowheader', { name: 'Step/layer' }).waitFor();
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label')?.endsWith('How true is this?'));
  },
);

onPage('axe finds nothing in the panel of measured runs, wide and on a phone', async (page) => {
  await page.getByRole('button', { name: 'How true is this?' }).click();
  await panel(page)
    .getByRole('row', { name: /All of these/ })
    .waitFor();
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ]) {
    await page.setViewportSize({ width, height });
    assert.deepEqual(await violations(page, '.truth'), [], `${width} wide`);
  }
});
