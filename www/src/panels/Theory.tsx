// A law of queueing theory over the charts of the run: which one, what it assumes, and its line. Loaded when it is switched on.
import { createEffect, createSignal, type JSX, on, onCleanup, Show } from 'solid-js';
import { oneAtATime } from '../base/oneAtATime.ts';
import type { Over } from '../charts/plot.ts';
import { font, label } from '../draw/marks.ts';
import type { TheoryOfRun } from '../generated/boundary.ts';
import type { App } from '../state/app.ts';
import { theoryOfRun } from '../state/theory.ts';
import { LawChoice, ViolatedOf } from './TheoryKey.tsx';
import { pieces, placed, strokes } from './theoryLine.ts';

/** While the run goes on the law is asked this often at most, and takes one part in so many of the time. */
const LEAST_MS = 2000;
const SHARE = 20;

export default function Theory(props: { app: App; onOver: (over: Over | undefined) => void }): JSX.Element {
  const app = props.app;
  const [law, setLaw] = createSignal('');
  const [found, setFound] = createSignal<TheoryOfRun>();
  const [failed, setFailed] = createSignal(false);
  let due = 0;
  const ask = oneAtATime(async () => {
    const began = performance.now();
    if (app.mode() !== 'paused' && began < due) return;
    try {
      const outcomes = await app.outcomes();
      setFound(await theoryOfRun({ document: app.document(), outcomes }, law()));
      setFailed(false);
    } catch {
      setFound(undefined);
      setFailed(true);
    }
    due = performance.now() + Math.max(LEAST_MS, SHARE * (performance.now() - began));
  });
  createEffect(on([app.refreshTick, app.playing, law], ask));
  createEffect(() => {
    const now = found();
    props.onOver(now && overOf(now));
  });
  onCleanup(() => props.onOver(undefined));
  return (
    <span class="theory-head">
      <svg class="theory-key" width="18" height="8" viewBox="0 0 18 8" aria-hidden="true">
        <path d="M0 4h18" />
      </svg>
      <LawChoice
        theory={found()?.theory}
        law={law()}
        label="Law of queueing theory"
        onLaw={(next) => {
          due = 0;
          setLaw(next);
        }}
      />
      <Show when={found()} fallback={<Show when={failed()}>no law could be worked out</Show>}>
        {(f) => <ViolatedOf theory={f().theory} />}
      </Show>
    </span>
  );
}

/** Draws the line of a law, its name at its beginning. */
function overOf({ theory, line }: TheoryOfRun): Over {
  const title = theory.laws.find((l) => l.law === theory.chosen)?.title ?? '';
  const values = { 'ttft-over-time': line.ttft_ms, 'e2e-over-time': line.e2e_ms };
  return ({ view, pen, box, palette, range, x, y }) => {
    const of = view === 'ttft-over-time' || view === 'e2e-over-time' ? values[view] : undefined;
    if (!of) return;
    const all = placed(pieces(line.t_s, of, line.violated), range, x, y);
    const first = all[0];
    if (!first) return;
    pen.save();
    pen.beginPath();
    pen.rect(box.x, box.y - 2, box.w, box.h + 4);
    pen.clip();
    pen.strokeStyle = palette.ink;
    pen.lineWidth = 1.5;
    pen.setLineDash([4, 3]);
    for (const violated of [false, true]) {
      pen.globalAlpha = violated ? 0.55 : 1;
      pen.beginPath();
      for (const p of all) {
        if (p.violated !== violated) continue;
        pen.moveTo(...p.from);
        pen.lineTo(...p.to);
      }
      pen.stroke();
    }
    pen.globalAlpha = 1;
    pen.setLineDash([]);
    pen.strokeStyle = palette.ink2;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const [sx, sy] of strokes(all)) {
      pen.moveTo(sx - 2.5, sy + 4);
      pen.lineTo(sx + 2.5, sy - 4);
    }
    pen.stroke();
    pen.restore();
    // The name on ground of its own: the lines of the run would cross it.
    pen.font = font(palette, 11);
    const name = `${title}, mean`;
    const [nx, ny] = [box.x + 4, Math.min(Math.max(first.from[1] - 7, box.y + 9), box.y + box.h - 3)];
    pen.fillStyle = palette.surface;
    pen.fillRect(nx - 2, ny - 9, pen.measureText(name).width + 4, 12);
    label(pen, name, nx, ny, palette.ink, 'left');
  };
}
