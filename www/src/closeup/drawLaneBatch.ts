// Draws the running and the waiting requests of the open replica over the window.
import { count } from '../base/units.ts';
import { DASHES } from '../draw/looks.ts';
import { font, label, labelFrom } from '../draw/marks.ts';
import type { OpenLane } from '../generated/boundary.ts';
import type { LaneScene } from './drawLanes.ts';
import type { Band } from './lanesLayout.ts';

/** The index of the change in force at an instant; −1 before the first. */
export function changeAt(at: readonly number[], us: number): number {
  let found = -1;
  for (let i = 0; i < at.length && (at[i] ?? 0) <= us; i++) found = i;
  return found;
}

export function drawBatch(scene: LaneScene, open: OpenLane, band: Band): void {
  const { pen, p, layout, lanes, view, x } = scene;
  const { plot } = layout;
  const [top, bottom] = [band.y + 22, band.y + band.h - 6];
  const most = Math.max(1, ...open.running, ...open.waiting);
  const y = (n: number): number => bottom - ((bottom - top) * n) / most;
  pen.font = font(p, 12, 600);
  const title = `Batch of r${open.replica}`;
  label(pen, title, 4, band.y + 12, p.ink);
  const end = 4 + pen.measureText(title).width;
  pen.font = font(p, 11);
  label(pen, 'requests', end + 6, band.y + 12, p.ink3);
  const taken = end + 6 + pen.measureText('requests').width;
  for (const n of [most, 0]) {
    label(pen, count(n), plot.x - 6, y(n) + 4, p.ink3, 'right');
    pen.fillStyle = p.line;
    pen.fillRect(plot.x, Math.round(y(n)), plot.w, 1);
  }
  const until = Math.min(lanes.to_us, lanes.now_us);
  const line = (values: readonly number[], ink: string, width: number, dash: number[]): void => {
    pen.strokeStyle = ink;
    pen.lineWidth = width;
    pen.setLineDash(dash);
    pen.beginPath();
    values.forEach((n, i) => {
      const to = x(open.batch_us[i + 1] ?? until);
      if (i === 0) pen.moveTo(x(open.batch_us[0] ?? 0), y(n));
      else pen.lineTo(x(open.batch_us[i] ?? 0), y(n));
      pen.lineTo(Math.max(to, x(open.batch_us[i] ?? 0)), y(n));
    });
    pen.stroke();
    pen.setLineDash(DASHES.solid);
  };
  line(open.waiting, p.ink3, 1.25, DASHES.second);
  line(open.running, p.ink, 1.75, DASHES.solid);
  const i = changeAt(open.batch_us, Math.min(view.cursorUs ?? until, until));
  if (i < 0) return;
  const [running = 0, waiting = 0] = [open.running[i], open.waiting[i]];
  const when = view.cursorUs === undefined ? 'last: ' : '';
  labelFrom(
    pen,
    `${when}running ${count(running)}   waiting ${count(waiting)}`,
    taken,
    plot.x + plot.w,
    band.y + 12,
    p.ink2,
  );
  const right = plot.x + plot.w + 6;
  const [yr, yw] = [y(open.running.at(-1) ?? 0), y(open.waiting.at(-1) ?? 0)];
  const apart = Math.abs(yr - yw) < 13;
  label(pen, 'running', right, Math.min(bottom, apart ? Math.min(yr, yw) - 3 : yr + 4), p.ink);
  label(pen, 'waiting', right, apart ? Math.min(yr, yw) + 10 : yw + 4, p.ink3);
}
