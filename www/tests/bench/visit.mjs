// The files that a first visit of the built page loads, one a line, relative to www/dist, in the order in which they are asked for:
// node tests/bench/visit.mjs. Called by scripts/size. A visit is the page as it opens for the first time, until it asks for nothing more;
// what is kept for use without a network is fetched later.
import { setTimeout as sleep } from 'node:timers/promises';
import { newPage, open } from '../e2e/harness.mjs';

/** The page rests when it has asked for nothing for this long. */
const QUIET_MS = 2000;

const site = await open();
const files = new Set();
let last = Date.now();
const opened = (page) =>
  page.context().on('request', (request) => {
    const { protocol, pathname } = new URL(request.url());
    if (protocol !== 'http:') return;
    last = Date.now();
    files.add(pathname.slice(new URL(site.url).pathname.length) || 'index.html');
  });
const { close } = await newPage(site, { link: '', view: 'calm', opened });
while (Date.now() - last < QUIET_MS) await sleep(100);
await close();
await site.close();
console.log([...files].join('\n'));
