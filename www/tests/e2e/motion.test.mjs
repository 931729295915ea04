// Charts follow a playing run at any number of frames per second: with reduced motion there are two, on a slow machine
// few.
import assert from 'node:assert/strict';
import { clock, suite } from './harness.mjs';

const onPage = suite();
const CHARTS = [
  'ttft-over-time',
  'e2e-over-time',
  'throughput',
  'queue-depth',
  'kv-use',
  'ttft-ecdf',
  'e2e-ecdf',
  'health',
];

/** Counts the requests for each chart, all of them chosen. */
const counts = (page) =>
  page.addInitScript((charts) => {
    localStorage.setItem('charts', charts.join());
    window.columns = {};
    const { Worker } = window;
    window.Worker = class extends Worker {
      postMessage(message, ...moved) {
        if (message?.question?.kind === 'columns')
          for (const view of message.question.views) window.columns[view] = (window.columns[view] ?? 0) + 1;
        super.postMessage(message, ...moved);
      }
    };
  }, CHARTS);

/** Plays until some seconds have passed on the clock of the run; returns how often each chart was updated. */
async function played(page, seconds) {
  const from = await clock(page);
  await page.evaluate(() => {
    window.columns = {};
  });
  await page.keyboard.press('Space');
  await page.waitForFunction(
    (until) => Number(document.querySelector('.clock').firstChild.textContent) > until,
    from + seconds,
  );
  const renewed = await page.evaluate(() => ({ ...window.columns }));
  await page.keyboard.press('Space');
  return CHARTS.map((view) => [view, renewed[view] ?? 0]);
}

function assertFollow(renewed) {
  for (const [view, times] of renewed) assert.ok(times >= 3, `${view} was renewed ${times} times`);
}

onPage.long(
  'with reduced motion every chart follows the run',
  async (page) => {
    assertFollow(await played(page, 25));
  },
  { reducedMotion: 'reduce', opened: counts },
);

onPage.long(
  'on a slow machine every chart follows the run',
  async (page) => {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 20 });
    await page.keyboard.press('Space');
    // Each chart must be updated repeatedly at any duration of frames; otherwise this wait fails.
    await page.waitForFunction((charts) => charts.every((view) => (window.columns[view] ?? 0) >= 4), CHARTS, {
      timeout: 120_000,
    });
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  },
  { opened: counts },
);
