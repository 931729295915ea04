// The gateway's queue on the stage: one vessel with a band for each priority, each with its marks and its gauge.
import { count, minus, short } from '../base/units.ts';
import { CHIP, CHIP_GAP, chip, figure, fitted, font, label, labelFrom, roundRect } from '../draw/marks.ts';
import type { BandFrame, GatewayFrame } from '../generated/boundary.ts';
import { type BandMarks, bandMarks } from './bands.ts';
import { holdsBack, retryWords, saturationSaid, waitOf } from './facts.ts';
import type { Box } from './layout.ts';
import type { Scene } from './scene.ts';

/** The saturation at the right end of a gauge: a replica at its limit fills four fifths. */
const GAUGE_TOP = 1.25;
const PAD = { tall: 6, wide: 8 } as const;

/** The vessel with its bands, and the saturation above it. */
export function drawQueue(s: Scene): void {
  const { pen, p, layout, frame } = s;
  const { queue } = layout;
  const now = frame.gateway;
  if (!queue || !now) return;
  const { vessel } = queue;
  drawHead(s, vessel, queue.wide);
  roundRect(pen, vessel.x + 0.5, vessel.y + 0.5, vessel.w - 1, vessel.h - 1, 4);
  pen.fillStyle = p.raised;
  pen.fill();
  pen.lineWidth = 1;
  pen.strokeStyle = p.lineStrong;
  pen.stroke();
  queue.bands.forEach((box, i) => {
    const band = now.bands[i];
    if (!band) return;
    if (i > 0) {
      pen.fillStyle = p.line;
      pen.fillRect(box.x + 1, box.y, box.w - 2, 1);
    }
    drawBand(s, box, band, queue.wide);
  });
}

/** The saturation in a number; above a wide vessel beside the title. */
function drawHead(s: Scene, vessel: Box, wide: boolean): void {
  const { pen, p } = s;
  const { saturation } = toldGateway(s);
  const y = vessel.y - 6;
  pen.font = font(p, 11);
  if (wide) label(pen, 'Gateway queue', vessel.x, y, p.ink3);
  else {
    label(pen, 'Gateway queue', vessel.x + vessel.w / 2, 19, p.ink3, 'center');
    label(pen, 'saturation', vessel.x, y, p.ink3);
  }
  const value = saturationSaid(saturation);
  pen.font = font(p, 11, 600);
  const right = vessel.x + vessel.w;
  label(pen, value, right, y, p.ink, 'right');
  const room = right - pen.measureText(value).width - 4;
  pen.font = font(p, 11);
  if (wide) label(pen, 'saturation', room, y, p.ink3, 'right');
}

function drawBand(s: Scene, box: Box, band: BandFrame, wide: boolean): void {
  const written = toldGateway(s).bands.find((b) => b.priority === band.priority) ?? band;
  const marks = bandMarks(box, wide);
  if (wide) drawWideWords(s, box, written);
  else drawTallWords(s, box, written, marks);
  const shown = band.queue.slice(0, Math.min(band.waiting, marks.columns * marks.rows));
  shown.forEach((c, i) => {
    const x = marks.x + (i % marks.columns) * (CHIP + CHIP_GAP);
    const y = marks.y + Math.floor(i / marks.columns) * (CHIP + CHIP_GAP);
    chip(s.pen, s.p, x, y, c.client, false, c.request === s.request, c.retried);
  });
  drawGauge(s, box, band, wide ? PAD.wide : PAD.tall);
}

/** Room for a number of up to four characters before which the title ends, whatever the number is. */
const COUNT = 24;

/** The classes of a band and, with room, its priority. */
function drawTitle(s: Scene, band: BandFrame, x: number, y: number, room: number): void {
  const { pen, p } = s;
  const priority = minus(band.priority);
  const classes = band.classes.join(', ') || 'band';
  pen.font = font(p, 11);
  const end = pen.measureText(classes).width + 4;
  const whole = end + pen.measureText(priority).width <= room;
  label(pen, whole ? classes : fitted(pen, classes, room), x, y, p.ink2);
  if (whole) label(pen, priority, x + end, y, p.ink3);
}

function drawTallWords(s: Scene, box: Box, band: BandFrame, { wordsY, beside }: BandMarks): void {
  const { pen, p } = s;
  const right = box.x + box.w - PAD.tall;
  const left = box.x + PAD.tall;
  pen.font = font(p, 11, 600);
  label(pen, short(band.waiting), right, box.y + 13, band.waiting > 0 ? p.ink : p.ink3, 'right');
  drawTitle(s, band, left, box.y + 13, right - COUNT - left);
  if (wordsY === undefined || band.waiting === 0) return;
  if (!beside) label(pen, 'longest', left, wordsY, p.ink3);
  label(pen, waitOf(band), right, wordsY, p.ink2, 'right');
}

function drawWideWords(s: Scene, box: Box, band: BandFrame): void {
  const { pen, p } = s;
  const y = box.y + 14;
  const right = box.x + box.w - PAD.wide;
  pen.font = font(p, 11);
  const wait = band.waiting > 0 ? waitOf(band) : '';
  label(pen, wait, right, y, p.ink2, 'right');
  // The count has its place, whatever the wait is.
  figure(pen, p, [small(band.waiting), 'waiting'], right - 112, y, right - pen.measureText(wait).width - 4);
  const phone = bandMarks(box, true).y > y;
  const room = phone ? right - 118 - box.x - PAD.wide : 84;
  drawTitle(s, band, box.x + PAD.wide, y, room);
}

/** The saturation as a bar, the ceiling as a line across it; a band that holds back is amber, and its outlet is shut. */
function drawGauge(s: Scene, box: Box, band: BandFrame, pad: number): void {
  const { pen, p } = s;
  const { saturation } = s.frame.gateway ?? { saturation: 0 };
  const [x, w, y] = [box.x + pad, box.w - 2 * pad, box.y + box.h - 6];
  const shut = holdsBack(saturation, band);
  const at = (share: number): number => w * Math.min(1, Math.max(0, share / GAUGE_TOP));
  pen.fillStyle = p.kvFree;
  pen.fillRect(x, y, w, 3);
  pen.fillStyle = shut ? p.warn : p.ink2;
  pen.fillRect(x, y, at(saturation), 3);
  pen.fillStyle = p.ink;
  pen.fillRect(Math.round(x + Math.min(w - 1, at(band.ceiling))), y - 2, 1, 7);
  if (!shut) return;
  pen.fillStyle = p.warn;
  pen.fillRect(box.x + box.w - 3, box.y + 3, 3, box.h - 6);
}

/** What is refused, and what is on its way or held otherwise, below the vessel. */
export function drawBelowQueue(s: Scene): void {
  const { pen, p, layout } = s;
  const vessel = layout.queue?.vessel;
  if (!vessel) return;
  const { rejected, in_pipeline, held } = s.written.counts;
  const queued = toldGateway(s).bands.reduce((sum, band) => sum + band.waiting, 0);
  const y = vessel.y + vessel.h + 14;
  pen.font = font(p, 11);
  const refused = `${small(rejected)} refused`;
  label(pen, refused, vessel.x, y, rejected > 0 ? p.missText : p.ink3);
  const others = Math.max(0, held - queued);
  const words = others > 0 ? `${small(others)} held` : `${small(Math.max(0, in_pipeline - held))} on the way`;
  labelFrom(pen, words, vessel.x + pen.measureText(refused).width, vessel.x + vessel.w, y, p.ink3);
  label(pen, retryWords(s.written), vessel.x, y + 14, p.missText);
}

const toldGateway = (s: Scene): GatewayFrame => s.written.gateway ?? s.frame.gateway ?? { saturation: 0, bands: [] };

/** Exact up to four digits, then short. */
const small = (x: number): string => (x < 10_000 ? count(x) : short(x));
