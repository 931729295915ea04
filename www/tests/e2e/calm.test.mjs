// The first view: little on it, three tools, and the rest of the page one key away.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const CALM = { link: '', view: 'calm', plays: true };

/** Waits until the opening instant is there. */
const opened = (page) =>
  page.waitForFunction(() => Number.parseFloat(document.querySelector('.clock')?.innerText ?? '0') >= 48);

/** Text on the page and on its canvases, cut into words. */
const wordsShown = (page) =>
  page.evaluate(() => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement?.closest('script, style, option, .visually-hidden, .skips')) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const { width } = range.getBoundingClientRect();
      const seen = node.parentElement.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      if (width > 0 && node.data.trim() && seen) texts.push(node.data.trim());
    }
    const select = document.querySelector('.speed')?.selectedOptions[0]?.textContent ?? '';
    return [...texts, select].join(' ').split(/\s+/);
  });

/** The fields and section heads of the form, the tabs of panels and the marks of the timeline are direct objects, not controls. */
const OBJECTS = ['.left .f', '.left .sec', '[role=tab]', '.flag-stops'];

/** Counts words, numbers and controls that are seen; what only the Tab key or the pointer shows does not count. */
async function hasAtMost(page, most, objects = []) {
  const words = await wordsShown(page);
  const numbers = words.filter((word) => /\d/.test(word) && !/^r\d|^p\d|#/.test(word));
  const plain = words.filter((word) => /[A-Za-z]{2,}|⌘K/.test(word) && !/^(ms|r\d|p\d\d)$/.test(word));
  const controls = await page
    .locator('button:visible, select:visible, [role=slider]:visible')
    .evaluateAll(
      (all, objects) =>
        all
          .filter(
            (el) =>
              getComputedStyle(el).clipPath === 'none' &&
              el.checkVisibility({ opacityProperty: true }) &&
              !el.closest(objects),
          )
          .map((el) => el.getAttribute('aria-label') ?? el.textContent.trim()),
      OBJECTS,
    );
  assert.ok(plain.length <= most.words, `${plain.length} words: ${plain.join(' ')}`);
  assert.ok(numbers.length <= most.numbers, `${numbers.length} numbers: ${numbers.join(' ')}`);
  assert.ok(controls.length <= most.controls, `${controls.length} controls: ${controls.join(', ')}`);
}

onPage(
  'the first view says what it is and has little on it',
  async (page) => {
    await opened(page);
    await page.keyboard.press('Space');
    assert.match(
      await page.locator('.calm-says').innerText(),
      /^A simulated LLM cluster: four replicas take turns, and /,
    );
    await hasAtMost(page, { words: 60, numbers: 15, controls: 20 });
  },
  CALM,
);

onPage(
  'the whole page has no more on it than it needs',
  async (page) => {
    await opened(page);
    await page.keyboard.press('Space');
    await painted(page);
    await hasAtMost(page, { words: 150, numbers: 45, controls: 34 }, OBJECTS);
  },
  { ...CALM, view: 'work', opened: (page) => page.addInitScript(() => localStorage.setItem('sections', 'Workload')) },
);

onPage(
  'it opens playing, at the second where a replica falls behind',
  async (page) => {
    await opened(page);
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    const seconds = () => page.locator('.clock').innerText().then(Number.parseFloat);
    const first = await seconds();
    assert.ok(first >= 48, `${first} s`);
    await page.waitForFunction(
      (before) => Number.parseFloat(document.querySelector('.clock').innerText) > before,
      first,
    );
  },
  CALM,
);

onPage(
  'W opens the whole page and brings the first view back; the choice stays',
  async (page) => {
    await opened(page);
    await page.keyboard.press('w');
    await page.locator('.kpi').waitFor();
    assert.equal(await page.locator('.calm-head').count(), 0);
    await page.reload();
    await page.locator('.kpi').waitFor();
    await page.keyboard.press('w');
    await page.locator('.calm-says').waitFor();
  },
  CALM,
);

onPage(
  'the edges open the scenario and the inspector, and the stage makes room',
  async (page) => {
    await opened(page);
    const wide = await page.locator('.stage').evaluate((el) => el.clientWidth);
    await page.getByRole('button', { name: 'Scenario' }).click();
    await page.locator('.left').getByRole('tab', { name: 'Form' }).waitFor();
    await page.keyboard.press('y');
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor();
    assert.ok((await page.locator('.stage').evaluate((el) => el.clientWidth)) <= wide - 500);
    await page.getByRole('button', { name: 'Close the scenario' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor({ state: 'detached' });
    assert.equal(await page.locator('.stage').evaluate((el) => el.clientWidth), wide);
  },
  CALM,
);

onPage(
  'another router is two clicks away, and the sentence changes',
  async (page) => {
    await opened(page);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Router' }).click();
    await page.getByRole('button', { name: /^Least loaded/ }).click();
    await page.keyboard.press('Space');
    await page.getByText('requests go to the least loaded of four replicas').waitFor();
  },
  CALM,
);

onPage(
  'a replica that is broken can be mended, and a burst brings requests',
  async (page) => {
    await opened(page);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Break r0' }).click();
    await page.keyboard.press('Space');
    await page.getByText(/r0 is down/).waitFor();
    await page.getByRole('button', { name: 'Mend r0' }).click();
    await page.getByRole('button', { name: 'Break r0' }).waitFor();
    await page.getByRole('button', { name: 'Send a burst' }).click();
    await page.keyboard.press('w');
    await page.getByText('burst', { exact: false }).first().waitFor();
  },
  CALM,
);

onPage(
  'a command that needs the whole page opens it, and W folds it again',
  async (page) => {
    await opened(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('KV: the blocks');
    await page.keyboard.press('Enter');
    await page.locator('.kpi').waitFor();
    await page
      .getByRole('region', { name: /KV|blocks/i })
      .first()
      .waitFor();
    await page.keyboard.press('w');
    await page.locator('.calm-says').waitFor();
  },
  CALM,
);

onPage(
  'a link with a close-up opens the whole page',
  async (page) => {
    await page.locator('.kpi').waitFor();
  },
  { ...CALM, link: '#kv-pressure;t=56;closeup=kv' },
);

onPage(
  'a link with a request opens Why beside the first view',
  async (page) => {
    await page.locator('.calm-says').waitFor();
    await page.getByRole('complementary', { name: 'Inspector' }).getByText('#900').first().waitFor();
  },
  { ...CALM, link: '#slow-replica;t=50;select=request:900' },
);

onPage(
  'axe finds nothing on the first view, folded and open, on a desktop and on a phone',
  async (page) => {
    await opened(page);
    await page.keyboard.press('Space');
    const found = [];
    for (const [width, height, name] of [
      [1440, 900, 'dark'],
      [1024, 768, 'light'],
      [390, 844, 'dark'],
    ]) {
      await page.setViewportSize({ width, height });
      await theme(page, name);
      await painted(page);
      found.push(...(await violations(page)).map((v) => `${width}, ${name}: ${v}`));
      await page.getByRole('button', { name: 'Scenario', exact: true }).click();
      await page.locator('.left').getByRole('tab', { name: 'Form' }).waitFor();
      found.push(...(await violations(page)).map((v) => `${width}, ${name}, scenario: ${v}`));
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.equal(beyond, false, `${width}: nothing is wider than the page`);
      await page.getByRole('button', { name: 'Close the scenario' }).click();
    }
    assert.deepEqual(found, []);
  },
  CALM,
);
