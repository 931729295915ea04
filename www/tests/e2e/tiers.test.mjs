// The views of tiers and of sessions in the built page in Chromium.
import assert from 'node:assert/strict';
import { resting, suite, THEMES } from './harness.mjs';
import { theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const link = '#the-pause;t=70';
const view = (page, name) => page.getByRole('region', { name, exact: true });

async function open(page, name) {
  await page.getByRole('button', { name, exact: true }).click();
  await view(page, name).getByRole('img').first().waitFor();
  await resting(page);
}

onPage(
  'the view of tiers has a row a replica, its table has the same layers, and a request has its blocks',
  async (page) => {
    await open(page, 'Tiers');
    const tiers = view(page, 'Tiers');
    await tiers.getByRole('img', { name: 'Tiers of 1 replica, 0 stores, 0 flows' }).waitFor();
    const full = await tiers.locator('.tier-row .full').allTextContents();
    assert.equal(full.length, 2, 'GPU and CPU memory');
    await tiers.getByRole('button', { name: 'Table', exact: true }).click();
    const rows = await tiers.locator('.tier-table tbody tr').allInnerTexts();
    assert.deepEqual(
      rows.map((row) => row.split('\t').at(-1)),
      full,
    );
    await tiers.getByRole('button', { name: 'Table', exact: true }).click();
    const sizes = await tiers.locator('.tier-reuse tbody tr').allInnerTexts();
    assert.match(sizes[0], /^GPU\t/);
    assert.match(sizes[1], /^CPU memory\t/);
    await tiers.getByText('Select a request').waitFor();
    await page.keyboard.press('j');
    await tiers.getByText(/^Of [\d,]+ prompt tokens r0 computed|is not known/).waitFor();
    for (const name of THEMES) {
      await theme(page, name);
      assert.deepEqual(await violations(page), [], name);
    }
  },
  { link },
);

onPage(
  'the view of sessions has a row a session, and a turn says what it found',
  async (page) => {
    await open(page, 'Sessions');
    const sessions = view(page, 'Sessions');
    await sessions.getByText(/tokens computed again, .* known tokens found/).waitFor();
    assert.ok((await sessions.locator('.session-turn').count()) > 20);
    await sessions.locator('.session-turn').nth(5).click();
    await sessions.getByText(/^agents, session \d+, #\d+.*prompt tokens [\d,]+ were found/).waitFor();
    for (const name of THEMES) {
      await theme(page, name);
      assert.deepEqual(await violations(page), [], name);
    }
  },
  { link },
);

onPage(
  'a run without sessions says who has them',
  async (page) => {
    await page.getByRole('button', { name: 'Sessions', exact: true }).click();
    await view(page, 'Sessions').getByText('No request of this run belongs to a session.').waitFor();
  },
  { link: '#kv-pressure;t=20' },
);
