// The packed package in Node.js: node npm/tests/node.mjs DIRECTORY SCENARIO DIGEST. DIRECTORY has it in node_modules; DIGEST is what the
// command line says of the scenario.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [directory, scenario, expected] = process.argv.slice(2);
const require = createRequire(join(directory, 'index.js'));
const { Simulation, ScenarioError } = await import(pathToFileURL(require.resolve('tokenyard')).href);

const text = readFileSync(scenario, 'utf8');
for (const watched of [true, false]) {
  const simulation = await Simulation.load(text, { watched });
  assert.equal(await simulation.advance(), 'finished');
  assert.equal(await simulation.digest(), expected, 'the command line has another digest');
  const report = await simulation.report();
  assert.ok(report.requests.completed > 0 && report.requests.conserved);
  simulation.end();
  await assert.rejects(simulation.report(), /has ended/);
}

// Edits, views, going back.
const simulation = await Simulation.load(JSON.parse(text));
assert.equal(await simulation.advance(5), 'until');
assert.equal(await simulation.nowS(), 5);
const before = await simulation.digest();
await simulation.apply({ set: { 'cluster.routing': 'least-loaded' } });
await assert.rejects(simulation.apply({ set: { 'cluster.rooting': 'random' } }), (error) => {
  assert.ok(error instanceof ScenarioError && error.problems.length > 0);
  return true;
});
await simulation.advance(8);
assert.ok((await simulation.request(0)) !== null);
await simulation.seek(4);
await simulation.seek(5);
assert.equal(JSON.parse(await simulation.scenario()).edits.length, 1);
assert.notEqual(before, '');
simulation.end();

// All problems at once; a thread without workers says so.
const wrong = { run: { horizon_s: -1 }, workload: { clients: [{ tenannt: 'a' }] } };
assert.equal((await Simulation.check(wrong)).filter((d) => d.severity === 'error').length, 2);
await assert.rejects(Simulation.load(wrong), ScenarioError);
await assert.rejects(Simulation.load(text, { worker: true }), /no workers/);

// The schema and the module are at their places.
const schema = require('tokenyard/schema/v1.json');
assert.ok(schema.properties.cluster);
const wasm = readFileSync(require.resolve('tokenyard/tokenyard_bg.wasm'));
assert.equal(wasm.subarray(1, 4).toString(), 'asm');
console.log(`node ${process.version}: digest ${expected}`);
