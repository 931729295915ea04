// One row of `scripts/bench --json` for WebAssembly in Node, in the page’s module: node
// www/tests/bench/row.mjs PACKAGE SCENARIO. A process for each, so that
// time and memory are its own. The same work as benches/rows.rs. With a third argument, `alone`: only simulated seconds
// per second without display.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

const [pkg, file, alone] = process.argv.slice(2);
const { initSync, Sim } = await import(pathToFileURL(`${pkg}/tokenyard.js`).href);
const { memory } = initSync({ module: readFileSync(`${pkg}/tokenyard_bg.wasm`) });
const text = readFileSync(file, 'utf8');

/** Time for whole runs, unmeasured and then measured, each at least once: the module is compiled while it runs. */
const WARM_MS = 2000;
const MEASURED_MS = 1000;
const PLAYED_MS = 4000;
const SLICE_MS = 12;
const IN_FULL_SWING_US = 30e6;
const VIEWS = [
  'ttft-over-time',
  'e2e-over-time',
  'throughput',
  'queue-depth',
  'kv-use',
  'ttft-ecdf',
  'e2e-ecdf',
  'health',
];

/** The report of a run. */
function reportOf(sim) {
  const [json] = sim.ask('{"report":null}');
  return JSON.parse(JSON.parse(new TextDecoder().decode(json)).json);
}

/** The progress of a run. */
function progress(sim) {
  const report = reportOf(sim);
  const steps = report.replicas.reduce((sum, r) => sum + r.steps, 0);
  return { us: sim.nowUs(), events: sim.events(), requests: report.requests.arrived, steps };
}

/** Plays in a busy cluster; returns the wall time and the processor time in seconds, and the simulated work. */
function play(sim, turn) {
  sim.advance(IN_FULL_SWING_US, 1e9);
  const before = progress(sim);
  const cpu = process.cpuUsage();
  const start = performance.now();
  while (performance.now() - start < PLAYED_MS && turn() !== 'finished');
  const wall = (performance.now() - start) / 1000;
  const user = process.cpuUsage(cpu).user / 1e6;
  const mb = memory.buffer.byteLength / 1e6;
  const after = progress(sim);
  return { wall, user, mb, ...Object.fromEntries(Object.keys(after).map((key) => [key, after[key] - before[key]])) };
}

/** Runs to the last request without display. */
function wholeRun() {
  const start = performance.now();
  const sim = Sim.unwatched(text);
  while (sim.advance(Number.POSITIVE_INFINITY, 1e9) === 'events');
  reportOf(sim);
  const wall = (performance.now() - start) / 1000;
  const row = { wall, ...progress(sim) };
  sim.free();
  return row;
}

/** Whole runs, unmeasured and measured: the median of the latter, and the time of the very first. */
function wholeRuns() {
  const begun = performance.now();
  const first = wholeRun().wall;
  while (performance.now() - begun < WARM_MS) wholeRun();
  const cpu = process.cpuUsage();
  const measured = performance.now();
  const runs = [];
  do runs.push(wholeRun());
  while (performance.now() - measured < MEASURED_MS);
  const user = process.cpuUsage(cpu).user / 1e6 / runs.length;
  runs.sort((a, b) => a.wall - b.wall);
  return { ...runs[Math.floor(runs.length / 2)], user, mb: memory.buffer.byteLength / 1e6, more: { first_s: first } };
}

/** Plays like the page's worker, and before that without display. */
function playWatched() {
  const first = Sim.unwatched(text);
  const unwatched = play(first, () => first.advance(Number.POSITIVE_INFINITY, SLICE_MS));
  const perSecond = unwatched.us / 1e6 / unwatched.wall;
  first.free();
  if (alone) {
    console.log(perSecond);
    process.exit();
  }
  const sim = new Sim(text);
  // The requested frames, written beside the scenario.
  const query = JSON.parse(readFileSync(file.replace(/json$/, 'query'), 'utf8'));
  let turns = 0;
  let due = 0;
  const watched = play(sim, () => {
    const stop = sim.advance(Number.POSITIVE_INFINITY, SLICE_MS);
    // As in www/src/sim/framePace.ts at full speed: frames take at most a tenth of the time, and come every 45 ms at most.
    const now = performance.now();
    if (now < due) return stop;
    sim.frame(query);
    for (let k = 0; k < 2; k++) sim.columns({ view: VIEWS[turns++ % VIEWS.length] });
    due = now + Math.max(45, 10 * (performance.now() - now));
    return stop;
  });
  return { ...watched, more: { unwatched_sim_s_per_s: perSecond } };
}

const row = basename(file).startsWith('watched-') ? playWatched() : wholeRuns();
console.log(
  JSON.stringify({
    name: basename(file, '.json'),
    target: 'wasm',
    wall_s: row.wall,
    user_s: row.user,
    sim_s_per_s: row.us / 1e6 / row.wall,
    requests: row.requests,
    events: row.events,
    steps: row.steps,
    peak_mb: row.mb,
    ...row.more,
  }),
);
