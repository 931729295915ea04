// Every main view and dialog at six sizes in both themes: axe finds nothing of any impact, no text overlaps another or
// is cut, and the page has no horizontal scroll bar. Without an environment variable six views are checked, and with
// TOKENYARD_TESTS=all every view, each at one size in one theme; these rotate from view to view, so that all sizes and
// themes occur. TOKENYARD_VIEWS=all checks everything, TOKENYARD_VIEWS=NAME the views whose name contains that, and
// TOKENYARD_PICTURES=FOLDER writes a picture of each checked view into a folder.
// Files start in order of their names: this one takes longest, so its name is the first.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newPage, open, part, resting } from './harness.mjs';
import { painted, problems, theme, watchCanvases } from './texts.mjs';
import { SCENES } from './views.mjs';
import { violations } from './violations.mjs';

const SIZES = [
  [1920, 1080],
  [1440, 900],
  [1280, 720],
  [1024, 768],
  [768, 1024],
  [390, 844],
];
const THEMES = ['dark', 'light'];
const WANTED = process.env.TOKENYARD_VIEWS ?? '';
const PICTURES = process.env.TOKENYARD_PICTURES;
/** The most pictures of a scrolling part, from its top. */
const MOST_PAGES = 6;
const NAMES = SCENES.flatMap(({ views }) => views.map((view) => view.name));
/** The views of every run, each at another size: two pages, the form, two tabs and a dialog. */
const FIRST = ['main-chat-4xh100', 'main-scaling', 'form-open', 'request', 'scaling', 'commands'];
/** The views that are checked without TOKENYARD_VIEWS. */
const CHECKED = part(
  'views and dialogs, each at one size in one theme',
  [...FIRST, ...NAMES.filter((name) => !FIRST.includes(name))],
  FIRST.length,
);

/** The sizes and themes at which a view is checked. */
function looks(name) {
  const all = SIZES.flatMap((size) => THEMES.map((of) => [size, of]));
  if (WANTED !== '') return WANTED === 'all' || name.includes(WANTED) ? all : [];
  if (!CHECKED.includes(name)) return [];
  const i = NAMES.indexOf(name);
  // The themes swap from one round to the next.
  const turn = Math.floor(i / SIZES.length);
  return [[SIZES[i % SIZES.length], THEMES[(i + turn) % 2]]];
}

async function picture(page, name, i = 0) {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}${i === 0 ? '' : `-${i}`}.png`) });
}

/** A picture of each further page of a view's scrolling part, and the problems of its texts there. */
async function further(page, view, name) {
  const found = [];
  const inner = page.locator(view.scroll).first();
  for (let i = 1; i < MOST_PAGES; i += 1) {
    const moved = await inner.evaluate((el) => {
      const scrolls = (e) => /auto|scroll/.test(getComputedStyle(e).overflowY) && e.scrollHeight > e.clientHeight + 1;
      let scroller = [el, ...el.querySelectorAll('*')].find(scrolls);
      for (let up = el.parentElement; !scroller && up; up = up.parentElement) if (scrolls(up)) scroller = up;
      if (!scroller) return false;
      const from = scroller.scrollTop;
      scroller.scrollTop += scroller.clientHeight - 24;
      return scroller.scrollTop > from + 8;
    });
    if (!moved) break;
    await painted(page);
    found.push(...(await problems(page, view.part)).out);
    await picture(page, name, i);
  }
  await inner.evaluate((el) => {
    for (let e = el; e; e = e.parentElement) e.scrollTop = 0;
    for (const e of el.querySelectorAll('*')) if (e.scrollTop > 0) e.scrollTop = 0;
  });
  return found;
}

/** Shows a view at the size of the window: its tab on a phone, its drawer on a narrow window. */
async function toFront(page, tab) {
  const tabs = page.getByRole('navigation', { name: 'View' });
  if (tab && (await tabs.isVisible())) await tabs.getByRole('button', { name: tab }).click();
  const drawer = page.getByRole('banner').getByRole('button', { name: 'Inspector', exact: true });
  if (tab !== undefined && (await drawer.isVisible())) {
    const wanted = tab === 'Inspector';
    if (((await drawer.getAttribute('aria-expanded')) === 'true') !== wanted) await drawer.click();
  }
  await painted(page);
}

async function lookAt(page, view) {
  const found = [];
  for (const [[width, height], name] of looks(view.name)) {
    await page.setViewportSize({ width, height });
    await theme(page, name);
    const phone = width <= 720;
    for (const tab of phone ? (view.tabs ?? [undefined]) : [view.tabs?.[0]]) {
      await toFront(page, tab);
      const said = `${view.name}-${width}-${name}${phone && view.tabs?.length > 1 ? `-${tab}` : ''}`;
      await picture(page, said);
      const here = [...(await violations(page)), ...(await problems(page, view.part)).out];
      if (view.scroll && WANTED !== '') here.push(...(await further(page, view, said)));
      found.push(...new Set(here.map((problem) => `${said}: ${problem}`)));
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await painted(page);
  return found;
}

let site;
before(async () => {
  if (PICTURES) mkdirSync(PICTURES, { recursive: true });
  site = await open();
});
after(() => site?.close());

for (const { link = '', prepare, views } of SCENES) {
  const names = views.map((view) => view.name);
  // A view may need the previous ones to be open.
  const last = names.findLastIndex((name) => looks(name).length > 0);
  if (last < 0) continue;
  test(`fits, reads and passes axe: ${names.join(', ')}`, async (t) => {
    try {
      await attempt();
    } catch (error) {
      if (WANTED !== '') throw error;
      t.diagnostic(`second attempt of "${names.join(', ')}", as the first failed: ${error.stack ?? error}`);
      await attempt();
    }
  });
  async function attempt() {
    const { page, seen, close } = await newPage(site, { link });
    try {
      await watchCanvases(page);
      await resting(page);
      await prepare?.(page);
      const found = [];
      for (const view of views.slice(0, last + 1)) {
        try {
          await view.open(page);
          found.push(...(await lookAt(page, view)));
          await view.close?.(page);
        } catch (error) {
          found.push(`${view.name}: ${error}`);
        }
      }
      assert.deepEqual(found, []);
      assert.deepEqual(seen.errors, []);
    } finally {
      await close();
    }
  }
}
