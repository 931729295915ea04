// A replica crashes live, comes back, and the crash is undone; the run is that of the command line.
import assert from 'node:assert/strict';
import { cli, comes, drop, finalDigest, resting, savedScenario, suite } from './harness.mjs';
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

async function opened(page) {
  await drop(page, 'scenario.json', JSON.stringify(FLEET));
  await page.getByText(FLEET.title).first().waitFor();
  await resting(page);
  await goTo(page, 30);
  await inspector(page).getByRole('tab', { name: 'Replica' }).click();
  const choose = inspector(page).getByRole('button', { name: 'r1', exact: true });
  await choose.click();
  await inspector(page).getByRole('heading', { name: 'r1', exact: true }).waitFor();
}

onPage(
  'a replica crashes live and comes back, which is an edit of the timeline that can be undone',
  async (page, t) => {
    await opened(page);
    const block = inspector(page).getByRole('group', { name: 'Break r1' });
    await comes(() => block.getByRole('radio').count(), 3);
    await inspector(page).getByLabel('Back after').fill('40');
    await inspector(page).getByRole('button', { name: 'Break it now' }).click();
    const flag = page.locator('.flag-stops .btn', { hasText: /Crash r1/i });
    await flag.first().waitFor({ state: 'attached' });
    await goTo(page, 50);
    await figures(page).getByText('Available').waitFor();
    await inspector(page).locator('.pill', { hasText: 'down' }).waitFor();
    assert.deepEqual(await violations(page), []);
    const document = JSON.parse(await (await import('node:fs/promises')).readFile(await savedScenario(page), 'utf8'));
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
