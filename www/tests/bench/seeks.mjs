// Seeks in a computed run of ten minutes: time from the key to the picture of the instant, to the first paint of a
// drag, and the memory of checkpoints.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop, newPage, ROOT, resting } from '../e2e/harness.mjs';

const HORIZON_S = 600;
/** The number of seeks, and of drags. */
const SEEKS = 40;
const DRAGS = 12;
/** The number of switches to another run of the list. */
const SWITCHES = 10;

/**
 * The default preset for ten minutes, scaled by a factor; scaled ones have no burst, whose queues would outgrow the
 * cluster.
 */
export function scenarioOf(times) {
  const scenario = JSON.parse(readFileSync(join(ROOT, '../scenarios/chat-4xh100.json'), 'utf8'));
  scenario.run.horizon_s = HORIZON_S;
  if (times === 1) return scenario;
  scenario.cluster.pools[0].replicas *= times;
  for (const client of scenario.workload.clients)
    for (const arrivals of Object.values(client.arrivals)) arrivals.rate_per_s *= times;
  delete scenario.edits;
  return scenario;
}

/** Places between 0 and 1 that are the same in every run. */
function* places() {
  for (let at = 0.5; ; at = (at + 0.618_033_988_749) % 1) yield at;
}

/** Asks the page's worker a question of this benchmark. */
async function asked(page, kind) {
  return page.evaluate(
    (question) =>
      new Promise((resolve) => {
        const id = -1 - Math.floor(Math.random() * 1e9);
        const listen = (event) => {
          if (event.data.kind !== 'answer' || event.data.id !== id) return;
          window.simulation.removeEventListener('message', listen);
          resolve(JSON.parse(new TextDecoder().decode(event.data.value[0])));
        };
        window.simulation.addEventListener('message', listen);
        window.simulation.postMessage({ kind: 'ask', id, question: { kind: 'present', question } });
      }),
    JSON.stringify({ [kind]: null }),
  );
}

/** Tasks of the page's thread longer than 50 ms, in milliseconds; the browser reports no shorter ones. */
export const longTasks = (page) => page.evaluate(() => window.seen.longTasks);

/** Milliseconds from the key that goes to an instant until its picture is painted. */
async function seekMs(page, seconds) {
  const field = page.getByRole('textbox', { name: 'Go to time, in seconds' });
  await field.fill(String(seconds));
  const shown = page.evaluate(
    (wanted) =>
      new Promise((resolve) => {
        const began = (event) => {
          const look = () => {
            const now = Number(document.querySelector('.clock').firstChild.textContent.replaceAll(',', ''));
            if (Math.abs(now - wanted) > 0.0006) requestAnimationFrame(look);
            else requestAnimationFrame(() => resolve(performance.now() - event.timeStamp));
          };
          requestAnimationFrame(look);
        };
        document.addEventListener('keydown', began, { once: true, capture: true });
      }),
    seconds,
  );
  await field.press('Enter');
  return shown;
}

/** Milliseconds from the pointer on the timeline until the clock shows another instant. */
async function dragMs(page, share) {
  const box = await page.getByRole('slider', { name: 'Time' }).boundingBox();
  const shown = page.evaluate(
    () =>
      new Promise((resolve) => {
        const clock = () => document.querySelector('.clock').firstChild.textContent;
        const was = clock();
        const began = (event) => {
          const look = () => {
            if (clock() === was) requestAnimationFrame(look);
            else requestAnimationFrame(() => resolve(performance.now() - event.timeStamp));
          };
          requestAnimationFrame(look);
        };
        document.addEventListener('pointerdown', began, { once: true, capture: true });
      }),
  );
  await page.mouse.move(box.x + 16 + (box.width - 32) * share, box.y + 34);
  await page.mouse.down();
  const first = await shown;
  await page.mouse.move(box.x + 16 + (box.width - 32) * ((share + 0.02) % 1), box.y + 34, { steps: 4 });
  await page.mouse.up();
  await resting(page);
  return first;
}

/** Milliseconds from the click that shows another run of the list until it is on screen. */
async function switchMs(page) {
  const shown = page.evaluate(
    () =>
      new Promise((resolve) => {
        const picked = () => document.querySelector('.runs tr.pick input')?.value;
        const was = picked();
        const began = (event) => {
          const look = () => {
            if (picked() === was) requestAnimationFrame(look);
            else requestAnimationFrame(() => resolve(performance.now() - event.timeStamp));
          };
          requestAnimationFrame(look);
        };
        document.addEventListener('pointerdown', began, { once: true, capture: true });
      }),
  );
  await page.getByRole('button', { name: /^Show Run \d/ }).click();
  const ms = await shown;
  await resting(page);
  return ms;
}

/** The run branches at 300 s, and both runs are shown in turn. */
async function switches(page, replicas) {
  await seekMs(page, HORIZON_S / 2);
  await resting(page);
  const field = page
    .getByRole('complementary', { name: 'Scenario' })
    .getByRole('textbox', { name: 'Replicas' })
    .first();
  await field.fill(String(replicas + 2));
  await field.press('Enter');
  const list = page.getByRole('button', { name: /^Runs \d+ of this scenario/ });
  await list.waitFor();
  await resting(page);
  await list.click();
  const took = [];
  for (let k = 0; k < SWITCHES; k++) took.push(await switchMs(page));
  await page.keyboard.press('Escape');
  return took;
}

/** One row: the default preset scaled by `times`, computed to its end, then seeks in it. */
export async function seeks(site, times, quantile) {
  const { page, close } = await newPage(site, {}, () => {
    const { Worker } = window;
    window.Worker = class extends Worker {
      constructor(...given) {
        super(...given);
        window.simulation ??= this;
      }
    };
  });
  const name = `seek-${4 * times}`;
  await drop(page, `${name}.json`, JSON.stringify(scenarioOf(times)));
  await page.waitForFunction((n) => document.querySelector('.preset-name')?.textContent === n, `${name}.json`);
  await resting(page);
  await page.getByRole('button', { name: 'Run to the end' }).click();
  await page.waitForFunction(
    (end) => Number(document.querySelector('.clock').firstChild.textContent.replaceAll(',', '')) >= end,
    HORIZON_S,
    { timeout: 600_000 },
  );
  await resting(page);
  const loaded = (await longTasks(page)).length;
  const { count: checkpoints, bytes } = await asked(page, 'checkpoints');
  const next = places();
  const took = [];
  for (let k = 0; k < SEEKS; k++) {
    took.push(await seekMs(page, Number((next.next().value * HORIZON_S).toFixed(3))));
    await resting(page);
  }
  const drags = [];
  for (let k = 0; k < DRAGS; k++) drags.push(await dragMs(page, next.next().value));
  const { count: after, bytes: bytesAfter } = await asked(page, 'checkpoints');
  const switched = await switches(page, 4 * times);
  const long = (await longTasks(page)).slice(loaded);
  await close();
  return {
    name,
    target: 'page',
    replicas: 4 * times,
    horizon_s: HORIZON_S,
    seek_p50_ms: Math.round(quantile(took, 0.5)),
    seek_p95_ms: Math.round(quantile(took, 0.95)),
    seek_max_ms: Math.round(Math.max(...took)),
    drag_first_paint_p50_ms: Math.round(quantile(drags, 0.5)),
    drag_first_paint_p95_ms: Math.round(quantile(drags, 0.95)),
    switch_run_p50_ms: Math.round(quantile(switched, 0.5)),
    switch_run_p95_ms: Math.round(quantile(switched, 0.95)),
    tasks_over_50_ms: long.length,
    longest_task_ms: Math.max(0, ...long),
    checkpoints: Math.max(checkpoints, after),
    checkpoint_mb: Number((Math.max(bytes, bytesAfter) / 2 ** 20).toFixed(1)),
  };
}
