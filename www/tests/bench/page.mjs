// Measurements of the page in Chromium, as rows of JSON: node tests/bench/page.mjs SCENARIOS OUT [NAME...]. Called by
// scripts/bench-page.
//
// SCENARIOS is a folder with the scenarios watched-N.json of benches/support. Every row plays at full speed with everything on.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clock, drop, newPage, open, resting } from '../e2e/harness.mjs';
import { longTasks, scenarioOf, seeks } from './seeks.mjs';
import { lockStep, race, whatIf } from './studies.mjs';

const [folder, out, ...asked] = process.argv.slice(2);
const NAMES = ['watched-8', 'watched-64', 'watched-256', 'watched-1024'];
/** Wall time that a row plays. */
const PLAYED_MS = 8000;
/** Number of measurements of each, reported by their median. */
const TURNS = 3;
/** Between two paints at 60 Hz. */
const FRAME_MS = 1000 / 60;
/** Visits for the first frame, in an open window and in a new one. */
const VISITS = 10;
/** Edits for the time to a pixel. */
const EDITS = 5;
/** A browser is idle if it used at most this much processor time in this many seconds. */
const RESTING = { processor_s: 0.03, wall_s: 0.5 };

const sorted = (values) => values.toSorted((a, b) => a - b);
const quantile = (values, q) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? null;
const median = (values) => quantile(values, 0.5);
const rounded = (value, digits = 1) => (value === null ? null : Number(value.toFixed(digits)));

/** Memory that the renderer process of the page holds, in MB. */
async function rendererMb(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const rss = (pid) => {
    const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/);
    return Number(line?.[1] ?? 0) / 1000;
  };
  // One page is open at a time; the browser's spare renderer is small.
  return Math.max(...processInfo.filter((p) => p.type === 'renderer').map((p) => rss(p.id)));
}

/**
 * The main thread's work while `work` ran: time of tasks in each stretch of one frame, processor time alone, and the
 * longest task.
 */
async function traced(browser, work) {
  const session = await browser.newBrowserCDPSession();
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'], recordMode: 'recordContinuously' },
  });
  await work();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const mains = new Set(
    events.filter((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain').map((e) => `${e.pid}/${e.tid}`),
  );
  const byThread = new Map();
  for (const e of events) {
    const thread = `${e.pid}/${e.tid}`;
    if (e.ph !== 'X' || !e.name.endsWith('RunTask') || !mains.has(thread)) continue;
    const own = byThread.get(thread) ?? [];
    own.push(e);
    byThread.set(thread, own);
  }
  // The busiest main thread is the page's; a spare renderer rests.
  const [tasks = []] = [...byThread.values()].toSorted((a, b) => b.length - a.length);
  const [frames, worked] = [new Map(), new Map()];
  let longest = 0;
  for (const { ts, dur, tdur } of tasks) {
    longest = Math.max(longest, dur / 1000);
    const bin = Math.floor(ts / 1000 / FRAME_MS);
    frames.set(bin, (frames.get(bin) ?? 0) + dur / 1000);
    worked.set(bin, (worked.get(bin) ?? 0) + (tdur ?? dur) / 1000);
  }
  const of95 = (bins) => rounded(quantile([...bins.values()], 0.95));
  return {
    frame_p95_ms: of95(frames),
    frame_processor_p95_ms: of95(worked),
    longest_task_ms: rounded(longest),
    tasks_over_50_ms: tasks.filter((t) => t.dur > 50_000).length,
  };
}

/** Opens a scenario from a file, at full speed. */
async function atFullSpeed(page, name) {
  await drop(page, `${name}.json`, readFileSync(join(folder, `${name}.json`), 'utf8'));
  await page.waitForFunction((n) => document.querySelector('.preset-name')?.textContent === n, `${name}.json`);
  await resting(page);
  await page.getByRole('combobox', { name: 'Speed' }).selectOption({ label: 'Speed max' });
}

/** Requests that the Run tab counts. */
async function arrived(page) {
  await page.getByRole('complementary', { name: 'Inspector' }).getByRole('tab', { name: 'Run' }).click();
  const told = await page.locator('dt:text-is("Arrived") + dd').first().textContent();
  return Number(told.replaceAll(/[^0-9]/g, ''));
}

/** Waits until a run has played for PLAYED_MS, or has ended earlier; returns its instant. */
async function played(page) {
  await page.evaluate(
    (ms) =>
      new Promise((resolve) => {
        const shown = document.querySelector('.page');
        setTimeout(resolve, ms);
        new MutationObserver(() => shown.dataset.mode === 'paused' && resolve()).observe(shown, {
          attributeFilter: ['data-mode'],
        });
      }),
    PLAYED_MS,
  );
  return clock(page);
}

async function playedOnce(site, name) {
  const { page, close } = await newPage(site);
  await atFullSpeed(page, name);
  const from = await clock(page);
  const start = performance.now();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  let s = from;
  let wall = 0;
  const main = await traced(site.browser, async () => {
    s = await played(page);
    wall = (performance.now() - start) / 1000;
  });
  await page.keyboard.press('k');
  await resting(page);
  const mb = await rendererMb(site.browser);
  const requests = await arrived(page);
  await close();
  return { wall, speed: (s - from) / wall, mb, requests, ...main };
}

/** Simulated seconds per second of the same module in Node without display. */
function unwatched(name) {
  const args = ['tests/bench/row.mjs', 'pkg', join(folder, `${name}.json`), 'alone'];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

/**
 * A cluster at full speed, alternating with the same in Node without display, because the speed of a machine changes
 * from minute to minute.
 */
async function watched(site, name) {
  const turns = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const played = await playedOnce(site, name);
    turns.push({ ...played, unwatched: unwatched(name) });
  }
  const middle = (of, digits) => rounded(median(turns.map(of)), digits);
  const ofUnwatched = (turn) => turn.speed / turn.unwatched;
  return {
    name,
    target: 'page',
    wall_s: middle((t) => t.wall, 3),
    user_s: null,
    sim_s_per_s: middle((t) => t.speed, 3),
    unwatched_sim_s_per_s: middle((t) => t.unwatched, 3),
    of_unwatched: middle(ofUnwatched, 2),
    of_unwatched_each: turns.map((t) => rounded(ofUnwatched(t), 2)),
    requests: middle((t) => t.requests),
    events: null,
    steps: null,
    peak_mb: middle((t) => t.mb),
    replicas: Number(name.split('-')[1]),
    frame_p95_ms: middle((t) => t.frame_p95_ms),
    frame_processor_p95_ms: middle((t) => t.frame_processor_p95_ms),
    longest_task_ms: Math.max(...turns.map((t) => t.longest_task_ms)),
    tasks_over_50_ms: turns.reduce((sum, t) => sum + t.tasks_over_50_ms, 0),
  };
}

/** Memory that a million requests take: the growth of the renderer once they have all been served. */
async function memory(site) {
  const { page, close } = await newPage(site);
  await atFullSpeed(page, 'watched-8');
  const before = await rendererMb(site.browser);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.waitForTimeout(PLAYED_MS);
  await page.getByRole('button', { name: 'Run to the end' }).click();
  await page.getByRole('complementary', { name: 'Inspector' }).getByRole('tab', { name: 'Run' }).click();
  await page.getByText('of the whole run').waitFor({ timeout: 300_000 });
  const after = await rendererMb(site.browser);
  const requests = await arrived(page);
  await close();
  return {
    name: 'memory',
    target: 'page',
    requests,
    before_mb: rounded(before),
    after_mb: rounded(after),
    mb_per_million: rounded(((after - before) * 1e6) / requests),
  };
}

/**
 * Waits until a browser is idle: in a new window it builds its own parts, such as the list below the address, for a
 * second.
 */
async function rested(browser) {
  const session = await browser.newBrowserCDPSession();
  const took = async () =>
    (await session.send('SystemInfo.getProcessInfo')).processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  for (let before = Number.NEGATIVE_INFINITY, now = await took(); now - before > RESTING.processor_s; ) {
    await new Promise((resolve) => setTimeout(resolve, RESTING.wall_s * 1000));
    [before, now] = [now, await took()];
  }
  await session.detach();
}

/** First visits, one after the other, each in a window of its own once `opened` is over: first frame, layout shift and long tasks. */
async function visits(site, opened) {
  const firstFrames = [];
  const shifts = [];
  const long = [];
  for (let k = 0; k < VISITS; k++) {
    const { page, close } = await newPage(site, { opened });
    firstFrames.push(await page.evaluate(() => performance.getEntriesByName('first-frame')[0].startTime));
    await resting(page);
    shifts.push(
      await page.evaluate(
        () =>
          new Promise((resolve) => {
            let sum = 0;
            new PerformanceObserver((list) => {
              for (const entry of list.getEntries()) sum += entry.value;
            }).observe({ type: 'layout-shift', buffered: true });
            setTimeout(() => resolve(sum), 300);
          }),
      ),
    );
    long.push(...(await longTasks(page)));
    await close();
  }
  return {
    first_frame_ms: rounded(median(firstFrames)),
    layout_shift: rounded(Math.max(...shifts), 4),
    loading_tasks_over_50_ms: long.length,
    loading_longest_task_ms: Math.max(0, ...long),
  };
}

/**
 * The default scenario: first visits in a window that is open, and in one that opens with the visit; frames at the speed it opens
 * with; an edit.
 */
async function visit(site) {
  const loaded = await visits(site, () => rested(site.browser));
  const inNewWindow = await visits(site, undefined);
  const { page, close } = await newPage(site);
  await resting(page);
  const edits = [];
  const rate = page.getByRole('complementary', { name: 'Scenario' }).getByRole('textbox', { name: /^Rate/ }).first();
  for (let k = 0; k < EDITS; k++) {
    await rate.fill(String(40 + k));
    // From the key to the first paint after the number of changes beside the scenario's name has grown.
    const shown = page.evaluate(
      () =>
        new Promise((resolve) => {
          const changes = () => document.querySelector('.preset-name')?.nextElementSibling?.textContent;
          const was = changes();
          const began = (e) => {
            const look = () => {
              if (changes() === was) requestAnimationFrame(look);
              else requestAnimationFrame(() => resolve(performance.now() - e.timeStamp));
            };
            requestAnimationFrame(look);
          };
          document.addEventListener('keydown', began, { once: true, capture: true });
          setTimeout(() => resolve(null), 10_000);
        }),
    );
    await rate.press('Enter');
    edits.push(await shown);
  }
  await page.locator('body').click({ position: { x: 700, y: 4 } });
  await page.keyboard.press('Space');
  const main = await traced(site.browser, () => page.waitForTimeout(PLAYED_MS));
  await close();
  return {
    name: 'default',
    target: 'page',
    visits: VISITS,
    ...loaded,
    in_new_window: inNewWindow,
    edit_to_pixel_ms: edits.includes(null) ? null : rounded(median(edits)),
    ...main,
  };
}

/** The default preset scaled by `times`, played at the speed it opens with, with each view of the charts' area open in turn. */
async function closeUps(site, times) {
  const name = `close-ups-${4 * times}`;
  const views = {};
  for (const view of ['Charts', 'Lanes', 'KV', 'Density']) {
    const { page, close } = await newPage(site);
    await drop(page, `${name}.json`, JSON.stringify({ ...scenarioOf(times), edits: [] }));
    await page.waitForFunction((n) => document.querySelector('.preset-name')?.textContent === n, `${name}.json`);
    await resting(page);
    await page.getByRole('group', { name: 'View' }).getByRole('button', { name: view, exact: true }).click();
    await page.locator('.area :is(canvas, .kv-body)').first().waitFor();
    await page.locator('body').click({ position: { x: 700, y: 4 } });
    await page.keyboard.press('Space');
    await page.waitForTimeout(2000);
    views[view.toLowerCase()] = await traced(site.browser, () => page.waitForTimeout(PLAYED_MS));
    await close();
  }
  return { name, target: 'page', replicas: 4 * times, ...views };
}

const site = await open();
const rows = [];
try {
  if (asked.length === 0 || asked.includes('default')) rows.push(await visit(site));
  for (const name of NAMES) if (asked.length === 0 || asked.includes(name)) rows.push(await watched(site, name));
  for (const times of [1, 16])
    if (asked.length === 0 || asked.includes(`seek-${4 * times}`)) rows.push(await seeks(site, times, quantile));
  for (const times of [1, 16])
    if (asked.length === 0 || asked.includes(`close-ups-${4 * times}`)) rows.push(await closeUps(site, times));
  if (asked.length === 0 || asked.includes('race')) rows.push(await race(site));
  if (asked.length === 0 || asked.includes('lock-step')) rows.push(await lockStep(site));
  if (asked.length === 0 || asked.includes('what-if')) rows.push(await whatIf(site));
  if (asked.length === 0 || asked.includes('memory')) rows.push(await memory(site));
} finally {
  await site.close();
}
for (const row of rows) console.log(JSON.stringify(row));
writeFileSync(out, `${JSON.stringify(rows, null, 1)}\n`);
