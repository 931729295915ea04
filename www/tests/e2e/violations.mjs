// The findings of axe on a page, in words.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { part } from './harness.mjs';
import { painted, theme } from './texts.mjs';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** All findings of axe on the page, of any impact; only in `part`, a selector, if given. */
export async function violations(page, part = undefined) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource).catch(() => {});
  return page.evaluate(
    async ([within, tags]) => {
      // A colour on its way is none.
      const still = Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
      await Promise.race([still, new Promise((done) => setTimeout(done, 1000))]);
      const runOnly = within === null ? [...tags, 'best-practice'] : tags;
      const result = await window.axe.run(within ?? document, { runOnly, resultTypes: ['violations'] });
      return result.violations.map((v) => {
        const [node] = v.nodes;
        return `${v.id} (${v.impact}): ${node?.target.join(' ')}: ${node?.failureSummary?.split('\n')[1]?.trim()}`;
      });
    },
    [part ?? null, TAGS],
  );
}

/** The sizes and themes at which a part is checked. */
const LOOKS = part(
  'sizes and themes of a comparison and of a tab of the inspector',
  [
    [1440, 900, 'dark'],
    [390, 844, 'light'],
    [1440, 900, 'light'],
    [1024, 768, 'dark'],
  ],
  2,
);

/** A part of the inspector on a desktop in both themes and on a phone: axe finds nothing, and nothing of `parts` is cut at the side. */
export async function inspectorFits(page, parts) {
  for (const [width, height, name] of LOOKS) {
    if (width === 1024) continue;
    await page.setViewportSize({ width, height });
    if (width < 720)
      await page
        .getByRole('navigation', { name: 'View' })
        .getByRole('button', { name: /^Inspector/ })
        .click();
    await theme(page, name);
    await painted(page);
    assert.deepEqual(await violations(page), [], `${width} × ${height}, ${name}`);
    for (const part of parts) {
      const wide = await page.locator(part).evaluate((t) => t.getBoundingClientRect().right > innerWidth);
      assert.equal(wide, false, `${part}, ${width} × ${height}: nothing is cut at the side`);
    }
  }
}

/** A comparison, race or sweep on a desktop in both themes and on a phone: axe finds nothing, and nothing is cut at the side. */
export async function compareFits(page, also = async () => {}) {
  for (const [width, height, name] of LOOKS) {
    await page.setViewportSize({ width, height });
    await theme(page, name);
    await painted(page);
    assert.deepEqual(await violations(page), [], `${width} × ${height}, ${name}`);
    const wide = await page.evaluate(() => document.querySelector('.compare').scrollWidth > window.innerWidth);
    assert.equal(wide, false, `${width} × ${height}: nothing is cut at the side`);
    await also(width);
  }
}
