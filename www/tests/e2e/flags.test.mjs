// Flags of the timeline: moving one or switching it off replays the run.
import assert from 'node:assert/strict';
import { cli, finalDigest, savedScenario, suite } from './harness.mjs';
import { goTo } from './sharing.mjs';

const onPage = suite();

onPage.long('a flag that is moved or switched off gives the run of the command line', async (page, t) => {
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  const digests = [await finalDigest(page)];
  await goTo(page, 100);
  const stop = page.locator('.flag-stops .btn').first();
  for (const [key, flag] of [
    ['ArrowRight', /^Edit at 61\.200/],
    ['x', /^Switched-off edit at 61\.200/],
  ]) {
    await stop.focus();
    await stop.press(key);
    await page.locator('.flag-stops .btn', { hasText: flag }).waitFor({ state: 'attached' });
    digests.push(await finalDigest(page));
    assert.equal(digests.at(-1), run('digest', await savedScenario(page)).split(/\s+/)[0], key);
  }
  assert.equal(new Set(digests).size, 3, 'each of them is another run');
});
