// One display frame is one instant of one run: whatever is on screen while another run comes.
import assert from 'node:assert/strict';
import { drop, resting, suite } from './harness.mjs';

const onPage = suite();

/** A run that opens early, so that its clock is never that of the run before. */
const NEXT = {
  title: 'The next run',
  run: { horizon_s: 30, warmup_s: 0 },
  cluster: { pools: [{ name: 'main', replicas: 3 }] },
  workload: {
    clients: [
      {
        name: 'chat',
        arrivals: { poisson: { rate_per_s: 9 } },
        prompt_tokens: { constant: { tokens: 500 } },
        output_tokens: { constant: { tokens: 90 } },
      },
    ],
  },
};

onPage('while another run comes, no frame has its title with numbers or pictures of the run before', async (page) => {
  await page.evaluate(() => {
    const canvases = [...document.querySelectorAll('.stage-host canvas, .plot canvas, .scrubber canvas')];
    const seen = { frames: [], canvases: canvases.length, cleared: new Set() };
    window.seen_turn = seen;
    const before = document.querySelector('.clock')?.firstChild?.textContent;
    const clear = (changes) => {
      for (const { target } of changes) if (target.classList.contains('stale')) seen.cleared.add(target);
    };
    for (const canvas of canvases)
      new MutationObserver(clear).observe(canvas, { attributes: true, attributeFilter: ['class'] });
    const look = () => {
      seen.frames.push({
        title: document.querySelector('h1')?.textContent,
        turning: document.querySelector('.page')?.hasAttribute('data-turning'),
        isOld: document.querySelector('.clock')?.firstChild?.textContent === before,
      });
      if (seen.frames.length < 5000) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await drop(page, 'next.json', JSON.stringify(NEXT));
  await page.waitForFunction((title) => document.querySelector('h1')?.textContent === title, NEXT.title);
  await resting(page);
  const seen = await page.evaluate(() => ({ ...window.seen_turn, cleared: window.seen_turn.cleared.size }));
  const next = seen.frames.filter(({ title }) => title === NEXT.title);
  assert.ok(next.some(({ turning }) => !turning));
  const mixed = next.filter(({ turning, isOld }) => isOld && !turning);
  assert.deepEqual(mixed, [], 'numbers of the run before under the title of the next one');
  assert.ok(
    seen.canvases > 3 && seen.cleared === seen.canvases,
    `${seen.cleared} of ${seen.canvases} pictures are cleared`,
  );
  assert.equal(await page.locator('canvas.stale').count(), 0, 'all pictures are there again');
});
