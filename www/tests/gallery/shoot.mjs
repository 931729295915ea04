// Takes pictures of the gallery: node tests/gallery/shoot.mjs DIRECTORY [name-filter].
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { createServer } from 'vite';

const [, , out = 'gallery-out', filter = ''] = process.argv;
const SHOTS = [
  ['desktop-dark', 1440, 900, 'pick=1'],
  ['desktop-light', 1440, 900, 'pick=1&theme=light'],
  ['around-dark', 1440, 900, 'around=1'],
  ['replicas-light', 1440, 900, 'scales=1&theme=light'],
  ['ahead-dark', 1440, 900, 'ahead=73'],
  ['empty-dark', 1440, 900, 'empty=1'],
  ['eight-dark', 1440, 900, 'n=8'],
  ['seven-light', 1440, 900, 'n=7&theme=light'],
  ['one-dark', 1440, 900, 'n=1'],
  ['pools-dark', 1440, 900, 'pools=1&tier=1&pick=1'],
  ['pools8-light', 1440, 900, 'n=8&pools=1&tier=1&theme=light'],
  ['pools16-dark', 1440, 900, 'n=16&pools=1&tier=1'],
  ['phone-pools-dark', 390, 844, 'pools=1&tier=1'],
  ['panels-dark', 1440, 900, 'replica=0', 'panels'],
  ['panels-light', 1440, 900, 'replica=1&theme=light', 'panels'],
  ['panels-run-dark', 1440, 900, 'tab=run', 'panels'],
  ['phone-panels-dark', 390, 844, 'replica=0', 'panels'],
  ['phone-panels-run-light', 390, 844, 'tab=run&theme=light', 'panels'],
  ['density-dark', 1440, 900, 'tall=1&brush=1', 'density'],
  ['density-light', 1440, 900, 'tall=1&brush=1&theme=light', 'density'],
  ['density-low-dark', 1440, 900, 'of=e2e', 'density'],
  ['density-empty-dark', 1440, 900, 'tall=1&empty=1', 'density'],
  ['phone-density-dark', 390, 844, 'brush=1', 'density'],
  ['cards16-dark', 1440, 900, 'n=16'],
  ['cards64-dark', 1440, 900, 'n=64'],
  ['cards64-light', 1440, 900, 'n=64&theme=light'],
  ['heat256-dark', 1440, 900, 'n=256&pick=1'],
  ['heat100-light', 1440, 900, 'n=100&theme=light'],
  ['many-dark', 1440, 900, 'n=1024'],
  ['play-dark', 1440, 900, 'play=1'],
  ['measure4', 1440, 900, 'play=1&measure=1'],
  ['measure64', 1440, 900, 'n=64&play=1&measure=1'],
  ['measure256', 1440, 900, 'n=256&play=1&measure=1'],
  ['wide-dark', 1920, 1080, 'pick=1'],
  ['phone-dark', 390, 844, 'pick=1'],
  ['phone-light', 390, 844, 'pick=1&theme=light'],
  ['phone-charts-dark', 390, 844, 'tab=charts'],
  ['phone-charts-light', 390, 844, 'tab=charts&theme=light'],
  ['phone64-dark', 390, 844, 'n=64'],
  ['phone256-dark', 390, 844, 'n=256'],
  ['lanes-dark', 1440, 652, 'pick=1&cursor=1', 'lanes'],
  ['lanes-light', 1440, 652, 'pick=1&theme=light', 'lanes'],
  ['lanes-low-dark', 1440, 420, 'rows=20', 'lanes'],
  ['lanes64-dark', 1440, 652, 'n=64&rows=30&still=4', 'lanes'],
  ['lanes-crowd-dark', 1440, 652, 'rows=300&still=1', 'lanes'],
  ['lanes-late-dark', 1440, 652, 'late=1', 'lanes'],
  ['phone-lanes-dark', 390, 844, 'pick=1', 'lanes'],
  ['split-dark', 1440, 900, 'split=3:5&pick=1'],
  ['split-light', 1440, 900, 'split=3:5&theme=light'],
  ['split-mixed-dark', 1440, 900, 'split=2:3:2'],
  ['split16-dark', 1440, 900, 'split=8:8'],
  ['phone-split-dark', 390, 844, 'split=3:5&pick=1'],
  ['phone-split-light', 390, 844, 'split=2:2:1&theme=light'],
];

// Wall time from the start of a display frame's callbacks until the main thread is free again, in milliseconds.
function report() {
  const sorted = [...globalThis.costs].slice(10).sort((a, b) => a - b);
  const at = (q) => sorted[Math.floor(q * (sorted.length - 1))]?.toFixed(1);
  return `${sorted.length} frames: p50 ${at(0.5)} p95 ${at(0.95)} most ${at(1)} ms`;
}

mkdirSync(out, { recursive: true });
const server = await createServer({ configFile: 'vite.config.ts', server: { port: 5199 }, logLevel: 'error' });
await server.listen();
const address = server.resolvedUrls?.local[0] ?? 'http://localhost:5199/';
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
try {
  for (const [name, width, height, query, place = 'index'] of SHOTS) {
    if (!name.includes(filter)) continue;
    const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: width < 720 ? 2 : 1 });
    page.on('pageerror', (error) => console.log(name, error.stack.slice(0, 1500)));
    page.on('response', (r) => r.status() >= 400 && console.log(name, r.url()));
    page.on('console', (m) => {
      if (m.type() === 'error') console.log(name, m.text());
    });
    await page.goto(`${address}tests/gallery/${place}.html?${query}`);
    await page.waitForSelector('canvas', { state: 'attached' });
    await page.waitForTimeout(query.includes('play') ? 2500 : 500);
    if (query.includes('measure')) console.log(name, await page.evaluate(report));
    await page.screenshot({ path: `${out}/${name}.png` });
    await page.close();
  }
} finally {
  await browser.close();
  await server.close();
}
