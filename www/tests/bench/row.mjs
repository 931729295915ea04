// One row of `scripts/bench --json` for WebAssembly in Node, in the module that the page goes on with: node www/tests/bench/row.mjs PACKAGE SCENARIO. A process for each, so that
// time and memory are its own. The same work as benches/rows.rs. With a third argument, `alone`: simulated seconds per second with nobody watching, and no more.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

const [pkg, file, alone] = process.argv.slice(2);
const { initSync, Sim } = await import(pathToFileURL(`${pkg}/quick.js`).href);
const { memory } = initSync({ module: readFileSync(`${pkg}/quick_bg.wasm`) });
const text = readFileSync(file, 'utf8');
const name = basename(file, '.json');
const watched = name.startsWith('watched-');

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

/** Plays in a cluster in full swing; returns the wall time in seconds and what was run in it. */
function play(sim, turn) {
  sim.advance(IN_FULL_SWING_US, 1e9);
  const [us, events] = [sim.nowUs(), sim.events()];
  const start = performance.now();
  while (performance.now() - start < PLAYED_MS && turn() !== 'finished');
  return { wall: (performance.now() - start) / 1000, us: sim.nowUs() - us, events: sim.events() - events };
}

const cpu = process.cpuUsage();
let row;
if (watched) {
  const first = Sim.unwatched(text);
  const unwatched = play(first, () => first.advance(Number.POSITIVE_INFINITY, SLICE_MS));
  first.free();
  if (alone) {
    console.log(unwatched.us / 1e6 / unwatched.wall);
    process.exit();
  }
  const sim = new Sim(text);
  // What frames are asked for: written beside the scenario.
  const query = JSON.parse(readFileSync(file.replace(/json$/, 'query'), 'utf8'));
  let turns = 0;
  let frameMs = 0;
  let due = 0;
  const done = play(sim, () => {
    const stop = sim.advance(Number.POSITIVE_INFINITY, SLICE_MS);
    // As in www/src/sim/framePace.ts at full speed: frames take at most a tenth of the time, and come every 45 ms at most.
    const now = performance.now();
    if (now < due) return stop;
    sim.frame(query);
    for (let k = 0; k < 2; k++) sim.columns({ view: VIEWS[turns++ % VIEWS.length] });
    frameMs = performance.now() - now;
    due = now + Math.max(45, 10 * frameMs);
    return stop;
  });
  row = { ...done, unwatched: unwatched.us / 1e6 / unwatched.wall };
} else {
  const start = performance.now();
  const sim = Sim.unwatched(text);
  while (sim.advance(Number.POSITIVE_INFINITY, 1e9) === 'events');
  const report = JSON.parse(sim.report());
  const steps = report.replicas.reduce((sum, r) => sum + r.steps, 0);
  row = {
    wall: (performance.now() - start) / 1000,
    us: sim.nowUs(),
    events: sim.events(),
    requests: report.requests.arrived,
    steps,
  };
}
console.log(
  JSON.stringify({
    name,
    target: 'wasm',
    wall_s: row.wall,
    user_s: process.cpuUsage(cpu).user / 1e6,
    sim_s_per_s: row.us / 1e6 / row.wall,
    requests: row.requests ?? null,
    events: row.events,
    steps: row.steps ?? null,
    peak_mb: memory.buffer.byteLength / 1e6,
    ...(watched ? { unwatched_sim_s_per_s: row.unwatched } : {}),
  }),
);
