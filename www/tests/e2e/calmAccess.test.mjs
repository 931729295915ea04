// A first visit on an enlarged page, with the colours of the system, and with reduced motion.
import assert from 'node:assert/strict';
import { comes, suite } from './harness.mjs';
import { painted } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const CALM = { link: '', view: 'calm', plays: true };

/** Waits until the opening instant is there. */
const opened = (page) =>
  page.waitForFunction(() => Number.parseFloat(document.querySelector('.clock')?.textContent ?? '0') >= 48);

/** The share of an element's pixels that have the ink of text; hatches and grid lines have another. */
async function drawnShare(page, selector) {
  const png = (await page.locator(selector).screenshot()).toString('base64');
  return page.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const pen = new OffscreenCanvas(image.width, image.height).getContext('2d');
    pen.drawImage(image, 0, 0);
    const { data: px } = pen.getImageData(0, 0, image.width, image.height);
    const ground = getComputedStyle(document.querySelector('.top')).backgroundColor.match(/\d+/g).map(Number);
    let drawn = 0;
    for (let i = 0; i < px.length; i += 4) if (ground.every((c, k) => Math.abs(c - px[i + k]) > 200)) drawn += 1;
    return drawn / (px.length / 4);
  }, png);
}

onPage(
  'at 200 % a first visit has the sentence, its tools and Play, and nothing lies beside the page',
  async (page) => {
    await opened(page);
    await page.getByRole('button', { name: 'Pause' }).click();
    for (const [width, height] of [
      [720, 450],
      [960, 540],
    ]) {
      await page.setViewportSize({ width, height });
      await painted(page);
      const inView = async (of) => {
        const { x, y, width: w, height: h } = await of.boundingBox();
        return x >= 0 && y >= 0 && x + w <= width && y + h <= height;
      };
      assert.ok(await inView(page.locator('.calm-says')), `${width}: the sentence is in view`);
      assert.ok(await inView(page.getByRole('button', { name: 'Play', exact: true })), `${width}: Play is in view`);
      for (const name of ['Router', 'burst', 'Break']) {
        const tool = page.locator('.tool').filter({ visible: true }).and(page.getByRole('button', { name })).first();
        await (name === 'Router' ? page.locator('.router-tool') : tool).scrollIntoViewIfNeeded();
      }
      assert.equal(
        await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
        false,
        `${width}: nothing is wider than the page`,
      );
      assert.deepEqual(await violations(page), [], `${width}`);
      await page.locator('.mid').evaluate((el) => el.scrollTo(0, 0));
    }
  },
  { ...CALM, viewport: { width: 720, height: 450 } },
);

onPage(
  'with the system’s colours tools have edges, the playhead is seen, and no band hides the lines',
  async (page) => {
    await opened(page);
    await page.keyboard.press('Space');
    await painted(page);
    const style = (selector) =>
      page
        .locator(selector)
        .first()
        .evaluate((el) => {
          const { backgroundColor, borderTopWidth, borderTopStyle } = getComputedStyle(el);
          return { ground: backgroundColor, edge: `${borderTopWidth} ${borderTopStyle}` };
        });
    const ground = (await style('.top')).ground;
    assert.equal((await style('.tool')).edge, '1px solid');
    assert.equal((await style('.router-tool')).edge, '1px solid');
    for (const part of ['.charts-times .playhead', '.scrubber-line', '.play'])
      assert.notEqual((await style(part)).ground, ground, `${part} cannot be seen`);
    await comes(async () => (await drawnShare(page, '.calm-area .plot')) < 0.15, true);
    assert.deepEqual(await violations(page), []);
  },
  { ...CALM, forcedColors: 'active', colorScheme: 'light' },
);

onPage(
  'with reduced motion a first visit opens at rest, Play has the ring, and loses it when it is pressed',
  async (page) => {
    await opened(page);
    const play = page.locator('.play');
    const ring = () => play.evaluate((el) => getComputedStyle(el).boxShadow !== 'none');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    assert.equal(await page.locator('.clock').innerText(), '48.0 s');
    assert.equal(await page.locator('.speed').evaluate((el) => el.selectedOptions[0].textContent), 'Speed 1×');
    assert.equal(await ring(), true);
    await page.keyboard.press('Space');
    await comes(ring, false);
    await page.waitForFunction(() => Number.parseFloat(document.querySelector('.clock').textContent) > 48);
    await page.keyboard.press('Space');
    await comes(ring, false);
  },
  { ...CALM, reducedMotion: 'reduce' },
);
