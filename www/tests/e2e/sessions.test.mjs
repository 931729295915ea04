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
    const names = await regret.getByRole('rowheader').allTextContents();
    assert.deepEqual([...names].sort(), ['Hint', 'LRU', 'Oracle', 'Prefetch', 'TTL 30 s']);
    const oracle = regret.getByRole('row', { name: /^Oracle/ });
    assert.match(await oracle.innerText(), /\b0$/);
  },
  { link },
);
