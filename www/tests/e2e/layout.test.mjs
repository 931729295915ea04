// The page at every size: nothing overlaps, is cut or outside, and nothing moves while it loads.
import assert from 'node:assert/strict';
import { drop, part, resting, suite } from './harness.mjs';
import { onTabs, painted, problems, SIZES, TABS, theme, watchCanvases } from './texts.mjs';

const onPage = suite();

/**
 * Replicas and clients. tests/layout draws all combinations of the stage; here everything around it is laid out too.
 * The first cluster is checked at every size, the others at every third, so that each size has several.
 */
const CLUSTERS = [
  [4, 3],
  [1, 1],
  [2, 3],
  [8, 1],
  [64, 3],
  [256, 1],
  [1024, 3],
];
const scenario = (replicas, clients) => ({
  title: `${replicas} replicas, ${clients} clients`,
  run: { horizon_s: 12, warmup_s: 1 },
  cluster: { pools: [{ replicas, model: 'llama-3.1-8b', gpu: 'H100' }] },
  workload: {
    clients: Array.from({ length: clients }, (_, i) => ({
      name: `client-${i}`,
      arrivals: { poisson: { rate_per_s: (Math.min(replicas, 64) * 4) / clients } },
    })),
  },
  slo: { ttft_ms: 500 },
  edits: [2, 2.1, 2.6, 5].map((at_s, i) => ({
    at_us: at_s * 1e6,
    set: { 'cluster.routing': i % 2 === 0 ? 'round-robin' : 'random' },
  })),
});

async function openScenario(page, replicas, clients) {
  const document = scenario(replicas, clients);
  await drop(page, 'scenario.json', JSON.stringify(document));
  await page.getByRole('heading', { name: document.title }).waitFor();
  await resting(page);
  await page.getByRole('slider', { name: 'Time' }).press('PageUp');
  await page.getByRole('slider', { name: 'Time' }).press('PageUp');
  await page.getByRole('slider', { name: 'Time' }).press('PageUp');
  await resting(page);
  // Notices disappear by themselves, possibly now.
  await page.evaluate(() => document.querySelector('.notice [aria-label=Dismiss]')?.click());
}

/** Opens a cluster and checks it at each size, with alternating themes; returns the problems. */
async function lookAt(page, [replicas, clients], sizes, tabs, first = 0) {
  const found = [];
  await page.setViewportSize({ width: 1440, height: 900 });
  await openScenario(page, replicas, clients);
  for (const [i, [width, height]] of sizes.entries()) {
    await theme(page, (first + i) % 2 === 0 ? 'dark' : 'light');
    await page.setViewportSize({ width, height });
    await painted(page);
    await onTabs(page, tabs, async (tab) => {
      const { out, texts } = await problems(page);
      assert.ok(texts > 12, 'there is something to look at');
      found.push(...out.map((o) => `${replicas} replicas, ${clients} clients, ${width} × ${height}, ${tab}: ${o}`));
    });
  }
  return found;
}

onPage('at every size and with clusters of every size no text overlaps another, is cut or outside', async (page) => {
  await watchCanvases(page);
  const found = await lookAt(page, CLUSTERS[0], SIZES, TABS);
  for (const [i, cluster] of CLUSTERS.entries())
    if (i > 0)
      found.push(
        ...(await lookAt(
          page,
          cluster,
          SIZES.filter((_, k) => k % 3 === i % 3),
          ['Charts', 'Stage'],
        )),
      );
  assert.deepEqual(found, []);
});

onPage('256 clients have room on every tab', async (page) => {
  await watchCanvases(page);
  const sizes = SIZES.filter(([width]) => [1440, 1024, 844, 390].includes(width));
  assert.deepEqual(await lookAt(page, [8, 256], sizes, TABS), []);
});

// Every size with every cluster, every number of clients and both themes: this takes minutes.
for (const replicas of part('layouts of every cluster at every size in both themes', [1, 2, 4, 8, 64, 256, 1024], 0))
  for (const clients of [1, 3, 256])
    onPage(`${replicas} replicas and ${clients} clients, at every size in both themes`, async (page) => {
      await watchCanvases(page);
      const found = [];
      for (const first of [0, 1])
        found.push(...(await lookAt(page, [replicas, clients], SIZES, ['Charts', 'Stage'], first)));
      assert.deepEqual(found, []);
    });

for (const [width, height] of SIZES) {
  onPage(
    `nothing moves while the page loads: ${width} × ${height}`,
    async (page, t) => {
      await painted(page);
      const shifts = await page.evaluate(() => window.seen.shifts);
      const sum = shifts.reduce((a, b) => a + b, 0);
      t.diagnostic(`layout shift ${sum.toFixed(4)} in ${shifts.length} steps`);
      assert.ok(sum <= 0.02, `layout shift ${sum}`);
    },
    // A first visit: a link with a note opens another view on a phone.
    { link: '', viewport: { width, height } },
  );
}
