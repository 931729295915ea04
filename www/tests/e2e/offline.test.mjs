// The built page without a network, in Chromium.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { comes, long, newPage, open, ROOT, resting, scratch, suite } from './harness.mjs';

const onPage = suite();

onPage(
  'a page that was open once opens again without a network, with its run and parts loaded later',
  async (page) => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(async () => (await navigator.serviceWorker.ready).active?.state === 'activated');
    const kept = await page.evaluate(async () => {
      const caught = (await caches.keys()).map(async (name) => (await caches.open(name)).keys());
      return (await Promise.all(caught)).flat().map(({ url }) => url);
    });
    assert.ok(
      kept.some((url) => /opening-[^/]*\.json$/.test(url)),
      'the recorded opening is kept',
    );
    await page.locator('#time-field').fill('7.5');
    await page.locator('#time-field').press('Enter');
    await page.waitForFunction(() => location.hash === '#chat-4xh100;t=7.5');
    await page.context().setOffline(true);
    await page.reload();
    await page.waitForFunction(() => performance.getEntriesByName('first-frame').length > 0);
    assert.equal(await resting(page), 7.5);
    await page.getByRole('banner').getByRole('button', { name: 'Share' }).click();
    await page.waitForFunction(() => document.querySelector('.share-url')?.value.includes('#chat-4xh100;t=7.5'));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'How true is this?' }).click();
    await page.getByRole('main', { name: 'How true is this?' }).waitFor();
  },
  { serviceWorkers: 'allow' },
);

onPage('the page can be installed: its manifest has its name and existing icons', async (page) => {
  const found = await page.evaluate(async () => {
    const { href } = document.querySelector('link[rel=manifest]');
    const manifest = await (await fetch(href)).json();
    const icons = await Promise.all(manifest.icons.map(async ({ src }) => (await fetch(new URL(src, href))).ok));
    return { manifest, icons };
  });
  assert.equal(found.manifest.name, 'Tokenyard');
  assert.equal(found.manifest.display, 'standalone');
  assert.ok(found.icons.length >= 3 && found.icons.every((ok) => ok));
});

long(test)('a new version is announced, and loaded when the user agrees, with the run at its instant', async () => {
  const served = join(scratch(), 'dist');
  cpSync(join(ROOT, 'dist'), served, { recursive: true });
  const site = await open(served);
  try {
    const { page, seen } = await newPage(site, { serviceWorkers: 'allow' });
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(async () => (await navigator.serviceWorker.ready).active?.state === 'activated');
    await page.locator('#time-field').fill('9.5');
    await page.locator('#time-field').press('Enter');
    await page.waitForFunction(() => location.hash === '#chat-4xh100;t=9.5');
    await page.evaluate(() => {
      window.same = true;
    });
    const worker = join(served, 'sw.js');
    const before = readFileSync(worker, 'utf8');
    const after = before.replace(/const VERSION\s*=\s*(["'`])/, '$&next-');
    assert.notEqual(after, before, 'the service worker begins with its version');
    writeFileSync(worker, after);
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
    const notice = page.getByText(/new version/i);
    await notice.waitFor();
    assert.equal(await page.evaluate(() => window.same), true, 'the page is not loaded again by itself');
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Load it now' }).click()]);
    await page.waitForFunction(() => performance.getEntriesByName('first-frame').length > 0);
    await comes(() => page.evaluate(() => window.same), undefined);
    assert.equal(await resting(page), 9.5);
    assert.deepEqual(seen.errors, []);
  } finally {
    await site.close();
  }
});
