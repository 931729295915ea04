// Anomalies on the timeline: visible, named, reachable by keyboard, and shown at their beginning.
import assert from 'node:assert/strict';
import { clock, comes, inspectorTab, preset, resting, runFigures, suite, toEnd } from './harness.mjs';

const onPage = suite();
const marks = (page) => page.getByRole('toolbar', { name: /^Anomalies/ }).locator(':scope > button');

async function toTheEnd(page) {
  await preset(page, 'kv-pressure');
  await toEnd(page);
}

onPage('anomalies are separate marks on the timeline that say what happened', async (page) => {
  await preset(page, 'kv-pressure');
  await inspectorTab(page, 'Log');
  await page.getByLabel('Kind of event').selectOption('anomaly');
  await page.locator('.log-row .kind.anomaly').first().waitFor();
  await toTheEnd(page);
  // The marks of the end come with the answer after the last frame.
  await marks(page).nth(1).waitFor();
  const places = await marks(page).evaluateAll((all) => all.map((b) => b.getBoundingClientRect().x));
  assert.ok(places.length >= 2, 'this preset is made to thrash');
  for (let i = 1; i < places.length; i += 1)
    assert.ok(places[i] - places[i - 1] >= 24, `marks ${i - 1} and ${i} overlap`);
  const names = await marks(page).evaluateAll((all) => all.map((b) => b.getAttribute('aria-label')));
  for (const name of names) assert.match(name, /\d s.*(blocking|thrashing|imbalance|inversion|livelock)/);
  await page.getByRole('img', { name: /^Timeline.*anomalies\.$/ }).waitFor();
  await marks(page).first().hover();
  await page.locator('.anomaly-card').getByText('waited for KV blocks').first().waitFor();
  await runFigures(page);
  await page.locator('.right dt').filter({ hasText: 'Head-of-line blocking' }).first().waitFor();
});

onPage('an anomaly is chosen by keyboard, and later ones stay on the timeline', async (page) => {
  await toTheEnd(page);
  // The marks of the end come with the answer after the last frame.
  let before = -1;
  for (let now = 0; before !== now || now === 0; ) {
    before = now;
    await page.waitForTimeout(1500);
    now = await marks(page).count();
  }
  await page.getByRole('slider', { name: 'Time' }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  const name = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  const [, at] = /(\d+\.\d+) s/.exec(name);
  await page.keyboard.press('Enter');
  // One of several is chosen in the list that opens; a single one is shown at once.
  if (/^\d+ anomalies/.test(name)) await page.keyboard.press('Enter');
  await page.waitForFunction((s) => Number(document.querySelector('.clock')?.firstChild.textContent) === s, Number(at));
  await resting(page);
  assert.equal(await clock(page), Number(at));
  await page.getByRole('img', { name: /Waterfall of request/ }).waitFor();
  await page.locator('.right .anomaly-line').first().waitFor();
  await comes(() => marks(page).count(), before);
});

onPage(
  'on a phone marks are as large as a finger',
  async (page) => {
    await preset(page, 'kv-pressure');
    await toEnd(page);
    await marks(page).nth(1).waitFor();
    const boxes = await marks(page).evaluateAll((all) =>
      all.map((b) => b.getBoundingClientRect()).map(({ x, width }) => ({ x, width })),
    );
    assert.ok(boxes.length >= 2);
    boxes.forEach(({ x, width }, i) => {
      assert.ok(width >= 40);
      assert.ok(i === 0 || x - boxes[i - 1].x >= 40);
    });
    await marks(page).first().click();
    const card = await page.locator('.anomaly-card').boundingBox();
    assert.ok(card.x >= 0 && card.x + card.width <= 390, 'the list stays on the screen');
  },
  { viewport: { width: 390, height: 844 } },
);
