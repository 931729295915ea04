// Edits, seeks and undos in any order: the resulting run of the page equals that of the command line for
// the saved scenario.
import assert from 'node:assert/strict';
import { cli, clock, finalDigest, part, resting, savedScenario, suite } from './harness.mjs';
import { goTo } from './sharing.mjs';

const onPage = suite();

const ACTS = part('random edits, seeks and undos', Array.from({ length: 200 }), 40).length;

/** The same numbers every time. */
function draws(seed) {
  let state = seed;
  return (bound) => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return Math.floor((state / 4294967296) * bound);
  };
}

async function fill(page, name, value) {
  const field = page.getByRole('textbox', { name }).first();
  await field.fill(value);
  await field.press('Enter');
}

async function press(page, keys) {
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press(keys);
}

/** One action; edits are anywhere in the run, so that seeks also go before and between them. */
async function act(page, below) {
  switch (below(7)) {
    case 0:
      return fill(page, 'Replicas', String(1 + below(8)));
    case 1:
      return fill(page, 'Rate', String(below(40)));
    case 2:
      return goTo(page, 0.5 * below(100));
    case 3:
      return goTo(page, (await clock(page)) / 2);
    case 4:
      return press(page, 'Control+z');
    case 5:
      return press(page, 'Control+Shift+z');
    default:
      return press(page, below(2) === 0 ? '.' : ',');
  }
}

onPage('random edits, seeks and undos end in the digest of the command line', async (page, t) => {
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  const below = draws(20);
  for (let i = 0; i < ACTS; i += 1) {
    await act(page, below);
    await resting(page);
  }
  const digest = await finalDigest(page);
  assert.equal(digest, run('digest', await savedScenario(page)).split(/\s+/)[0]);
  t.diagnostic(`digest ${digest} in the page and on the command line`);
});
