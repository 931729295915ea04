// Serves the built page under a deep path and opens it in Chromium, watching for forbidden events.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { preview } from 'vite';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The scenario that tests open where they name none, and where it opens, in simulated seconds. */
const LINK = '#chat-4xh100';
export const OPENING_S = 48;
/** The same with two distributions and the heat map of TTFT among its charts. */
export const SIX = `${LINK};t=${OPENING_S};charts=ttft-over-time,ttft-density,kv-use,queue-depth,ttft-ecdf,e2e-ecdf`;
/** Time limits for one wait and for a whole test, on a machine ten times slower than a desktop. */
const WAIT_MS = Number(process.env.WAIT_MS ?? 120_000);
const TEST_MS = 600_000;
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Whether all cases run, as with `scripts/test --all`. Without it, each test runs a representative part of its cases. */
export const ALL = process.env.TOKENYARD_TESTS === 'all';

/** The cases that run now: all of them, or the first `few`. `scripts/test` prints what it left out, by this name. */
export function part(name, cases, few) {
  if (ALL || cases.length <= few) return cases;
  if (process.env.TOKENYARD_LEFT)
    appendFileSync(process.env.TOKENYARD_LEFT, `page: ${name}: ${few} of ${cases.length}\n`);
  return cases.slice(0, few);
}

/**
 * Declares a test that takes long, by `declare(name, ...)`: it runs with all cases only, and each behaviour of the page has a
 * shorter test beside it, or one of its kind. `scripts/test` prints the files that have such tests.
 */
export const long =
  (declare) =>
  (...test) => {
    for (const _ of part(`tests that take long in ${basename(process.argv[1] ?? '')}`, [0], 0)) declare(...test);
  };

/** The themes to check: both, or one that depends on the file of tests, so that each theme has some files. */
export const THEMES = part(
  'themes for each view that is checked in both',
  basename(process.argv[1] ?? '').length % 2 === 0 ? ['dark', 'light'] : ['light', 'dark'],
  1,
);

/** The command line to compare with, or the reason for its absence. */
export function cli() {
  const candidates = [
    process.env.TOKENYARD_BIN,
    join(ROOT, '../target/release/tokenyard'),
    join(ROOT, '../target/debug/tokenyard'),
  ];
  const path = candidates.find((p) => p && existsSync(p));
  if (!path) return { missing: 'no tokenyard command was found: set TOKENYARD_BIN or build it with cargo' };
  return { run: (...args) => execFileSync(path, args, { encoding: 'utf8', maxBuffer: 1 << 28 }).trim() };
}

/** Serves the built page, or another directory. */
export async function open(outDir = 'dist') {
  const server = await preview({
    root: ROOT,
    build: { outDir },
    base: '/some/deep/path/',
    logLevel: 'error',
    preview: { port: 0, host: '127.0.0.1' },
  });
  const url = server.resolvedUrls.local[0];
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ARGS,
  });
  return {
    url,
    browser,
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

/** A page that records errors, policy violations, requests to other hosts and long tasks. `opened` is called with it before the visit. */
export async function newPage(
  { browser, url },
  { link = LINK, opened, view = 'work', minute = false, plays: _, ...options } = {},
  beforehand = undefined,
) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme: 'dark',
    acceptDownloads: true,
    // Only the tests of a page without a network have its files kept.
    serviceWorkers: 'block',
    ...options,
  });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const seen = { errors: [], foreign: [] };
  page.on('pageerror', (error) => seen.errors.push(error.stack ?? String(error)));
  page.on('console', (message) => {
    if (message.text() === 'Service Worker registration blocked by Playwright') return;
    // The browser requests the icon of its tab by itself, past the service worker; without a network that is an error.
    if (message.location().url.endsWith('/icon.svg') && message.text().includes('ERR_INTERNET_DISCONNECTED')) return;
    if (message.type() === 'error' || message.type() === 'warning')
      seen.errors.push(`${message.text()} ${message.location().url}`.trim());
  });
  page.on('request', (request) => {
    const target = new URL(request.url());
    if (!['blob:', 'data:'].includes(target.protocol) && target.host !== new URL(url).host)
      seen.foreign.push(request.url());
  });
  await page.addInitScript(() => {
    window.seen = { violations: [], longTasks: [], shifts: [] };
    // The open questions of each thread.
    const asked = new Map();
    // Pictures sent to the painter's thread and not drawn yet, and its canvases, by number.
    window.painter = { unpainted: 0, sheets: new Map() };
    const handed = new WeakMap();
    const { transferControlToOffscreen } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.transferControlToOffscreen = function () {
      const moved = transferControlToOffscreen.call(this);
      handed.set(moved, this);
      return moved;
    };
    const isWaited = () => [...asked.values()].some((ids) => ids.size > 0);
    window.rest = { now: undefined, paints: 0, waits: () => isWaited() || window.painter.unpainted > 0 };
    window.Worker = class extends Worker {
      constructor(...how) {
        super(...how);
        const ids = new Set();
        asked.set(this, ids);
        this.addEventListener('message', ({ data }) => {
          if (data?.kind === 'crash') ids.clear();
          else if (data?.kind === 'answer' || data?.kind === 'refused') ids.delete(data.id);
          else if (data?.kind === 'painted') window.painter.unpainted -= 1;
          else if (data?.kind === 'texts') {
            const canvas = window.painter.sheets.get(data.sheet);
            if (canvas) window.canvasTexts.set(canvas, Object.assign(data.texts, { width: data.width }));
          }
        });
      }
      postMessage(message, ...moved) {
        if (message?.kind === 'ask') asked.get(this)?.add(message.id);
        if (message?.kind === 'sheet') window.painter.sheets.set(message.sheet, handed.get(message.canvas));
        if (message?.kind === 'paint') window.painter.unpainted += 1;
        super.postMessage(message, ...moved);
      }
      terminate() {
        asked.delete(this);
        super.terminate();
      }
    };
    document.addEventListener('securitypolicyviolation', (e) =>
      window.seen.violations.push(`${e.violatedDirective}: ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`),
    );
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.seen.longTasks.push(Math.round(entry.duration));
    }).observe({ type: 'longtask', buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.seen.shifts.push(entry.value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  // Most tests are of the whole page, of a later visit than the first, and with sections of the form open, as a reader has them
  // who has used them; a choice made later stays.
  const sections = 'What to look at|Routing|Fleet|More of Fleet|Split|Link|Admission|Workload|More of Workload';
  await page.addInitScript(
    (choices) => {
      for (const [name, chosen] of Object.entries(choices))
        if (localStorage.getItem(name) === null) localStorage.setItem(name, chosen);
    },
    minute ? { view, sections } : { view, sections, minute: 'seen' },
  );
  if (beforehand) await page.addInitScript(beforehand);
  await opened?.(page);
  await page.goto(url + link);
  await page.waitForFunction(() => performance.getEntriesByName('first-frame').length > 0);
  return { page, seen, close: () => context.close() };
}

/**
 * Serves the page for a file of tests, each on its own page; a test fails on anything that a page must never do. A
 * failed test is repeated once on a fresh page, because a browser on a busy machine is less repeatable than the
 * simulator. The first failure is printed, and scripts/e2e counts such tests. `onPage.long` declares one that takes long.
 */
export function suite() {
  let site;
  let opens = false;
  /** The page is served once a test is declared: in a file without any, nothing would close it. */
  const serve = () => {
    if (opens) return;
    opens = true;
    before(async () => {
      site = await open();
    });
    after(() => site?.close());
  };
  onPage.long = long(onPage);
  return onPage;
  function onPage(name, body, options) {
    serve();
    test(name, { timeout: TEST_MS }, async (t) => {
      try {
        await attempt(t);
      } catch (error) {
        t.diagnostic(`second attempt of "${name}", as the first failed: ${error.stack ?? error}`);
        await attempt(t);
      }
    });
    async function attempt(t) {
      const opened = await newPage(site, options);
      try {
        if (!options?.plays) await resting(opened.page);
        await body(opened.page, t, opened);
        assert.deepEqual(opened.seen.foreign, [], 'requests to other hosts');
        assert.deepEqual(await opened.page.evaluate(() => window.seen.violations), [], 'content security policy');
        if (!options?.errorsExpected) assert.deepEqual(opened.seen.errors, [], 'errors on the console');
      } finally {
        await opened.close();
      }
    }
  }
}

/** Where built-in scenarios open, in seconds. */
const OPENS = new Map(
  JSON.parse(readFileSync(join(ROOT, 'src/generated/gallery.json'), 'utf8')).map((card) => [card.name, card.opens_s]),
);

/**
 * Reads a value of the page until it is as expected (a value, or a pattern it matches), because the screen follows an
 * action by a frame or more. Fails with the value read last.
 */
export async function comes(read, expected, why) {
  const until = Date.now() + WAIT_MS / 4;
  for (;;) {
    try {
      const found = await read();
      if (expected instanceof RegExp) assert.match(found, expected, why);
      else assert.deepEqual(found, expected, why);
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((next) => setTimeout(next, 100));
    }
  }
}

/** Opens a built-in scenario. */
export async function preset(page, name) {
  await page.getByRole('banner').getByRole('button', { name: 'Presets' }).click();
  await page.locator(`[role=menuitem][data-value="${name}"]`).click();
  await page.waitForFunction((n) => document.querySelector('.preset-name')?.textContent === n, name);
  const opens = OPENS.get(name);
  await page.waitForFunction((s) => Number(document.querySelector('.clock')?.firstChild?.textContent) === s, opens);
  await resting(page);
}

/** The field of the seed, in the section of the run, which is opened for it. */
export async function seedField(page) {
  const form = page.locator('.left');
  const field = form.getByRole('textbox', { name: 'Seed' });
  const head = form.getByRole('button', { name: /^Run/ });
  // A seed that was changed opens its section, which a click at that moment would shut again.
  const opens = async () => {
    if (!(await field.isVisible()) && (await head.getAttribute('aria-expanded')) === 'false') await head.click();
    return field.isVisible();
  };
  await comes(opens, true, 'the seed is shown');
  return field;
}

/** Presses a step of the transport's menu, which stays open. */
export async function stepBy(page, name) {
  const item = page.getByRole('dialog', { name: 'Step' }).getByRole('button', { name, exact: true });
  if (!(await item.isVisible())) await page.getByRole('button', { name: 'Step', exact: true }).click();
  await item.click();
}

/** The speed that is asked for, as the list of speeds says it. */
export const askedSpeed = (page) =>
  page.getByRole('combobox', { name: 'Speed' }).evaluate((list) => list.selectedOptions[0].textContent);

/** Shows all key figures. */
export async function moreFigures(page) {
  const button = page.locator('.kpi').getByRole('button', { name: /^\d+ more$/ });
  if (await button.isVisible()) await button.click();
}

/** Chooses from the tools of a chart, by default the first one; they are offered under its title. */
export async function chartTool(page, name, figure = page.locator('.charts .time-chart').first()) {
  const tools = page.locator('.chart-menu');
  if (!(await tools.isVisible())) {
    await figure.locator('figcaption').hover();
    await figure.locator('.chart-more').click();
  }
  await tools.getByRole('button', { name, exact: typeof name === 'string' }).click();
}

/** Simulated time on the clock, in seconds. */
export async function clock(page) {
  return page.evaluate(() =>
    Number(document.querySelector('.clock')?.firstChild?.textContent?.replaceAll(',', '') ?? Number.NaN),
  );
}

/**
 * Waits until the run rests: the opening run is done, or a seek has arrived, and every question to a thread is
 * answered. Returns the simulated time, in seconds.
 */
export async function resting(page) {
  await page.waitForFunction(() => {
    const { rest } = window;
    const now = document.querySelector('.clock')?.firstChild?.textContent;
    // Nothing plays, and no work is under way, shown or not.
    const paused =
      document.querySelector('button[aria-label="Play"]') !== null &&
      document.querySelector('.page')?.dataset.mode === 'paused' &&
      !rest.waits();
    // A frame that is on its way is shown within a few paints.
    rest.paints = paused && now === rest.now ? rest.paints + 1 : 0;
    rest.now = now;
    if (rest.paints < 8) return false;
    rest.paints = 0;
    return true;
  });
  return clock(page);
}

/** Runs to the end, and waits until the whole page shows the end. */
export async function toEnd(page) {
  await stepBy(page, 'Run to the end');
  // The menu stays open; a press on its button shuts it.
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await resting(page);
}

export async function inspectorTab(page, name) {
  await page.getByRole('complementary', { name: 'Inspector' }).getByRole('tab', { name }).click();
}

/** Opens the Run tab with all its figures. */
export async function runFigures(page) {
  await inspectorTab(page, 'Run');
  const all = page.locator('.run-figures');
  await all.waitFor();
  if (!(await all.evaluate((it) => it.open))) await all.locator('> summary').click();
}

/** Opens the part of the dialog for sharing that has files of the run. */
export async function shareFiles(page) {
  await page.getByRole('banner').getByRole('button', { name: 'Share' }).click();
  await page
    .getByRole('dialog', { name: 'Share this run' })
    .getByRole('button', { name: 'Files', exact: true })
    .click();
}

/** Shows a replica in the inspector's tab, which begins with the one that is framed, if any. */
export async function chooseReplica(page, number) {
  await inspectorTab(page, 'Replica');
  const panel = page.getByRole('complementary', { name: 'Inspector' });
  const offer = panel.getByRole('button', { name: `r${number}`, exact: true });
  const heading = panel.getByRole('heading', { name: /^r\d+$/ });
  await offer.or(heading).first().waitFor();
  if (await offer.isVisible()) await offer.click();
  await heading.waitFor();
  const shown = async () => Number((await heading.textContent()).slice(1));
  for (let at = await shown(); at !== number; at = await shown()) {
    const next = at < number ? at + 1 : at - 1;
    await panel.getByRole('button', { name: at < number ? 'Next replica' : 'Previous replica' }).click();
    await panel.getByRole('heading', { name: `r${next}`, exact: true }).waitFor();
  }
}

/** The digest that the Run tab shows once the whole run is done. */
export async function finalDigest(page) {
  await toEnd(page);
  await inspectorTab(page, 'Run');
  await page.getByText('of the whole run').waitFor();
  await page.locator('code.digest').waitFor();
  return (await page.locator('code.digest').textContent()).trim();
}

/** The report of the whole run as the page would save it. */
export async function savedReport(page) {
  await toEnd(page);
  await shareFiles(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the report' }).click(),
  ]);
  const path = join(scratch(), 'report.json');
  await download.saveAs(path);
  await page.keyboard.press('Escape');
  return path;
}

/** The scenario as the page would save it. */
export async function savedScenario(page) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as file' }).click(),
  ]);
  const path = join(scratch(), 'scenario.json');
  await download.saveAs(path);
  return path;
}

export function scratch() {
  return mkdtempSync(join(tmpdir(), 'tokenyard-e2e-'));
}

/** Drops a file of text or bytes on the middle of the page, or on a selected element, as a user would. */
export async function drop(page, name, content, onto = 'main') {
  const transfer = await page.evaluateHandle(
    ([fileName, base64]) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      data.items.add(new File([bytes], fileName));
      return data;
    },
    [name, Buffer.from(content).toString('base64')],
  );
  await page.dispatchEvent(onto, 'dragover', { dataTransfer: transfer });
  await page.dispatchEvent(onto, 'drop', { dataTransfer: transfer });
}

/** Drops a trace, and runs it as it is. */
export async function dropTrace(page, name, content) {
  await drop(page, name, content);
  await page.getByRole('dialog', { name: 'Open a trace' }).getByRole('button', { name: 'Run on this cluster' }).click();
  await page.getByRole('dialog', { name: 'Open a trace' }).waitFor({ state: 'hidden' });
}

export function write(name, text) {
  const path = join(scratch(), name);
  writeFileSync(path, text);
  return path;
}

/** Pastes a text over what stands in the text editor. Other ways insert it with styles, which the content security policy refuses. */
export async function writeText(page, text, written) {
  await text.click();
  await page.keyboard.press('Control+a');
  await text.evaluate((field, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, written);
}

/** Undoes the last change with the button beside the list of changes, and shows the form again. */
export async function undoInList(panel) {
  const tab = (name) => panel.getByRole('tab', { name });
  await tab(/^Changes/).click();
  await panel.getByRole('button', { name: 'Undo', exact: true }).click();
  await tab('Form').click();
}

/** Selects the request with the slowest first token of the latest seconds, and waits until it is shown. */
export async function pickSlowest(page) {
  await page.locator('.right').getByRole('button', { name: 'slowest', exact: true }).click();
  await page.getByRole('img', { name: /^Waterfall of request/ }).waitFor();
}
