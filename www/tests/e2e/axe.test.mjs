// axe finds nothing in any view of the built page, at any size.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { suite } from './harness.mjs';
import { onTabs, painted, SIZES, TABS, theme } from './texts.mjs';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const onPage = suite();

onPage('axe finds nothing at any size, in either theme, on any tab', async (page, t) => {
  await page.evaluate(axeSource).catch(() => {});
  const found = [];
  const runs = SIZES.flatMap((size, i) =>
    size[0] === 1440 || size[0] === 390
      ? [
          [size, 'dark'],
          [size, 'light'],
        ]
      : [[size, i % 2 === 0 ? 'dark' : 'light']],
  );
  for (const [[width, height], name] of runs) {
    await page.setViewportSize({ width, height });
    await theme(page, name);
    await painted(page);
    await onTabs(page, width === 390 ? TABS : ['Stage'], async (tab) => {
      const violations = await page.evaluate(async () => {
        const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
        const result = await window.axe.run(document, { runOnly: tags, resultTypes: ['violations'] });
        return result.violations.map((v) => {
          const [node] = v.nodes;
          return `${v.id} (${v.impact}): ${node?.target.join(' ')}: ${node?.failureSummary?.split('\n')[1]?.trim()}`;
        });
      });
      found.push(...violations.map((v) => `${width} × ${height}, ${name}, ${tab}: ${v}`));
    });
  }
  t.diagnostic(`${runs.length} sizes and themes`);
  assert.deepEqual(found, []);
});
