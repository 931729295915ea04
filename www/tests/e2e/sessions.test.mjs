// The policies for the KV of sessions, and their regret, in the built page in Chromium.
import assert from 'node:assert/strict';
import { resting, suite, THEMES } from './harness.mjs';
import { theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const link = '#the-pause;t=70';

async function openSessions(page) {
  await page.getByRole('button', { name: 'Sessions', exact: true }).click();
  const sessions = page.getByRole('region', { name: 'Sessions', exact: true });
  await sessions.getByRole('radio', { name: 'LRU', checked: true }).waitFor();
  await resting(page);
  return sessions;
}

onPage(
  'what is kept falls within pauses, and a policy is an edit that undo takes back',
  async (page) => {
    const sessions = await openSessions(page);
    const falls = await sessions.locator('.falls').evaluateAll((all) => all.map((path) => path.getAttribute('d')));
    assert.ok(falls.filter((d) => d !== '').length > 20, 'blocks are evicted in pauses');
    const radio = (name) => sessions.getByRole('radio', { name });
    await radio('LRU').focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await radio('LRU').getAttribute('aria-checked'), 'true', 'arrows move the focus alone');
    await page.keyboard.press('Enter');
    await sessions.getByRole('radio', { name: 'TTL 30 s', checked: true }).waitFor();
    await sessions.getByText(/^A context is kept for 30 s/).waitFor();
    await page.keyboard.press('Control+z');
    await sessions.getByRole('radio', { name: 'LRU', checked: true }).waitFor();
    for (const name of THEMES) {
      await theme(page, name);
      assert.deepEqual(await violations(page), [], name);
    }
  },
  { link },
);

onPage(
  'each policy runs with the same draws, and its tokens stand over those of the oracle',
  async (page) => {
    const sessions = await openSessions(page);
    const regret = sessions.getByRole('region', { name: 'Regret' });
    await regret.getByRole('button', { name: 'Run each policy' }).click();
    await regret.getByRole('button', { name: 'Cancel' }).click();
    await regret.getByRole('button', { name: /^Run (each policy|again)$/ }).click();
    await regret.getByRole('button', { name: 'Run again' }).waitFor({ timeout: 180_000 });
    // A line for each policy, and that of the run once.
    const curve = sessions.getByRole('img', { name: /^Tokens computed again up to 70\.000 s: / });
    assert.deepEqual((await curve.locator('.line text').allTextContents()).toSorted(), [
      'Hint',
      'LRU',
      'Oracle',
      'Prefetch',
      'TTL 30 s',
    ]);
    assert.equal(await curve.locator('.line.now text').textContent(), 'LRU');
    const names = await regret.getByRole('rowheader').allTextContents();
    assert.deepEqual([...names].sort(), ['Hint', 'LRU', 'Oracle', 'Prefetch', 'TTL 30 s']);
    const oracle = regret.getByRole('row', { name: /^Oracle/ });
    assert.match(await oracle.innerText(), /\b0$/);
  },
  { link },
);

onPage(
  'what directives want is a line, and a turn says what they wanted; a digit chooses a policy',
  async (page) => {
    const sessions = await openSessions(page);
    assert.equal(await sessions.getByText('to be kept').count(), 0, 'LRU wants nothing');
    await sessions.getByRole('radio', { name: 'LRU' }).focus();
    await page.keyboard.press('2');
    await sessions.getByRole('radio', { name: 'TTL 30 s', checked: true }).waitFor();
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await sessions.getByText('to be kept').waitFor();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await resting(page);
    assert.ok((await sessions.locator('.wanted[d^="M"]').count()) > 0);
  },
  { link },
);

onPage(
  'what is fetched back is a wedge, and the selected turn says from where',
  async (page) => {
    const sessions = await openSessions(page);
    await sessions.getByText('fetched back').waitFor();
    const said = await sessions.locator('.fetched title').allTextContents();
    assert.ok(
      said.length > 10 && said.every((words) => /^#\d+ loaded what it found: .* in its CPU memory$/.test(words)),
    );
    const chosen = sessions.locator('.session-chosen');
    const turns = await sessions.locator('.session-turn').count();
    for (let i = 0; i < turns; i += 1) {
      await sessions.locator('.session-turn').nth(i).dispatchEvent('click');
      await chosen.getByText(/, #\d+/).waitFor();
      if (/ in its CPU memory; of /.test(await chosen.textContent())) return;
    }
    assert.fail('no turn was found in CPU memory');
  },
  { link },
);

const many = '#the-pause;workload.clients[0].arrivals.concurrency.requests=150;t=40';
for (const viewport of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
])
  onPage(
    `more than 120 sessions are a map, read with the keys, at ${viewport.width}`,
    async (page) => {
      // On a phone a selection opens the inspector.
      const toCharts = async () => {
        const views = page.getByRole('navigation', { name: 'View' });
        if (viewport.width < 720) await views.getByRole('button', { name: 'Charts' }).click();
      };
      await toCharts();
      const sessions = await openSessions(page);
      const map = sessions.getByRole('region', { name: /^Returns of \d+ sessions by instant/ });
      await map.focus();
      await page.keyboard.press('End');
      const words = sessions.getByText(/returns?, of .* known tokens .* computed again/);
      const last = await words.textContent();
      await page.keyboard.press('ArrowLeft');
      assert.notEqual(await words.textContent(), last);
      await page.keyboard.press('Enter');
      await toCharts();
      await sessions.getByText(/^agents, session \d+, #\d+/).waitFor();
      assert.equal(await sessions.locator('.session-turn .chosen').count(), 1, 'its session is a row below the map');
      const [wide, inner] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= inner, `${wide} of ${inner}`);
      for (const name of THEMES) {
        await theme(page, name);
        assert.deepEqual(await violations(page), [], name);
      }
    },
    { link: many, viewport },
  );
