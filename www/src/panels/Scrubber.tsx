// The timeline: health over time, warm-up, what is not simulated yet, edit flags, playhead. Click or arrow keys go there.
import { createEffect, createMemo, createSignal, For, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { getAt } from '../base/json.ts';
import { theme, token } from '../base/theme.ts';
import { clock, plain } from '../base/units.ts';
import type { App } from '../state/app.ts';
import { ticks } from './ticks.ts';

const TOP = 22;
const HEIGHT = 18;

export function Scrubber(props: { app: App }): JSX.Element {
  const app = props.app;
  const [width, setWidth] = createSignal(0);
  const [hoverS, setHoverS] = createSignal<number>();
  let host: HTMLDivElement | undefined;
  let canvas: HTMLCanvasElement | undefined;

  const nowS = createMemo(() => (app.frame()?.now_us ?? 0) / 1e6);
  const endS = createMemo(() => Math.max(1, (app.frame()?.axis_end_us ?? 240e6) / 1e6));
  const margin = createMemo(() => (width() < 720 ? 10 : 16));
  const x = (s: number): number => margin() + ((width() - 2 * margin()) * Math.min(s, endS())) / endS();
  const timeAt = (px: number): number =>
    Math.max(0, Math.min(endS(), ((px - margin()) / (width() - 2 * margin())) * endS()));
  const marks = createMemo(() => ticks(endS(), Math.max(3, Math.floor(width() / 100))));
  const warmupS = createMemo(() => Number(getAt(app.document(), 'run.warmup_s') ?? 0));

  onMount(() => {
    if (!host) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(host);
    onCleanup(() => observer.disconnect());
  });

  createEffect(() => {
    theme();
    const health = app.data().health;
    if (canvas && width() > 0) draw(canvas, width(), { x, nowS: nowS(), endS: endS(), warmupS: warmupS(), health });
  });

  const keys = (event: KeyboardEvent): void => {
    const step = endS() / 100;
    const target: Record<string, number> = {
      ArrowLeft: nowS() - step,
      ArrowRight: nowS() + step,
      PageDown: nowS() - 10 * step,
      PageUp: nowS() + 10 * step,
      Home: 0,
      End: endS(),
    };
    const to = target[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    void app.seek(Math.max(0, Math.min(endS(), to)));
  };

  return (
    <div
      class="scrub"
      ref={host}
      role="slider"
      tabIndex={0}
      aria-label="Timeline"
      aria-valuemin="0"
      aria-valuemax={Math.round(endS())}
      aria-valuenow={Math.round(nowS())}
      aria-valuetext={`${clock(app.frame()?.now_us ?? 0)} of ${plain(endS())} seconds`}
      onKeyDown={keys}
      onPointerMove={(event) => setHoverS(timeAt(event.offsetX))}
      onPointerLeave={() => setHoverS(undefined)}
      onClick={(event) => {
        if (event.target === canvas) void app.seek(timeAt(event.offsetX));
      }}
    >
      <canvas ref={canvas} class="scrub-canvas" />
      <For each={marks()}>
        {(s, i) => (
          <span
            class="tick"
            classList={{ first: i() === 0, last: s === endS() }}
            style={{ left: `${x(s)}px` }}
            aria-hidden="true"
          >
            {plain(s)}
            {i() === marks().length - 1 ? ' s' : ''}
          </span>
        )}
      </For>
      <For each={app.frame()?.flags ?? []}>
        {(flag) => (
          <span
            class="flag"
            classList={{ ahead: !flag.applied }}
            style={{ left: `${Math.min(x(flag.at_us / 1e6), width() - 40)}px` }}
            title={`${clock(flag.at_us)} s: ${flag.label}`}
          >
            {flag.label}
          </span>
        )}
      </For>
      <span class="head" style={{ left: `${x(nowS())}px` }} aria-hidden="true" />
      <Show when={hoverS()}>
        {(s) => (
          <span class="ghost" style={{ left: `${x(s())}px` }} aria-hidden="true">
            {plain(Math.round(s() * 10) / 10)} s
          </span>
        )}
      </Show>
    </div>
  );
}

type Picture = {
  readonly x: (s: number) => number;
  readonly nowS: number;
  readonly endS: number;
  readonly warmupS: number;
  readonly health: { readonly names: readonly string[]; readonly columns: readonly Float64Array[] } | undefined;
};

function draw(canvas: HTMLCanvasElement, width: number, p: Picture): void {
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(54 * scale);
  const g = canvas.getContext('2d');
  if (!g) return;
  g.scale(scale, scale);
  const base = TOP + HEIGHT;
  if (p.warmupS > 0) {
    g.fillStyle = token('--shade');
    g.fillRect(p.x(0), TOP, p.x(p.warmupS) - p.x(0), HEIGHT);
  }
  hatch(g, p.x(p.nowS), p.x(p.endS));
  bars(g, p, base);
  g.fillStyle = token('--line-strong');
  g.fillRect(p.x(0), base, p.x(p.endS) - p.x(0), 1);
}

/** Sparse hatching: not simulated yet. */
function hatch(g: CanvasRenderingContext2D, from: number, to: number): void {
  g.save();
  g.beginPath();
  g.rect(from, TOP, to - from, HEIGHT);
  g.clip();
  g.strokeStyle = token('--line');
  g.beginPath();
  for (let at = from - HEIGHT; at < to; at += 8) {
    g.moveTo(at, TOP + HEIGHT);
    g.lineTo(at + HEIGHT, TOP);
  }
  g.stroke();
  g.restore();
}

/** One bar a bucket: its height is the share of requests that missed an objective. */
function bars(g: CanvasRenderingContext2D, p: Picture, base: number): void {
  const [times, missed, finished] = ['t_s', 'missed_percent', 'finished'].map((name) => {
    const index = p.health?.names.indexOf(name) ?? -1;
    return p.health?.columns[index];
  });
  if (!times || !missed || !finished || times.length === 0) return;
  const gap = times.length > 1 ? (times[1] ?? 1) - (times[0] ?? 0) : 1;
  // Neighbours share a bar where bars would be thinner than two pixels.
  const join = Math.max(1, Math.ceil(2.5 / Math.max(0.01, p.x(gap) - p.x(0))));
  const colours = { met: token('--decode'), risk: token('--warn'), miss: token('--miss') };
  for (let i = 0; i < times.length; i += join) {
    let done = 0;
    let bad = 0;
    for (let k = i; k < Math.min(i + join, times.length); k += 1) {
      const n = finished[k] ?? 0;
      done += n;
      bad += (n * (missed[k] || 0)) / 100;
    }
    if (done === 0) continue;
    const share = bad / done;
    const left = p.x(times[i] ?? 0);
    const right = Math.min(p.x((times[i] ?? 0) + gap * join), p.x(p.nowS));
    g.fillStyle = share < 0.04 ? colours.met : share < 0.15 ? colours.risk : colours.miss;
    const tall = 3 + Math.min(1, share) * (HEIGHT - 3);
    g.fillRect(left, base - tall, Math.max(1, right - left - 1), tall);
  }
}
