// A race and a comparison after an edit of the router in the middle of the run: entrants keep their router, and runs are
// named by what they did.
import assert from 'node:assert/strict';
import { FLEET, comparison as panel } from './comparing.mjs';
import { comes, drop, resting, suite } from './harness.mjs';

const onPage = suite();

/** Round robin up to 20 s, then the least loaded replica. */
const EDITED = {
  ...FLEET,
  title: 'A router changed at 20 s',
  cluster: { ...FLEET.cluster, routing: 'round-robin' },
  edits: [{ at_us: 20_000_000, set: { 'cluster.routing': 'least-loaded' } }],
};
const DID = /Round robin, Least loaded from 20\u00a0s/;

async function opened(page) {
  await drop(page, 'edited.json', JSON.stringify(EDITED));
  await page.getByText(EDITED.title).first().waitFor();
  await resting(page);
  await page.keyboard.press('c');
}

onPage.long(
  'a race after an edit of the router has the run itself and its routers alone, all by their names',
  async (page) => {
    await opened(page);
    await panel(page).getByRole('button', { name: 'Race', exact: true }).click();
    const side = panel(page).locator('.compare-side');
    await side.getByText(DID).first().waitFor();
    await side.getByText('Edits of the router apply to this run alone').waitFor();
    for (const router of ['Round robin', 'Least loaded'])
      assert.ok(await side.getByRole('checkbox', { name: router, exact: true }).isChecked(), router);
    const others = await side.getByRole('checkbox', { disabled: false, checked: true }).all();
    for (const box of others.toReversed())
      if (!/^(Round robin|Least loaded)$/.test((await box.locator('..').innerText()).trim())) await box.uncheck();
    await panel(page).getByLabel('Seeds').selectOption('1');
    await panel(page).getByRole('button', { name: 'Race 3 routers, 1 seed each' }).click();
    const rows = panel(page).getByRole('table').getByRole('row');
    await comes(async () => (await rows.allInnerTexts()).filter((row) => DID.test(row)).length, 1);
    await comes(async () => (await rows.allInnerTexts()).filter((row) => /Round robin(?!, )/.test(row)).length, 1);
  },
);

onPage('A is named by the routers that it had, and B keeps its router over the edit', async (page) => {
  await opened(page);
  await panel(page)
    .getByRole('button', { name: /^Random/ })
    .click();
  const head = panel(page).locator('.compare-head');
  await comes(() => head.innerText(), DID);
  await comes(() => head.innerText(), /Random/);
  assert.ok(!/Random, /.test(await head.innerText()), 'B has one router to its end');
});
