import { chooseReplica, comes, drop, moreFigures, resting, suite, toEnd } from './harness.mjs';

const onPage = suite();
const TWO_POOLS = {
  title: 'Two pools',
  run: { horizon_s: 20, warmup_s: 0 },
  cluster: {
    pools: [
      { name: 'large', replicas: 1, model: 'llama-3.1-8b', gpu: 'H100', kv: { blocks: 400, cpu_blocks: 4000 } },
      {
        name: 'own',
        replicas: 2,
        hardware: { usd_per_hour: 0 },
        latency: { roofline: {} },
        engine: { max_num_seqs: 7 },
      },
    ],
  },
  workload: { clients: [{ arrivals: { poisson: { rate_per_s: 20 } }, prefix: { groups: 20, tokens: 512 } }] },
};

async function opened(page, scenario) {
  await drop(page, 'scenario.json', JSON.stringify(scenario));
  await page.getByText(scenario.title).first().waitFor();
  await resting(page);
  await toEnd(page);
}

onPage('a replica shows its pool, its price if any, and the contents of its CPU tier', async (page) => {
  await opened(page, TWO_POOLS);
  await chooseReplica(page, 0);
  const panel = page.getByRole('complementary', { name: 'Inspector' });
  const said = async (name) =>
    (await panel.locator('.list > div').filter({ hasText: name }).locator('dd').first().textContent()).trim();
  await comes(() => said('Cost of a replica'), /^\$\d+\.\d\d \/h$/);
  await comes(() => said('GPU'), 'H100');
  await panel.getByRole('img', { name: /^CPU tier: \d+ of 4000 blocks/ }).waitFor();
  await panel.getByRole('button', { name: 'Next replica' }).click();
  await comes(() => said('Cost of a replica'), 'no price');
  await comes(() => said('Requests in a batch'), 'at most 7');
  await comes(() => panel.getByRole('img', { name: /^CPU tier/ }).count(), 0);
  await page.getByRole('button', { name: 'Show as table' }).click();
  await page.getByRole('cell', { name: 'own', exact: true }).first().waitFor();
});

onPage('notices beside a run’s numbers say how to read them', async (page) => {
  const warm = { ...TWO_POOLS, title: 'All of it warm-up', run: { horizon_s: 20, warmup_s: 19.9, max_requests: 30 } };
  await opened(page, warm);
  const line = page.locator('.note-line');
  await line.waitFor();
  await line.focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: 'Inspector' });
  await panel.getByRole('heading', { name: 'Before you read the numbers' }).waitFor();
  await panel.getByText('run.warmup_s').first().waitFor();
});

onPage('key figures name their time span', async (page) => {
  const figures = page.getByRole('region', { name: 'Key figures' });
  await figures.getByText('last 30 s').waitFor();
  await moreFigures(page);
  await comes(() => figures.getByText('since start').count(), 2);
});
