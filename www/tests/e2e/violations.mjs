// What axe finds wrong with a page, in words.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Everything that axe finds on the page, of whatever impact; in `part` alone, a selector, where one is given. */
export async function violations(page, part = undefined) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource).catch(() => {});
  return page.evaluate(
    async ([within, tags]) => {
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
