// Serves the built page over a link with a bandwidth and a delay of its own. The browser's emulation of a network leaves out what
// threads of the page request.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { ROOT } from './harness.mjs';

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};
const TICK_MS = 10;

/**
 * `url`, and `requests`: what was asked for, with the milliseconds since the first request until its last byte. `quality` is that of
 * brotli, `replaced` has files that are served in place of those of the build, by the beginning of their names. Files that match `holds`
 * come after `release()`.
 */
export async function slowLink({ mbitPerS = 1.6, delayMs = 150, quality = 4, replaced = {}, holds } = {}) {
  const files = new Map();
  const compressed = (path) => {
    const name = path.split('/').at(-1) ?? '';
    const [, instead] = Object.entries(replaced).find(([begins]) => name.startsWith(begins)) ?? [];
    const bytes = readFileSync(instead ?? join(ROOT, 'dist', path));
    return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
  };
  let release = () => {};
  const released = new Promise((resolve) => {
    release = resolve;
  });
  const open = new Set();
  const requests = [];
  let beginMs;
  const server = createServer(({ url }, response) => {
    beginMs ??= performance.now();
    const path = decodeURI(url.split(/[?#]/)[0]).replace(/\/$/, '/index.html');
    if (!files.has(path)) {
      try {
        files.set(path, compressed(path));
      } catch {
        response.writeHead(404).end();
        return;
      }
    }
    const asked = { response, path, body: files.get(path), sent: 0 };
    const begins = holds?.test(path) ? released : undefined;
    setTimeout(async () => {
      await begins;
      response.writeHead(200, {
        'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
        'content-encoding': 'br',
        'cache-control': 'max-age=3600',
      });
      open.add(asked);
    }, delayMs);
  });
  const end = (asked) => {
    open.delete(asked);
    asked.response.end();
    requests.push({ path: asked.path, bytes: asked.body.length, ms: Math.round(performance.now() - beginMs) });
  };
  let before = performance.now();
  const tick = setInterval(() => {
    const now = performance.now();
    let left = ((now - before) * mbitPerS * 1e6) / 8 / 1000;
    before = now;
    for (let rest = open.size; rest > 0; rest--) {
      const [asked] = open;
      const share = Math.min(Math.ceil(left / rest), asked.body.length - asked.sent);
      asked.response.write(asked.body.subarray(asked.sent, asked.sent + share));
      asked.sent += share;
      left -= share;
      // The next one in turn.
      open.delete(asked);
      if (asked.sent < asked.body.length) open.add(asked);
      else end(asked);
    }
  }, TICK_MS);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    requests,
    release,
    close: () => {
      clearInterval(tick);
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
