// Films the built page for the README: bursts against round robin, then the router is switched. scripts/film calls it.
import { writeFileSync } from 'node:fs';
import { clock, newPage, open, resting } from '../e2e/harness.mjs';
import { animation } from './webp.mjs';

const [, , target] = process.argv;
const [WIDTH, HEIGHT] = [960, 600];
/** The page is laid out for a desk and shown smaller. */
const SCALE = 0.75;
const FRAME_MS = 110;
/** Simulated seconds from one picture to the next, on a machine of any speed. */
const STEP_S = 0.5;
const [BEFORE, CHOOSING, AFTER] = [18, 6, 40];
const LAST_FRAME_MS = 1800;
const QUALITY = 0.42;
const MOST_BYTES = 1_500_000;

/** Takes a number of pictures during the run. */
async function shoot(page, count, pictures) {
  for (let i = 0; i < count; i += 1) {
    const next = (await clock(page)) + STEP_S;
    pictures.push(await page.screenshot());
    while ((await clock(page)) < next) await page.waitForTimeout(10);
  }
}

/**
 * In the browser: the changed part of a picture and its position, as two still WebPs. One has the transparency, the
 * other the colours, including those around the changed part, because lossy colours bleed over edges.
 */
async function changed({ png, quality }) {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const now = context.getImageData(0, 0, width, height);
  const whole = new Uint32Array(now.data.buffer);
  const old = globalThis.before;
  globalThis.before = whole;
  // In units of the squares that the format compresses separately.
  const SIDE = 16;
  const [across, down] = [Math.ceil(width / SIDE), Math.ceil(height / SIDE)];
  const differs = new Uint8Array(across * down);
  for (const [at, pixel] of whole.entries())
    if (pixel !== old?.[at]) differs[Math.floor(at / width / SIDE) * across + Math.floor((at % width) / SIDE)] = 1;
  const near = differs.map((_, at) => {
    const [x, y] = [at % across, Math.floor(at / across)];
    for (let row = Math.max(0, y - 1); row <= Math.min(down - 1, y + 1); row += 1)
      for (let column = Math.max(0, x - 1); column <= Math.min(across - 1, x + 1); column += 1)
        if (differs[row * across + column]) return 1;
    return 0;
  });
  const squares = [...differs.keys()].filter((at) => differs[at]);
  if (squares.length === 0) return undefined;
  const columns = squares.map((at) => at % across);
  const rows = squares.map((at) => Math.floor(at / across));
  const [x, y] = [Math.min(...columns) * SIDE, Math.min(...rows) * SIDE];
  const [w, h] = [
    Math.min(width, (Math.max(...columns) + 1) * SIDE) - x,
    Math.min(height, (Math.max(...rows) + 1) * SIDE) - y,
  ];
  const still = async (shown, background) => {
    const part = new OffscreenCanvas(w, h).getContext('2d');
    part.fillStyle = background;
    part.fillRect(0, 0, w, h);
    for (const at of [...shown.keys()].filter((square) => shown[square])) {
      const [left, top] = [(at % across) * SIDE, Math.floor(at / across) * SIDE];
      part.putImageData(now, -x, -y, left, top, SIDE, SIDE);
    }
    const blob = await part.canvas.convertToBlob({ type: 'image/webp', quality });
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  };
  return { x, y, w, h, shape: await still(differs, 'transparent'), colours: await still(near, 'black') };
}

/** The pictures as parts of an animation; an unchanged one lengthens the previous one. */
async function compressed(browser, pictures) {
  const page = await browser.newPage();
  const parts = [];
  const bytes = (text) => new Uint8Array(Buffer.from(text, 'base64'));
  for (const picture of pictures) {
    const part = await page.evaluate(changed, { png: picture.toString('base64'), quality: QUALITY });
    if (part) parts.push({ ...part, ms: FRAME_MS, shape: bytes(part.shape), colours: bytes(part.colours) });
    else parts.at(-1).ms += FRAME_MS;
  }
  parts.at(-1).ms = LAST_FRAME_MS;
  return parts;
}

const site = await open();
try {
  const viewport = { width: WIDTH / SCALE, height: HEIGHT / SCALE };
  const options = { link: '#router-showdown;t=46', viewport, deviceScaleFactor: SCALE };
  const { page } = await newPage(site, options);
  await resting(page);
  const routing = page
    .getByRole('complementary', { name: 'Scenario' })
    .getByRole('combobox', { name: 'Policy' })
    .nth(1);
  await routing.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  // Slower than the default, so that each picture is close to its instant.
  await page.keyboard.press('[');
  await page.keyboard.press('Space');
  const pictures = [];
  await shoot(page, BEFORE, pictures);
  await routing.click();
  await shoot(page, CHOOSING, pictures);
  await page.getByRole('option', { name: 'Least loaded' }).first().click();
  await shoot(page, AFTER, pictures);
  const parts = await compressed(site.browser, pictures);
  const film = animation(WIDTH, HEIGHT, parts);
  writeFileSync(target, film);
  const seconds = parts.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  console.log(`${target}: ${parts.length} frames, ${seconds.toFixed(1)} s, ${film.length} bytes`);
  if (film.length > MOST_BYTES) throw new Error(`the film has more than ${MOST_BYTES} bytes`);
} finally {
  await site.close();
}
