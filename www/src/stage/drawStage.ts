// The whole stage: its pipes and its replicas, and its state between pictures.

import type { Palette } from '../draw/inks.ts';
import type { Pen } from '../draw/pen.ts';
import { Dots } from './dots.ts';
import { drawCalm } from './drawCalm.ts';
import { drawCards } from './drawCards.ts';
import { drawFleet, drawFleetHead } from './drawFleet.ts';
import { drawFlow, drawPhonePipeline } from './drawFlow.ts';
import { drawTies } from './drawRanks.ts';
import { drawRows } from './drawRows.ts';
import { drawSplit } from './drawSplit.ts';
import { drawStrip } from './drawStrip.ts';
import { present } from './facts.ts';
import { drawGestures, Gestures } from './gestures.ts';
import { Trends } from './history.ts';
import { layoutFor } from './layoutFor.ts';
import type { StageFrame, StageNote, StagePicture } from './picture.ts';
import type { Scene } from './scene.ts';

const DECODER = new TextDecoder();

/** Frees memory at once if the browser can, instead of at garbage collection. */
function free(bytes: Uint8Array | undefined): void {
  const buffer = bytes?.buffer;
  if (buffer instanceof ArrayBuffer) buffer.transfer?.(0);
}

/** The state kept between pictures. */
export class StageMemory {
  readonly trends = new Trends();
  readonly dots = new Dots();
  readonly gestures = new Gestures();
  private written: StageFrame | undefined;
  private latest: { readonly picture: StagePicture; readonly frame: StageFrame } | undefined;

  take(notes: readonly StageNote[], wallMs: number): void {
    for (const { nowUs, offeredPerS, ttftUs, followed } of notes) {
      this.trends.arrivals.push(nowUs, offeredPerS);
      for (const [replica, us] of ttftUs) this.trends.replica(replica).push(nowUs, us);
      if (followed) this.dots.take(followed.moves, nowUs, wallMs, followed.speed);
      else this.dots.clear();
    }
  }

  /** The frame whose numbers are written with this one. */
  toldWith(picture: StagePicture, frame: StageFrame): StageFrame {
    if (picture.written) this.written = picture.written === 'this' ? frame : picture.written;
    return this.written ?? frame;
  }

  /** Dots keep moving on the same picture: its frame is parsed once, and the bytes are then freed. */
  read(picture: StagePicture): StageFrame {
    const { frame, bytes } = picture;
    if (frame) return frame;
    if (this.latest?.picture !== picture) {
      this.latest = { picture, frame: JSON.parse(DECODER.decode(bytes)) };
      free(bytes);
    }
    return this.latest.frame;
  }
}

type Size = { readonly width: number; readonly height: number };

/** Draws the stage; returns whether something on it still moves. */
export function drawStage(
  pen: Pen,
  p: Palette,
  { width, height }: Size,
  picture: StagePicture,
  memory: StageMemory,
): boolean {
  const { request, focus, menu = false, scale, ribbons, flows = false, still = false, router } = picture;
  const { trends, dots, gestures } = memory;
  const frame = memory.read(picture);
  const replicas = present(frame.replicas);
  const layout = layoutFor(width, height, frame, replicas, { calm: picture.calm, tools: menu });
  const wallMs = performance.now();
  const written = memory.toldWith(picture, frame);
  const scene: Scene = {
    pen,
    p,
    frame,
    written,
    replicas,
    layout,
    request,
    focus,
    menu,
    scale,
    trends,
    dots,
    wallMs,
    ribbons,
    flows,
  };
  gestures.take({ nowUs: frame.now_us, replicas, router }, wallMs, still);
  // Before they are drawn: those that have arrived must not stay on the last picture.
  const travels = dots.settle(wallMs) && !ribbons && !layout.split && !layout.strip;
  drawScene(scene);
  const under = gestures.under(wallMs);
  drawGestures(pen, p, scene, under);
  return travels || under.length > 0;
}

/** Draws the parts of the stage that its layout has. */
export function drawScene(scene: Scene): void {
  if (scene.layout.strip) {
    drawStrip(scene, scene.layout.strip);
    return;
  }
  if (scene.layout.split) {
    drawSplit(scene, scene.layout.split);
    return;
  }
  const { calm, rows, narrow, detail } = scene.layout;
  if (calm) drawCalm(scene, calm);
  else if (narrow) drawPhonePipeline(scene);
  else drawFlow(scene);
  drawTies(scene);
  if (rows) drawRows(scene, rows);
  else if (detail === 'rows') drawCards(scene);
  else {
    drawFleetHead(scene);
    drawFleet(scene);
  }
}
