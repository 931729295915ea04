// Lists and pictures that can grow with a run, drawn from made-up data of the largest counts: all of them are bounded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { createServer } from 'vite';
import { ROOT } from './harness.mjs';

/** Most elements of one picture, and of one list with the rows that it shows. */
const MOST = { picture: 500, list: 12_000 };

test('no picture has over 500 elements and no list grows with the run, for the largest counts', async () => {
  const server = await createServer({ root: ROOT, server: { port: 0, host: '127.0.0.1' }, logLevel: 'error' });
  await server.listen();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(`${server.resolvedUrls.local[0]}tests/gallery/bounded.html`);
    await Promise.race([
      page.locator('section.bounded').last().waitFor({ timeout: 120_000 }),
      page.waitForEvent('pageerror', { timeout: 120_000 }).catch(() => {}),
    ]);
    const boxes = await page.locator('section.bounded').evaluateAll((all) =>
      all.map((box) => ({
        name: box.getAttribute('aria-label'),
        list: box.querySelectorAll('*').length,
        picture: Math.max(0, ...[...box.querySelectorAll('svg')].map((svg) => svg.querySelectorAll('*').length)),
      })),
    );
    assert.deepEqual(errors, []);
    assert.ok(boxes.length >= 6, `${boxes.length} boxes`);
    for (const { name, list, picture } of boxes) {
      assert.ok(list > 10, `${name}: nothing is drawn`);
      assert.ok(picture <= MOST.picture, `${name}: a picture of ${picture} elements`);
      assert.ok(list <= MOST.list, `${name}: ${list} elements`);
    }
    const said = await page.getByText(/^and [\d,]+ more$/).count();
    assert.ok(said >= 4, `${said} lists say what is left out`);
  } finally {
    await browser.close();
    await server.close();
  }
});
