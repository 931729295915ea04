// What a user takes away of a run: a trace, handed to Perfetto or saved, a page that opens offline, rows, an explanation.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cli, comes, inspectorTab, resting, runFigures, scratch, shareFiles, suite } from './harness.mjs';

const onPage = suite();
const link = '#kv-pressure;run.horizon_s=30;run.warmup_s=5;t=20';
const SHORT = ['kv-pressure', '--set', 'run.horizon_s=30', '--set', 'run.warmup_s=5'];
const button = (page, name) => page.getByRole('button', { name, exact: true });

/** The bytes that a button saves, and the name of their file. */
async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
  const path = join(scratch(), 'saved');
  await download.saveAs(path);
  return { name: download.suggestedFilename(), bytes: readFileSync(path), path };
}

/** What the command line writes for an option, if there is one to compare with. */
function written(t, option, name) {
  const { run, missing } = cli();
  if (!run) {
    t.diagnostic(missing);
    return undefined;
  }
  const path = join(scratch(), name);
  run('run', ...SHORT, option, path);
  return readFileSync(path, 'utf8');
}

onPage(
  'a saved trace has the bytes of the command line',
  async (page, t) => {
    await shareFiles(page);
    const trace = await saved(page, 'Save trace');
    assert.equal(trace.name, 'kv-pressure-perfetto.json.gz');
    const text = gunzipSync(trace.bytes).toString('utf8');
    const { traceEvents } = JSON.parse(text);
    assert.ok(traceEvents.some((event) => event.ph === 'X' && /^B \d+ · P \d+$/.test(event.name)));
    const native = written(t, '--perfetto', 'trace.json');
    if (native !== undefined) assert.ok(text === native, 'other bytes than natively');
    await comes(
      () => page.locator('.perfetto [role=status]').textContent(),
      /^kv-pressure-perfetto\.json\.gz: \d+ KiB/,
    );
  },
  { link },
);

/** A page in place of Perfetto's: it answers, and keeps what it is sent. */
const PERFETTO = `<!doctype html><script>
  window.got = [];
  addEventListener('message', ({ data, source, origin }) => {
    if (data === 'PING') source.postMessage('PONG', origin);
    else got.push(data.perfetto);
  });
</script>`;

onPage(
  'a trace is handed to Perfetto in a tab of its own, in one message',
  async (page) => {
    const context = page.context();
    await context.route('https://ui.perfetto.dev/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: PERFETTO }),
    );
    await shareFiles(page);
    const [tab] = await Promise.all([context.waitForEvent('page'), button(page, 'Open in Perfetto').click()]);
    await tab.waitForFunction(() => window.got.length > 0);
    const got = await tab.evaluate(async () => {
      await new Promise((next) => setTimeout(next, 500));
      const [{ buffer, title, fileName, url }] = window.got;
      return {
        count: window.got.length,
        events: JSON.parse(new TextDecoder().decode(buffer)).traceEvents.length,
        title,
        fileName,
        url,
      };
    });
    assert.ok(got.events > 1000);
    assert.deepEqual(
      [got.count, got.title, got.fileName, got.url],
      [1, 'A KV cache that is too small', 'kv-pressure-perfetto.json', page.url()],
    );
    await comes(() => page.locator('.perfetto [role=status]').textContent(), /^Sent to Perfetto: /);
  },
  { link },
);

onPage(
  'a tab that the browser blocks is reported',
  async (page) => {
    await shareFiles(page);
    await page.evaluate(() => {
      window.open = () => null;
    });
    await button(page, 'Open in Perfetto').click();
    await comes(() => page.locator('.perfetto [role=status]').textContent(), /^The browser blocked the tab\./);
    await button(page, 'Save trace').waitFor();
  },
  { link },
);

onPage(
  'a run saved as HTML opens without anything else, in both themes',
  async (page, t) => {
    await shareFiles(page);
    const html = await saved(page, 'Save as HTML');
    assert.equal(html.name, 'kv-pressure.html');
    const text = html.bytes.toString('utf8');
    const native = written(t, '--html', 'run.html');
    // The page gives its address, the command line the link alone.
    const body = (of) => of.slice(0, of.indexOf('<footer>'));
    if (native !== undefined) assert.ok(body(text) === body(native), 'other bytes than natively');
    assert.ok(text.includes('Open this run</a>'));
    const offline = await page
      .context()
      .browser()
      .newContext({ offline: true, colorScheme: 'dark', javaScriptEnabled: false });
    const reader = await offline.newPage();
    const troubles = [];
    reader.on('console', (message) => troubles.push(message.text()));
    reader.on('request', (request) => troubles.push(...(request.url().startsWith('file:') ? [] : [request.url()])));
    for (const colorScheme of ['dark', 'light']) {
      await reader.emulateMedia({ colorScheme });
      await reader.setContent(text);
      assert.equal(await reader.locator('h1').textContent(), 'A KV cache that is too small');
      assert.equal(await reader.locator('svg').count(), 4);
    }
    assert.deepEqual(troubles, []);
    await offline.close();
  },
  { link },
);

onPage(
  'rows of autoscalers are offered, and the figures of the report stand in the tab',
  async (page) => {
    await shareFiles(page);
    await page.getByRole('combobox', { name: 'Rows of' }).selectOption('Scaling');
    const rows = await saved(page, 'Download');
    assert.equal(rows.name, 'kv-pressure-scaling.csv');
    assert.match(rows.bytes.toString('utf8'), /^time_us,pool,decision,/);
    await page.keyboard.press('Escape');
    await runFigures(page);
    const list = page.locator('.blk', { has: page.getByRole('heading', { name: 'Fairness, cost and caches' }) });
    for (const name of [
      'Preemptions per finished request',
      'Requests with a cached prefix',
      'Variation of load, replicas',
      'Busy GPU-seconds per request',
      'Cost per 1,000 tokens',
    ]) {
      const value = list.locator('div', { has: page.getByText(name, { exact: true }) }).locator('dd');
      assert.match(await value.last().textContent(), /\d/, name);
    }
  },
  { link },
);

onPage(
  'an explanation is copied as the Markdown of the command line',
  async (page, t) => {
    await inspectorTab(page, 'Run');
    await button(page, 'Where did their time go?').click();
    await button(page, 'Explain').last().click();
    await page.locator('.why-said').getByText('on average').waitFor();
    await button(page, 'Copy as Markdown').click();
    await page.getByText('Copied', { exact: true }).waitFor();
    await resting(page);
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(text, /^# A KV cache that is too small: where the E2E of the slow requests went\n/);
    const said = await page.locator('.why-said').textContent();
    for (const sentence of said.split(/(?<=\.) (?=[A-Z])/)) assert.ok(text.includes(sentence.trim()), sentence);
    t.diagnostic(text.split('\n')[2]);
  },
  { link, permissions: ['clipboard-read', 'clipboard-write'] },
);
