// The packed package gives the digests of the command line: node npm/tests/digests.mjs DIRECTORY FILE. DIRECTORY has the package in
// node_modules; FILE has a preset and its digest in each line, without its edits and with 1,000 requests.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [directory, file] = process.argv.slice(2);
const require = createRequire(join(directory, 'index.js'));
const { Simulation } = await import(pathToFileURL(require.resolve('tokenyard')).href);

const lines = readFileSync(file, 'utf8').trim().split('\n');
assert.ok(lines.length >= 10, 'ten presets');
for (const line of lines) {
  const [name, digest] = line.split(' ');
  const scenario = JSON.parse(readFileSync(`scenarios/${name}.json`, 'utf8'));
  scenario.edits = [];
  scenario.run = { ...scenario.run, max_requests: 1000 };
  const simulation = await Simulation.load(scenario);
  await simulation.advance();
  assert.equal(await simulation.digest(), digest, name);
  simulation.end();
}
console.log(`${lines.length} presets with the digests of the command line`);
