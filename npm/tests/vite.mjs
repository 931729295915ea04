// The packed package in an app built by Vite, in Chromium: node npm/tests/vite.mjs DIRECTORY DIGEST. DIRECTORY is a copy of vite-app with
// the package in its node_modules and scenario.json in public; DIGEST is what the command line says of that.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';

const [directory, expected] = process.argv.slice(2);
// Vite, TypeScript and the browser's driver are those of the page.
const page = createRequire(new URL('../../www/package.json', import.meta.url));
const tool = (name) => new URL(`../../www/node_modules/.bin/${name}`, import.meta.url).pathname;
const inApp = { cwd: directory, stdio: 'inherit' };
execFileSync(tool('tsc'), ['-p', '.'], inApp);
execFileSync(tool('vite'), ['build', '--base=./', '--logLevel=warn'], inApp);

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json' };
const server = createServer((request, response) => {
  const path = new URL(request.url, 'http://localhost').pathname;
  const file = join(directory, 'dist', path === '/' ? 'index.html' : path);
  try {
    const bytes = readFileSync(file);
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const { chromium } = page('playwright-core');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
try {
  const tab = await browser.newPage();
  const said = [];
  tab.on('pageerror', (error) => said.push(error.message));
  tab.on('console', (message) => message.type() === 'error' && said.push(message.text()));
  await tab.goto(`http://127.0.0.1:${server.address().port}/`);
  const result = await tab
    .waitForFunction(() => document.querySelector('#result')?.textContent, undefined, { timeout: 120_000 })
    .catch((error) => {
      throw new Error(`${error.message}\n${said.join('\n')}`);
    });
  const { here, apart, refused } = JSON.parse(await result.jsonValue());
  assert.equal(here.digest, expected, 'in the page’s thread');
  assert.deepEqual(apart, here, 'in a worker');
  assert.deepEqual(refused, [1, 1]);
  assert.deepEqual(said, []);
  console.log(`Vite and ${browser.version()}: digest ${expected}, in the thread and in a worker`);
} finally {
  await browser.close();
  server.close();
}
