// One way into a run: cluster, replica, step, request, blocks; each a click or Enter deeper, and Escape one level back.
import assert from 'node:assert/strict';
import { comes, suite } from './harness.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const LINK = '#slow-replica;t=48';

const inspector = (page) => page.getByRole('complementary', { name: 'Inspector' });
const way = (page) => inspector(page).getByRole('navigation', { name: 'Level' });
/** The levels as they are read, without the next one. */
const levels = async (page) =>
  (await way(page).locator('li:not(.deeper)').allInnerTexts()).map((text) => text.replaceAll(/[›\s]+/g, ' ').trim());
const tab = (page) => inspector(page).getByRole('tab', { selected: true }).textContent();

const STEP = /^Cluster, r2, step [\d,]+$/;
const REQUEST = /^Cluster, r2, step [\d,]+, #\d+$/;
const BLOCKS = /^Cluster, r2, step [\d,]+, #\d+, blocks$/;
const reads = (page, expected) => comes(async () => (await levels(page)).join(', '), expected);

onPage(
  'by keys: arrows choose a replica, Enter goes deeper to the blocks, Escape back to the cluster',
  async (page) => {
    const spoken = page.locator('.page > [role=status]');
    await page.getByRole('application', { name: /^Stage/ }).focus();
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowDown');
    await reads(page, /^Cluster, r2$/);
    await page.keyboard.press('Enter');
    await reads(page, STEP);
    await comes(() => tab(page), 'Step');
    await page.keyboard.press('Enter');
    await reads(page, REQUEST);
    await comes(() => tab(page), 'Request');
    const [first] = (await levels(page)).slice(-1);
    await page.keyboard.press('ArrowRight');
    await comes(async () => (await levels(page)).at(-1) !== first, true);
    await page.keyboard.press('ArrowLeft');
    await comes(async () => (await levels(page)).at(-1), first);
    await page.keyboard.press('Enter');
    await reads(page, BLOCKS);
    await comes(() => spoken.textContent(), new RegExp(`^Blocks of request ${first.slice(1)} on r2`));
    // The block that is pinned is one of its own.
    await inspector(page)
      .getByText(/^Block [\d,]+$/)
      .waitFor();
    await inspector(page).getByRole('button', { name: first, exact: true }).first().waitFor();
    for (const expected of [REQUEST, STEP, /^Cluster, r2$/]) {
      await page.keyboard.press('Escape');
      await reads(page, expected);
    }
    assert.equal(await page.getByRole('region', { name: 'KV', exact: true }).count(), 0);
    await page.keyboard.press('Escape');
    await comes(() => way(page).count(), 0);
  },
  { link: LINK },
);

onPage(
  'by clicks: a row, its batch, a request, its blocks, and each level again',
  async (page) => {
    const canvas = page.locator('.stage-host canvas');
    await canvas.click({ position: { x: 290, y: 200 } });
    await reads(page, /^Cluster, r2$/);
    await way(page).getByRole('button', { name: 'batch' }).click();
    await reads(page, STEP);
    await inspector(page).locator('.chips button').first().click();
    await reads(page, REQUEST);
    await way(page).getByRole('button', { name: 'blocks' }).click();
    await reads(page, BLOCKS);
    assert.deepEqual(await violations(page, '.right'), []);
    await way(page).getByRole('button', { name: /^#/ }).click();
    await reads(page, REQUEST);
    await way(page).getByRole('button', { name: /^step/ }).click();
    await reads(page, STEP);
    await way(page).getByRole('button', { name: 'r2' }).click();
    await reads(page, /^Cluster, r2$/);
    await way(page).getByRole('button', { name: 'Cluster' }).click();
    await comes(() => way(page).count(), 0);
  },
  { link: LINK },
);

onPage(
  'from the first view the blocks unfold the page, and Escape folds it again',
  async (page) => {
    await page.getByRole('application', { name: /^Stage/ }).focus();
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowDown');
    for (const expected of [STEP, REQUEST, BLOCKS]) {
      await page.keyboard.press('Enter');
      await reads(page, expected);
    }
    await page.locator('.kpi').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.calm-says').waitFor();
    await reads(page, REQUEST);
  },
  { link: LINK, view: 'calm' },
);
