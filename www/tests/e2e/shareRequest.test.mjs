// A request as something to share: its link, its sentence, its picture and its place in a trace, from the inspector and from the
// list of commands.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { comes, resting, scratch, shareFiles, suite } from './harness.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const permissions = ['clipboard-read', 'clipboard-write'];
const link = '#kv-pressure;run.horizon_s=30;run.warmup_s=5;t=20;select=request:40';
const dialog = (page) => page.getByRole('dialog', { name: 'Share this run' });
const button = (page, name) => dialog(page).getByRole('button', { name, exact: true });
const copied = (page) => page.evaluate(() => navigator.clipboard.readText());

/** The text of the file that a button saves, and its name. */
async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
  const path = join(scratch(), 'saved');
  await download.saveAs(path);
  return { name: download.suggestedFilename(), bytes: readFileSync(path) };
}

onPage(
  'a request is shared from its tab: the link opens with it, the sentence and the picture are those of the tab',
  async (page) => {
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('button', { name: 'Share #40…' }).click();
    const said = (await dialog(page).locator('.say').first().textContent()).trim();
    assert.ok(said.length > 20, said);
    await comes(() => button(page, 'Copy the link').isEnabled(), true);
    assert.deepEqual(await violations(page, 'dialog'), []);
    await button(page, 'Copy the sentence').click();
    await comes(() => copied(page), `#40: ${said}`);
    const picture = await saved(page, 'Save as SVG');
    assert.equal(picture.name, 'request-40.svg');
    const svg = picture.bytes.toString('utf8');
    const parsed = await page.evaluate((text) => {
      const read = new DOMParser().parseFromString(text, 'image/svg+xml');
      const texts = [...read.querySelectorAll('text')].map((it) => it.textContent);
      return { root: read.documentElement.tagName, texts, rects: read.querySelectorAll('rect').length };
    }, svg);
    assert.equal(parsed.root, 'svg');
    assert.ok(parsed.texts.includes('Request #40') && parsed.texts.includes('Prefill'), parsed.texts.join(' · '));
    assert.ok(!svg.includes('var(') && !svg.includes('class='), 'its styles are in it');
    await button(page, 'Copy the link').click();
    await comes(() => copied(page), /^http/);
    const url = await copied(page);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page
      .getByRole('heading', { name: '#40', exact: true })
      .waitFor({ state: 'detached' })
      .catch(() => {});
    await page.evaluate((to) => {
      location.hash = new URL(to).hash;
    }, url);
    await page.getByRole('heading', { name: '#40', exact: true }).waitFor();
  },
  { link, permissions },
);

onPage(
  'the trace of a request holds its time alone, and the commands of a request open its part of the dialog',
  async (page) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('share request');
    await page.keyboard.press('Enter');
    const within = (await dialog(page).getByRole('region', { name: 'Trace' }).locator('.s').textContent()).match(
      /[\d.]+/g,
    );
    const [from, to] = within.map(Number);
    const trace = await saved(page, 'Save trace');
    const { traceEvents } = JSON.parse(gunzipSync(trace.bytes).toString('utf8'));
    const steps = traceEvents.filter(({ ph, name }) => ph === 'X' && /^B \d+ · P \d+$/.test(name));
    assert.ok(steps.length > 3, `${steps.length}`);
    for (const { ts, dur } of steps) assert.ok((ts + dur) / 1e6 >= from - 1e-3 && ts / 1e6 <= to + 1e-3, `${ts}`);
  },
  { link, permissions },
);

onPage(
  'the report, the account of slow requests and configurations are files to share',
  async (page) => {
    await shareFiles(page);
    const account = await saved(page, 'Save why slow requests are slow');
    assert.equal(account.name, 'why-slow.md');
    assert.match(
      account.bytes.toString('utf8'),
      /^# A KV cache that is too small: where the E2E of the slow requests went\n/,
    );
    const report = await saved(page, 'Save the report');
    assert.ok(JSON.parse(report.bytes.toString('utf8')).requests.completed > 0);
    await button(page, 'Take the policy home…').click();
    await page.getByRole('dialog', { name: /policy home/i }).waitFor();
    assert.equal(await dialog(page).count(), 0);
    await resting(page);
  },
  { link },
);
