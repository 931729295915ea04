// Legibility: all cut text can be read in full, nothing covers a chart, the system's colours are enough.
import assert from 'node:assert/strict';
import { comes, inspectorTab, preset, resting, seedField, suite } from './harness.mjs';
import { onTabs, painted, SIZES, TABS, watchCanvases } from './texts.mjs';

const onPage = suite();
const scenarioPanel = (page) => page.getByRole('complementary', { name: 'Scenario' });

onPage.long('a closed section shows whole settings or none', async (page) => {
  const panel = scenarioPanel(page);
  for (const title of ['Fleet', 'Admission', 'Routing', 'Workload'])
    await panel.getByRole('button', { name: title, exact: true }).click();
  await panel.locator('.sum').nth(7).waitFor({ state: 'attached' });
  const lines = await panel.locator('.sum').evaluateAll((all) =>
    all.map((line) => {
      const box = line.getBoundingClientRect();
      return [...line.children].map((part) => {
        const { left, right, top, bottom } = part.getBoundingClientRect();
        const inside = top >= box.top - 1 && bottom <= box.bottom + 1;
        return { inside, cut: inside && (left < box.left - 1 || right > box.right + 1) };
      });
    }),
  );
  assert.ok(lines.length >= 8);
  for (const parts of lines) {
    assert.ok(parts.some((p) => p.inside));
    assert.deepEqual(
      parts.filter((p) => p.cut),
      [],
    );
  }
});

onPage('a cut line of the log can be read in full, by pointer and by keyboard', async (page) => {
  await preset(page, 'kv-pressure');
  await inspectorTab(page, 'Log');
  await page.getByLabel('Kind of event').selectOption('anomaly');
  const rows = page.locator('.log-row');
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.log-row .kind')].every((k) => k.textContent === 'anomaly'),
  );
  await rows.nth(10).hover();
  const text = (await rows.nth(10).locator('.txt').textContent()).trim();
  await page.locator('.log-read').filter({ hasText: text }).waitFor();
  await rows.nth(12).focus();
  const first = (await rows.nth(12).locator('.txt').textContent()).trim();
  await page.locator('.log-read').filter({ hasText: first }).waitFor();
  await page
    .locator('.log-read')
    .getByRole('button', { name: /^Open #/ })
    .click();
  await page.getByRole('img', { name: /Waterfall of request/ }).waitFor();
});

onPage('a notice covers neither charts nor timeline', async (page) => {
  const seed = await seedField(page);
  await seed.fill('1.5');
  await seed.press('Enter');
  const notice = page.locator('.notice');
  await notice.waitFor();
  await resting(page);
  const over = await notice.boundingBox();
  for (const other of ['.charts', '.stage', '.scrubber', '.ctl']) {
    const box = await page.locator(other).boundingBox();
    const covers =
      over.x < box.x + box.width &&
      box.x < over.x + over.width &&
      over.y < box.y + box.height &&
      box.y < over.y + over.height;
    assert.ok(!covers, `the notice covers ${other}`);
  }
});

onPage('at every size and on every tab a notice leaves the timeline and its buttons free', async (page) => {
  const seed = await seedField(page);
  await seed.fill('1.5');
  await seed.press('Enter');
  await page.locator('.notice').waitFor();
  const found = [];
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await painted(page);
    await onTabs(page, TABS, async (tab) => {
      const covered = await page.evaluate(() => {
        // If the page itself scrolls, the transport is at its end.
        document.documentElement.scrollTop = document.documentElement.scrollHeight;
        const over = document.querySelector('.notice').getBoundingClientRect();
        return ['.scrubber', '.ctl'].filter((part) => {
          const box = document.querySelector(part).getBoundingClientRect();
          return over.left < box.right && box.left < over.right && over.top < box.bottom && box.top < over.bottom;
        });
      });
      found.push(...covered.map((part) => `${width} × ${height}, ${tab}: the notice lies over ${part}`));
    });
  }
  assert.deepEqual(found, []);
});

onPage.long(
  'with the system’s colours switches, Play and the playhead are still there',
  async (page) => {
    const painted = await page.evaluate(() => {
      const probe = (selector, pseudo) => {
        const style = getComputedStyle(document.querySelector(selector), pseudo);
        return { background: style.backgroundColor, border: style.borderTopWidth };
      };
      const ground = getComputedStyle(document.querySelector('.top')).backgroundColor;
      return {
        ground,
        knob: probe('.sw', '::after').background,
        play: probe('.play').background,
        playhead: probe('.charts-times .playhead').background,
        rim: probe('.sw', '::before').border,
      };
    });
    const { ground, rim, ...marks } = painted;
    for (const [name, colour] of Object.entries(marks)) assert.notEqual(colour, ground, `${name} cannot be seen`);
    assert.equal(rim, '1px');
    // Reduced motion: the screen changes at most twice a second.
    await page.keyboard.press('Space');
    await page.waitForTimeout(1000);
    const changes = await page.evaluate(
      () =>
        new Promise((resolve) => {
          let seen = 0;
          const clock = document.querySelector('.clock');
          new MutationObserver(() => seen++).observe(clock, { characterData: true, subtree: true, childList: true });
          setTimeout(() => resolve(seen), 3000);
        }),
    );
    assert.ok(changes >= 1 && changes <= 2 * 7, `${changes} changes of the clock in 3 s`);
  },
  { forcedColors: 'active', reducedMotion: 'reduce' },
);

onPage('a newcomer without a mouse gets to Play, to a request and back', async (page) => {
  await page.keyboard.press('Tab');
  const focused = () =>
    page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);
  await comes(() => focused(), 'Skip to Play');
  const box = await page.getByRole('button', { name: 'Skip to Play' }).boundingBox();
  assert.ok(box.width > 40 && box.height > 20, 'a way past the form is seen when it has the focus');
  await page.keyboard.press('Enter');
  await comes(() => focused(), 'Play');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await resting(page);
  await page.getByRole('button', { name: 'Skip to the inspector' }).focus();
  await page.keyboard.press('Enter');
  await comes(() => focused(), 'Request');
  await page.getByRole('button', { name: 'latest', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: /Waterfall of request/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'latest', exact: true }).waitFor();
});

onPage('canvases have the font of the page, even if it loads after the first drawing', async (page) => {
  let give;
  const given = new Promise((resolve) => {
    give = resolve;
  });
  await page.route('**/*.woff2', async (route) => {
    await given;
    await route.continue();
  });
  await page.reload();
  await page.waitForFunction(() => performance.getEntriesByName('first-frame').length > 0);
  await resting(page);
  await painted(page);
  give();
  await page.evaluate(() => document.fonts.ready);
  const painter = page.workers().find((worker) => /\/painter-[^/]*\.js$/.test(worker.url()));
  await comes(() => painter.evaluate(() => [...self.fonts].map((face) => face.status)), ['loaded']);
  await watchCanvases(page);
  await page.setViewportSize({ width: 1400, height: 900 });
  await painted(page);
  const texts = await page
    .locator('.stage canvas')
    .first()
    .evaluate((canvas) => window.canvasTexts.get(canvas));
  const name = texts.find(({ text }) => text.startsWith('docum'));
  assert.equal(name?.text, 'documents', 'it is too wide in any other face');
});
