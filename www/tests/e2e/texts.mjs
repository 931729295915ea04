// The visible texts on the page and on its canvases: their positions, overlaps and cuts.
import assert from 'node:assert/strict';
import { part } from './harness.mjs';

/** Screens, a phone held both ways, a tablet, and 1440 × 900 at 200 % and at 400 %: first those of every run. */
const ALL_SIZES = [
  [1440, 900],
  [1024, 768],
  [390, 844],
  [1920, 1080],
  [1280, 720],
  [768, 1024],
  [844, 390],
  [720, 450],
  [360, 225],
];
/** The sizes to check. Shrinking first, as a window does. */
export const SIZES = part('sizes of the window', ALL_SIZES, 3).toSorted((a, b) => b[0] - a[0]);
/** The tabs of a phone, the first one last, so that the page ends as it was. */
export const TABS = ['Charts', 'Scenario', 'Inspector', 'Stage'];

/**
 * From now on canvases record their texts, both those of the page and those drawn by the painter's thread. Redraw
 * before a check, such as by a resize.
 */
export async function watchCanvases(page) {
  await page.evaluate(() => {
    window.canvasTexts = new WeakMap();
  });
  await page.evaluate(writeDown, 'CanvasRenderingContext2D');
  const threads = page.workers().filter((worker) => /\/painter-[^/]*\.js$/.test(worker.url()));
  assert.equal(threads.length, 1, 'the thread that draws');
  for (const thread of threads) await thread.evaluate(writeDown, 'OffscreenCanvasRenderingContext2D');
}

/** In the page or in a thread: each context of this kind records its texts from one clearing to the next. */
function writeDown(kind) {
  const { fillText, clearRect } = globalThis[kind].prototype;
  const onPage = typeof window !== 'undefined';
  let latest;
  globalThis[kind].prototype.clearRect = function (...args) {
    latest = { width: this.canvas.width, texts: [] };
    if (onPage) window.canvasTexts.set(this.canvas, latest.texts);
    else this.canvas.written = latest;
    return clearRect.apply(this, args);
  };
  globalThis[kind].prototype.fillText = function (text, x, y, ...rest) {
    const list = onPage ? window.canvasTexts.get(this.canvas) : this.canvas.written?.texts;
    if (list && text !== '') {
      const m = this.measureText(text);
      const t = this.getTransform();
      list.push({
        text,
        x0: (x - m.actualBoundingBoxLeft) * t.a + t.e,
        x1: (x + m.actualBoundingBoxRight) * t.a + t.e,
        y0: (y - m.actualBoundingBoxAscent) * t.d + t.f,
        y1: (y + m.actualBoundingBoxDescent) * t.d + t.f,
      });
    }
    return fillText.call(this, text, x, y, ...rest);
  };
  if (onPage) return;
  // Runs before the message that a picture is painted: the texts since the last clearing belong to it.
  const { postMessage } = globalThis;
  globalThis.postMessage = (message) => {
    if (message.kind === 'painted') postMessage({ kind: 'texts', sheet: message.sheet, ...latest });
    postMessage(message);
  };
}

/**
 * The problems of visible texts and controls, in words; only in `part`, a selector, if that overlays the rest of the
 * page.
 */
export function problems(page, part = undefined) {
  return page.evaluate((within) => {
    const out = [];
    const root = within === null ? document.body : document.querySelector(within);
    if (!root) return { out: [`nothing is ${within}`], texts: 0 };
    const styles = new Map();
    const styleOf = (el) => {
      let style = styles.get(el);
      if (!style) {
        const s = getComputedStyle(el);
        const clips = s.overflowX !== 'visible' || s.overflowY !== 'visible';
        const scrolls = { x: /auto|scroll/.test(s.overflowX), y: /auto|scroll/.test(s.overflowY) };
        const unseen = s.clipPath !== 'none' || s.opacity === '0';
        style = {
          clips,
          scrolls,
          unseen,
          ellipsis: s.textOverflow === 'ellipsis',
          box: clips ? el.getBoundingClientRect() : undefined,
        };
        styles.set(el, style);
      }
      return style;
    };
    const name = (t) => `"${t.text}" (${[t.x0, t.y0, t.x1, t.y1].map(Math.round).join(' ')})`;
    /** The part of a text inside the boxes that clip it; undefined if it is left out or scrolled away. */
    const seen = (text, from) => {
      const t = { ...text };
      for (let el = from; el && el !== document.documentElement; el = el.parentElement) {
        const s = styleOf(el);
        if (s.unseen) return undefined;
        if (!s.clips || el === document.body) continue;
        const b = s.box;
        if (t.x1 <= b.left + 1 || t.x0 >= b.right - 1 || t.y1 <= b.top + 2 || t.y0 >= b.bottom - 2) return undefined;
        const cutX = !s.scrolls.x && (t.x0 < b.left - 1 || t.x1 > b.right + 1);
        const cutY = !s.scrolls.y && (t.y0 < b.top - 3 || t.y1 > b.bottom + 3);
        if ((cutX && !s.ellipsis) || cutY) out.push(`${name(t)} is cut by ${el.className || el.tagName}`);
        t.x0 = Math.max(t.x0, b.left);
        t.x1 = Math.min(t.x1, b.right);
        t.y0 = Math.max(t.y0, b.top);
        t.y1 = Math.min(t.y1, b.bottom);
      }
      return t;
    };
    const all = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const text = node.textContent.trim();
      const el = node.parentElement;
      if (text === '' || !el.checkVisibility({ visibilityProperty: true }) || el.closest('noscript, option')) continue;
      range.selectNodeContents(node);
      for (const r of range.getClientRects()) {
        // The box of a line is higher than its glyphs.
        const t = seen({ text, node, x0: r.left, x1: r.right, y0: r.top + 2, y1: r.bottom - 2 }, el);
        if (t) all.push(t);
      }
    }
    /**
     * Charts and key figures are whole: their boxes are within all clipping boxes, except for parts that can be
     * scrolled to.
     */
    for (const el of root.querySelectorAll('canvas, .kpi > div')) {
      const { left, right, top, bottom } = el.getBoundingClientRect();
      if (!el.checkVisibility({ visibilityProperty: true }) || right <= left || bottom <= top) continue;
      for (let at = el.parentElement; at && at !== document.body; at = at.parentElement) {
        const { clips, scrolls, box } = styleOf(at);
        if (!clips) continue;
        // A canvas has whole pixels, but its position may be fractional.
        const cutX = !scrolls.x && (left < box.left - 2 || right > box.right + 2);
        const cutY = !scrolls.y && (top < box.top - 2 || bottom > box.bottom + 2);
        const what = el.getAttribute('aria-label') ?? el.parentElement.className;
        if (cutX || cutY) out.push(`${el.tagName} "${what}" is cut by ${at.className || at.tagName}`);
        if (scrolls.x || scrolls.y) break;
      }
    }
    for (const canvas of root.querySelectorAll('canvas')) {
      if (!canvas.checkVisibility({ visibilityProperty: true })) continue;
      const box = canvas.getBoundingClientRect();
      const written = window.canvasTexts.get(canvas) ?? [];
      // The size of a canvas drawn by a thread is known only there.
      const scale = box.width / (written.width ?? canvas.width);
      for (const label of written) {
        const t = { text: label.text };
        t.x0 = box.left + label.x0 * scale;
        t.x1 = box.left + label.x1 * scale;
        t.y0 = box.top + label.y0 * scale;
        t.y1 = box.top + label.y1 * scale;
        if (t.x0 < box.left - 1 || t.x1 > box.right + 1 || t.y0 < box.top - 1 || t.y1 > box.bottom + 1)
          out.push(
            `${name(t)} leaves its canvas (${[box.left, box.top, box.right, box.bottom].map(Math.round).join(' ')})`,
          );
        const left = seen(t, canvas);
        if (left) all.push(left);
      }
    }
    all.sort((a, b) => a.y0 - b.y0);
    all.forEach((a, i) => {
      for (let k = i + 1; k < all.length && all[k].y0 < a.y1 - 1; k++) {
        const b = all[k];
        // A text with an ellipsis has two boxes.
        if (a.node && a.node === b.node) continue;
        if (Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0) > 1) out.push(`${name(a)} on ${name(b)}`);
      }
    });
    const PLACES = ':is(.top, .ctl, .phone-tabs, .bar, .lfoot)';
    const controls = [...root.querySelectorAll(`${PLACES} :is(button, input, [role=slider]), .ctl > *`)]
      .filter((el) => el.checkVisibility({ visibilityProperty: true }) && !styleOf(el).unseen)
      .map((el) => ({ el, box: el.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1);
    controls.forEach(({ el, box }, i) => {
      const called = el.getAttribute('aria-label') || el.className || el.textContent;
      const panel = el.closest('.left, .right')?.getBoundingClientRect() ?? { left: 0, right: innerWidth };
      if (box.left < panel.left || box.right > panel.right + 0.5) out.push(`${called} leaves its panel`);
      for (const other of controls.slice(i + 1)) {
        if (el.contains(other.el)) continue;
        const x = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const y = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (x > 1 && y > 1) out.push(`${called} lies on ${other.el.getAttribute('aria-label') || other.el.className}`);
      }
    });
    const wide = document.documentElement.scrollWidth - innerWidth;
    if (wide > 0) out.push(`the page is ${wide} px too wide`);
    const line = document.querySelector('.scrubber canvas').getBoundingClientRect();
    // As wide as the window, or as the stage where the panels beside it reach to the foot.
    const [stage, foot] = ['.mid', '.foot'].map((of) => document.querySelector(of).getBoundingClientRect().width);
    if (Math.abs(line.width - foot) > 1 || (foot < innerWidth - 1 && Math.abs(foot - stage) > 1))
      out.push(`the timeline is ${line.width} px wide`);
    return { out, texts: all.length };
  }, part ?? null);
}

/** Waits until the page has followed the window, and threads have drawn. */
export function painted(page) {
  return page.evaluate(
    () =>
      new Promise((done) => {
        let quiet = 0;
        let frames = 0;
        const look = () => {
          frames += 1;
          // A picture that waited for the previous one is sent in the next display frame. A playing run never finishes
          // drawing.
          quiet = window.painter.unpainted === 0 ? quiet + 1 : 0;
          if (quiet > 5 || frames > 300) done();
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
  );
}

/** Switches the theme, and waits until the gradual change of button colours has ended. */
export async function theme(page, name) {
  await page.evaluate((t) => (document.documentElement.dataset.theme = t), name);
  await painted(page);
  await page.waitForFunction(() =>
    document.getAnimations().every((a) => !(a instanceof CSSTransition) || a.playState === 'finished'),
  );
}

/** Shows tabs of a phone in turn; elsewhere there is only the page. */
export async function onTabs(page, wanted, look) {
  const tabs = page.getByRole('navigation', { name: 'View' });
  if (!(await tabs.isVisible())) return look('page');
  for (const tab of wanted) {
    await tabs.getByRole('button', { name: tab }).click();
    await painted(page);
    await look(tab);
  }
}
