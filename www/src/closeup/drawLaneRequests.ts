// Draws the requests of the open replica, each in its row; too many of them as a strip of density.
import { DASHES, PHASES, REQUESTS, type RequestLook } from '../draw/looks.ts';
import { font, label, labelFrom, lineOf } from '../draw/marks.ts';
import type { LaneRequest, OpenLane } from '../generated/boundary.ts';
import type { LaneScene } from './drawLanes.ts';
import type { Requests } from './lanesLayout.ts';

/** Columns of the strip of density, in pixels. */
const COLUMN = 3;

export function drawRequests(scene: LaneScene, open: OpenLane, band: Requests): void {
  const { pen, p } = scene;
  const all = open.count;
  const { area } = scene.layout;
  if (band.y >= area.y && band.y + 30 <= area.y + area.h) {
    pen.font = font(p, 11, 600);
    label(pen, String(all), 4, band.y + 14, p.ink);
    pen.font = font(p, 11);
    label(pen, 'reqs', 4, band.y + 27, p.ink3);
  }
  if (all === 0) {
    labelFrom(pen, 'no request here', 0, scene.layout.plot.x + 100, band.y + 14, p.ink3);
    return;
  }
  if (band.row === 0) {
    drawStrip(scene, open, band);
    return;
  }
  for (const request of open.requests) drawRequest(scene, request, band);
  drawStepLines(scene, open, band);
  const chosen = open.requests.find((r) => r.request === scene.view.request);
  if (chosen) drawChosen(scene, chosen, band);
  if (open.more > 0) {
    const text = `${open.more} more`;
    labelFrom(pen, text, 0, scene.layout.plot.x + scene.layout.plot.w, band.y + band.h - 3, p.ink3);
  }
}

function drawRequest({ pen, p, lanes, x }: LaneScene, request: LaneRequest, band: Requests): void {
  const y = band.y + request.row * band.row;
  const thick = Math.max(1, band.row - 2);
  for (const part of request.parts) {
    const [x0, x1] = [x(part.from_us), x(part.to_us)];
    const w = Math.max(0.5, x1 - x0);
    const { look } = PHASES[part.kind];
    const { ink, hollow, dash } = REQUESTS[look];
    pen.globalAlpha = part.from_us >= lanes.now_us ? 0.38 : 1;
    if (!hollow) {
      const h = look === 'prefill' ? thick : Math.max(1, thick - (band.row >= 6 ? 2 : 0));
      pen.fillStyle = p[ink];
      pen.fillRect(x0, y + (thick - h) / 2, w, h);
      continue;
    }
    pen.strokeStyle = p[ink];
    pen.lineWidth = 1;
    pen.setLineDash(dash);
    if (thick < 3) {
      pen.fillStyle = pen.strokeStyle;
      pen.fillRect(x0, y + thick / 2 - 0.5, w, 1);
    } else pen.strokeRect(x0 + 0.5, y + 0.5, Math.max(0, w - 1), thick - 1);
    pen.setLineDash(DASHES.solid);
  }
  pen.globalAlpha = 1;
}

/** The steps cut the bars of decoding requests into tokens, where a step is wide enough to be seen. */
function drawStepLines({ pen, p, lanes, layout, x }: LaneScene, open: OpenLane, band: Requests): void {
  const steps = lanes.lanes[open.replica]?.steps;
  const least = 4;
  if (!steps || steps.steps.some((n) => n > 1)) return;
  pen.fillStyle = p.surface;
  let last = layout.plot.x;
  for (const at of steps.at_us) {
    const here = x(at);
    if (here - last < least) continue;
    pen.fillRect(here - 0.5, band.y, 1, band.h - 6);
    last = here;
  }
}

/** A line from its mark at the router to its row, the row outlined, and dots up to its first chunk. */
function drawChosen({ pen, p, lanes, layout, x }: LaneScene, request: LaneRequest, band: Requests): void {
  const y = band.y + request.row * band.row;
  const h = Math.max(2, band.row - 1);
  const [x0, x1] = [x(request.from_us), x(request.to_us)];
  pen.strokeStyle = p.accent;
  pen.lineWidth = 1.5;
  pen.strokeRect(x0 - 0.5, y - 1, Math.max(3, x1 - x0 + 1), h + 1);
  if (request.from_us >= lanes.from_us) {
    pen.beginPath();
    pen.moveTo(x0, layout.router.y + layout.router.h / 2);
    pen.lineTo(x0, y - 1);
    pen.stroke();
  }
  const first = request.first_step_us;
  if (first !== null && first >= lanes.from_us && first <= lanes.to_us) {
    lineOf(pen, p, 'first-step', { from: [x(first), band.y - 4], to: [x(first), y - 1] });
  }
  // Below the count of requests, which stands at the top.
  pen.font = font(p, 11);
  const base = Math.max(band.y + 41, y + h);
  const { area } = layout;
  if (base > area.y + 10 && base < area.y + area.h) label(pen, `#${request.request}`, 4, base, p.accent);
}

/** How many requests waited, prefilled and decoded at each place. */
function drawStrip({ pen, p, layout, x }: LaneScene, open: OpenLane, band: Requests): void {
  const columns = Math.max(1, Math.ceil(layout.plot.w / COLUMN));
  const looks: readonly RequestLook[] = ['decode', 'prefill', 'preempted', 'waiting'];
  const counts = looks.map(() => new Float64Array(columns));
  const column = (us: number): number => Math.min(columns - 1, Math.floor((x(us) - layout.plot.x) / COLUMN));
  for (const request of open.requests)
    for (const part of request.parts) {
      const into = counts[looks.indexOf(PHASES[part.kind].look)];
      for (let c = column(part.from_us); into && c <= column(part.to_us); c++) into[c] = (into[c] ?? 0) + 1;
    }
  const sum = (c: number): number => counts.reduce((all, of) => all + (of[c] ?? 0), 0);
  let most = 1;
  for (let c = 0; c < columns; c++) most = Math.max(most, sum(c));
  for (let c = 0; c < columns; c++) {
    let y = band.y + band.h - 6;
    looks.forEach((look, i) => {
      const h = ((band.h - 8) * (counts[i]?.[c] ?? 0)) / most;
      pen.fillStyle = p[REQUESTS[look].ink];
      pen.fillRect(layout.plot.x + c * COLUMN, y - h, COLUMN, h);
      y -= h;
    });
  }
}
