// The opening over a slow link, 1.6 Mbit/s with 150 ms to each answer: when the first picture is there, when the engine is, and what
// was loaded until then. With the name of a module it measures with that in place of the built one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { newPage, open, ROOT } from '../e2e/harness.mjs';
import { slowLink } from '../e2e/slowLink.mjs';

const [module] = process.argv.slice(2);
const BEST = 11;

const kb = (bytes) => Math.round(bytes / 100) / 10;
const built = (path) => readFileSync(join(ROOT, 'dist', path));
const assets = readdirSync(join(ROOT, 'dist/assets'));
const recording = assets.find((name) => name.startsWith('opening-'));

const site = await open();
const slow = await slowLink({ quality: BEST, replaced: module ? { tokenyard_bg: module } : {} });
/** One visit: the milliseconds from its beginning to each mark. */
async function visit() {
  const begins = slow.requests.length;
  const { page, close } = await newPage({ ...site, url: slow.url }, { link: '', view: 'calm', plays: true });
  await page.waitForFunction(() => performance.getEntriesByName('engine').length > 0, undefined, { timeout: 600_000 });
  const marks = await page.evaluate(() =>
    Object.fromEntries(
      ['first-frame', 'engine'].map((name) => [name, Math.round(performance.getEntriesByName(name)[0].startTime)]),
    ),
  );
  await close();
  return { ...marks, requests: slow.requests.slice(begins) };
}
// The first visit compresses the files.
await visit();
const first = await visit();
const scripts = first.requests.filter(
  ({ path, ms }) => path.endsWith('.js') && ms - (first.requests[0]?.ms ?? 0) < first['first-frame'],
);
console.log(
  JSON.stringify(
    {
      recording_brotli_kb: kb(brotliCompressSync(built(`assets/${recording}`)).length),
      first_frame_ms: first['first-frame'],
      engine_ms: first.engine,
      scripts_gzip_kb: kb(scripts.reduce((sum, { path }) => sum + gzipSync(built(path), { level: 9 }).length, 0)),
      wasm_brotli_kb: kb(first.requests.findLast(({ path }) => path.endsWith('.wasm'))?.bytes ?? 0),
      requests: first.requests,
    },
    undefined,
    1,
  ),
);
await slow.close();
await site.close();
