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
        prompt_tokens: { constant: 500 },
        output_tokens: { constant: 90 },
      },
    ],
  },
};

onPage('while another run comes, no frame has its title with numbers or pictures of the run before', async (page) => {
  await page.evaluate(() => {
    const seen = [];
    window.frames_seen = seen;
    const before = document.querySelector('.clock')?.firstChild?.textContent;
    const look = () => {
      const canvases = [...document.querySelectorAll('.stage-host canvas, .plot canvas, .scrubber canvas')];
      seen.push({
        title: document.querySelector('h1')?.textContent,
        turning: document.querySelector('.page')?.hasAttribute('data-turning'),
        isOld: document.querySelector('.clock')?.firstChild?.textContent === before,
        stale: canvases.filter((canvas) => canvas.classList.contains('stale')).length,
        canvases: canvases.length,
      });
      if (seen.length < 5000) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await drop(page, 'next.json', JSON.stringify(NEXT));
  await page.waitForFunction((title) => document.querySelector('h1')?.textContent === title, NEXT.title);
  await resting(page);
  const seen = await page.evaluate(() => window.frames_seen);
  const next = seen.filter(({ title }) => title === NEXT.title);
  assert.ok(next.length > 0);
  const mixed = next.filter(({ turning, isOld }) => isOld && !turning);
  assert.deepEqual(mixed, [], 'numbers of the run before under the title of the next one');
  const first = next.find(({ turning }) => !turning);
  assert.ok(
    first.stale > 0 && first.stale >= first.canvases - 1,
    `${first.stale} of ${first.canvases} pictures are cleared`,
  );
  assert.deepEqual([seen.at(-1).stale, seen.at(-1).turning], [0, false], 'all is there again');
});
