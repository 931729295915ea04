// The form as a first visit finds it: folded to one line a section, with what is changed in sight.
import assert from 'node:assert/strict';
import { comes, suite } from './harness.mjs';

const onPage = suite();
const panelOf = (page) => page.getByRole('complementary', { name: 'Scenario' });
const head = (page, title) => panelOf(page).getByRole('button', { name: new RegExp(`^${title}`) });
const expanded = (page, title) => head(page, title).getAttribute('aria-expanded');

/** Takes away the open sections of a later visit, once. */
const firstVisit = () => {
  if (sessionStorage.getItem('visited')) return;
  sessionStorage.setItem('visited', 'yes');
  localStorage.removeItem('sections');
};

onPage(
  'a first visit finds Workload open, every other section in one line, and keeps what the reader opens and shuts',
  async (page) => {
    await panelOf(page).getByRole('button', { name: /^Run/ }).waitFor();
    const heads = await panelOf(page)
      .locator('.sec:not([hidden]) .sec-head')
      .evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute('aria-expanded')]));
    assert.deepEqual(
      heads.filter(([, open]) => open === 'true').map(([text]) => text),
      ['Workload'],
    );
    const routing = heads.find(([text]) => text.startsWith('Routing'));
    assert.equal(routing?.[0], 'RoutingLeast loaded');
    await head(page, 'Routing').click();
    await head(page, 'Workload').click();
    await page.reload();
    await panelOf(page).getByRole('button', { name: /^Run/ }).waitFor();
    assert.equal(await expanded(page, 'Routing'), 'true');
    assert.equal(await expanded(page, 'Workload'), 'false');
  },
  { opened: (page) => page.addInitScript(firstVisit) },
);

onPage(
  'a change opens its section, keeps the old choice struck through beside the new one, and can be shut again',
  async (page) => {
    await head(page, 'Routing').waitFor();
    assert.equal(await expanded(page, 'Routing'), 'false');
    await page.keyboard.press('r');
    await page.keyboard.type('round robin');
    await page.getByRole('option', { name: /^Round robin/ }).waitFor();
    await page.keyboard.press('Enter');
    const row = panelOf(page).locator('[data-path="cluster.routing"]');
    await comes(() => row.locator('s').textContent(), 'Least loaded');
    await comes(() => row.locator('.pick-text').textContent(), 'Round robin');
    const [old, now] = await Promise.all(['s', '.pick-text'].map((part) => row.locator(part).boundingBox()));
    assert.ok(old.x + old.width <= now.x && now.x - old.x - old.width < 20, 'side by side');
    await head(page, 'Routing').click();
    await comes(() => expanded(page, 'Routing'), 'false');
    await comes(() => head(page, 'Routing').locator('.sum').textContent(), /^Round robin/);
    await page.keyboard.press('Control+z');
    await comes(() => head(page, 'Routing').locator('.sum').textContent(), /^Least loaded/);
    assert.equal(await expanded(page, 'Routing'), 'false');
    await page.keyboard.press('Control+Shift+z');
    await comes(() => expanded(page, 'Routing'), 'true');
  },
  { opened: (page) => page.addInitScript(firstVisit) },
);

onPage(
  'More of Fleet shows the rare settings of a pool, and what adds one',
  async (page) => {
    await head(page, 'Fleet').click();
    const add = panelOf(page).getByRole('button', { name: 'Add pool' });
    const rare = panelOf(page).locator('[data-path="cluster.pools[0].expert_ranks"]');
    await panelOf(page).getByRole('button', { name: 'More of Fleet' }).waitFor();
    assert.equal((await add.count()) + (await rare.count()), 0);
    await panelOf(page).getByRole('button', { name: 'More of Fleet' }).click();
    await add.waitFor();
    await rare.waitFor();
    await add.click();
    await panelOf(page).getByRole('group', { name: 'main-2' }).first().getByText('added at').waitFor();
    for (const title of ['Scheduling', 'KV cache', 'Autoscaling'])
      assert.equal(await expanded(page, title), 'false', `${title} is not what was changed`);
    await panelOf(page).getByRole('button', { name: 'Less of Fleet' }).click();
    await comes(() => add.count(), 0);
  },
  { opened: (page) => page.addInitScript(firstVisit) },
);
