// axe finds nothing serious in any view of the built page.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { suite } from './harness.mjs';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const onPage = suite();

for (const colorScheme of ['dark', 'light']) {
  for (const [name, viewport] of [
    ['desktop', { width: 1440, height: 900 }],
    ['phone', { width: 390, height: 844 }],
  ]) {
    onPage(
      `axe finds nothing serious: ${name}, ${colorScheme}`,
      async (page, t) => {
        const tabs = name === 'phone' ? ['Stage', 'Charts', 'Scenario', 'Inspector'] : [''];
        for (const tab of tabs) {
          if (tab) await page.getByRole('navigation', { name: 'View' }).getByRole('button', { name: tab }).click();
          await page.waitForTimeout(200);
          await page.evaluate(axeSource).catch(() => {});
          const found = await page.evaluate(async () => {
            const { violations } = await window.axe.run(document, {
              runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
            });
            return violations.map((v) => ({
              id: v.id,
              impact: v.impact,
              nodes: v.nodes
                .slice(0, 5)
                .map((n) => `${n.target.join(' ')}: ${n.failureSummary?.split('\n')[1]?.trim()}`),
            }));
          });
          const bad = found.filter((v) => v.impact === 'serious' || v.impact === 'critical');
          assert.deepEqual(bad, []);
          t.diagnostic(`${tab || 'page'}: ${found.map((v) => `${v.id} (${v.impact})`).join(', ') || 'nothing at all'}`);
        }
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `the page is ${overflow} px too wide`);
      },
      { colorScheme, viewport },
    );
  }
}
