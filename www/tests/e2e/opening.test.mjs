// The recorded opening: what the page shows before its module has come, and how the engine takes over.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runnerImport } from 'vite';
import { clock, comes, newPage, open, ROOT } from './harness.mjs';
import { slowLink } from './slowLink.mjs';

const FIRST_VIEW = { link: '', view: 'calm', plays: true };
const WASM = /\.wasm$/;
/** A link on which nothing is slow but what is held. */
const FAST = { mbitPerS: 10_000, delayMs: 0 };

let site;
before(async () => {
  site = await open();
});
after(() => site?.close());

/** A file of the build, by the beginning of its name. */
const built = (begins) => {
  const assets = join(ROOT, 'dist/assets');
  return readFileSync(join(assets, readdirSync(assets).find((name) => name.startsWith(begins)) ?? begins));
};

test('the recording is what the module beside it gives, byte for byte, however often it is asked', async () => {
  const { RecordedSim } = (await runnerImport(join(ROOT, 'src/sim/recorded.ts'))).module;
  const { OPENING_DETAIL } = (await runnerImport(join(ROOT, 'src/state/run/detail.ts'))).module;
  const engine = await import(pathToFileURL(join(ROOT, 'pkg/tokenyard.js')).href);
  engine.initSync({ module: built('tokenyard_bg') });
  const recording = JSON.parse(built('opening').toString());
  const text = readFileSync(join(ROOT, '../scenarios/slow-replica.json'), 'utf8');
  assert.equal(recording.text, text);
  const views = Object.keys(recording.columns);
  assert.deepEqual(views, ['health', 'ttft-over-time']);
  const instants = recording.frames.map((_, i) => recording.fromUs + i * recording.apartUs);
  assert.ok(instants.length > 60);
  // Each instant once; every third; each twice.
  for (const asked of [instants, instants.filter((_, i) => i % 3 === 0), instants.flatMap((us) => [us, us])]) {
    const recorded = new RecordedSim(recording);
    const sim = new engine.Sim(text);
    assert.equal(recorded.scenario(), sim.scenario());
    assert.deepEqual(recording.diagnostics, engine.Sim.check(text));
    for (const us of asked) {
      while (sim.advance(us, 1000) === 'events');
      recorded.advance(us);
      assert.equal(recorded.nowUs(), sim.nowUs());
      const [was, is] = [recorded.frame(OPENING_DETAIL), sim.frame(OPENING_DETAIL)];
      assert.equal(Buffer.compare(was, is), 0, `the frame at ${us} µs`);
      for (const view of views) {
        const query = { view, window_s: OPENING_DETAIL.window_s };
        const [had, has] = [recorded.columns(query), sim.columns(query)];
        assert.deepEqual(had.names, has.names);
        assert.equal(had.columns.length, has.columns.length);
        for (const [i, column] of has.columns.entries())
          assert.equal(
            Buffer.compare(Buffer.from(had.columns[i].buffer), Buffer.from(column.buffer)),
            0,
            `${view}, ${has.names[i]} at ${us} µs`,
          );
      }
      for (const question of Object.keys(recording.answers))
        assert.deepEqual(recorded.ask(question).map(Buffer.from), sim.ask(question).map(Buffer.from), question);
    }
  }
});

/** Notes the instants of all frames that threads send, and the edits that they show. */
const watched = (page) =>
  page.addInitScript(() => {
    window.frames_seen = [];
    window.Worker = class extends Worker {
      constructor(...how) {
        super(...how);
        this.addEventListener('message', ({ data }) => {
          if (data?.kind !== 'frame') return;
          const { now_us: nowUs, flags } = JSON.parse(new TextDecoder().decode(data.frame));
          window.frames_seen.push({ nowUs, edits: flags.map((flag) => flag.at_us), mode: data.mode });
        });
      }
    };
  });

const engineIsThere = (page) => page.evaluate(() => performance.getEntriesByName('engine').length > 0);

test('with every module blocked the opening plays to the end of its recording, and then says what is missing', async () => {
  const { page, seen, close } = await newPage(site, {
    ...FIRST_VIEW,
    opened: (page) => page.route(WASM, (route) => route.abort()),
  });
  try {
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByText(/^A simulated LLM cluster: four replicas take turns, and /).waitFor();
    await comes(() => page.locator('.calm-figures p').first().innerText(), /\d/);
    await comes(async () => (await clock(page)) > 49, true);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.locator('.page[data-mode="paused"]').waitFor();
    const rests = await clock(page);
    assert.ok(rests < 56, 'the recording is not over');
    assert.equal(await page.getByText('could not start').count(), 0);
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByText('The simulation could not start').waitFor();
    assert.equal(await clock(page), 56);
    assert.equal(await engineIsThere(page), false);
    assert.ok(seen.errors.every((error) => error.includes('ERR_FAILED')));
  } finally {
    await close();
  }
});

test('on a slow link the opening plays at once, and what is asked for early is done when the module has come', async () => {
  const slow = await slowLink();
  const { page, seen, close } = await newPage(
    { browser: site.browser, url: slow.url },
    { ...FIRST_VIEW, opened: watched },
  );
  try {
    await comes(async () => (await clock(page)) > 48.5, true);
    assert.equal(await engineIsThere(page), false);
    await page.getByRole('button', { name: 'Send a burst' }).click();
    await page.getByRole('button', { name: 'Router' }).click();
    await page.getByRole('button', { name: /^Least loaded/ }).click();
    await page.getByText('Loading the simulation').waitFor();
    const pressed = await clock(page);
    const loaded = page.locator('.loading-line b');
    await comes(() => loaded.innerText(), /^[\d,]*[1-9][\d,]* of [\d,]+ KB$/);
    assert.equal(await clock(page), pressed, 'the run stands still until the edit is made');
    await page.waitForFunction(() => performance.getEntriesByName('engine').length > 0);
    await page.getByText(/requests go to the least loaded of four replicas/).waitFor();
    await loaded.waitFor({ state: 'detached' });
    await comes(async () => (await clock(page)) > pressed, true);
    const frames = await page.evaluate(() => window.frames_seen);
    const edits = frames.at(-1).edits;
    // The clock of the first view shows tenths.
    assert.ok(
      edits.some((us) => Math.floor(us / 1e5) === Math.round(pressed * 10)),
      `the burst is at ${pressed} s, where it was asked for: ${edits}`,
    );
    assert.deepEqual(seen.errors, []);
  } finally {
    await close();
    await slow.close();
  }
});

test('the engine takes over while the opening plays, and the clock never goes back', async () => {
  const held = await slowLink({ ...FAST, holds: WASM });
  const { page, close } = await newPage({ ...site, url: held.url }, { ...FIRST_VIEW, opened: watched });
  try {
    await comes(async () => (await clock(page)) > 48.4, true);
    held.release();
    await page.waitForFunction(() => performance.getEntriesByName('engine').length > 0);
    const meets = await clock(page);
    await comes(async () => (await clock(page)) > meets + 1, true);
    const frames = await page.evaluate(() => window.frames_seen);
    const playing = frames.filter((frame) => frame.mode === 'playing').map((frame) => frame.nowUs);
    for (const [i, us] of playing.entries())
      assert.ok(i === 0 || us >= playing[i - 1], `${us} after ${playing[i - 1]}`);
    // Recorded instants are whole tenths, those of the engine are not.
    const first = playing.findIndex((us) => us % 100_000 !== 0);
    assert.ok(first > 3, 'the opening played before');
  } finally {
    await close();
    await held.close();
  }
});

test('a link to a preset says at once what it opens, and its run comes with the module', async () => {
  const held = await slowLink({ ...FAST, holds: WASM });
  const visit = async (link) => {
    const context = await site.browser.newContext({ serviceWorkers: 'block', viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(held.url + link);
    return page;
  };
  const [page, changed] = await Promise.all(['#kv-pressure', '#kv-pressure;t=21'].map(visit));
  try {
    const ahead = page.getByRole('region', { name: 'What the link opens' });
    await ahead.getByRole('heading', { name: 'A KV cache that is too small' }).waitFor();
    await ahead.getByText(/^2 replicas/).waitFor();
    await ahead.getByText(/preempt/).waitFor();
    await page.getByText('Loading the simulation').waitFor();
    // What a link changes of its preset only the module can tell.
    await changed.getByRole('heading', { name: 'From “A KV cache that is too small”' }).waitFor();
    assert.equal(await changed.getByText(/preempt/).count(), 0);
    held.release();
    await page.waitForFunction(() => performance.getEntriesByName('first-frame').length > 0);
    await ahead.waitFor({ state: 'detached' });
    await comes(() => clock(page), 56);
  } finally {
    await Promise.all([page, changed].map((each) => each.context().close()));
    await held.close();
  }
});
