// Two small pictures of a replica: the cells of its blocks, and how its median TTFT went while it was looked at.
import { createEffect, createMemo, createSignal, Index, type JSX, on, Show } from 'solid-js';
import type { App } from '../../state/app.ts';

/** The swatch of a cell by its letter; free ones have no letter. */
const SWATCHES: Readonly<Record<string, string>> = { u: 'ku', s: 'ks', c: 'kc', h: 'ku' };

/** All cells stand for the same number of blocks; their colours are named below. */
export function BlockCells(props: { readonly cells: string }): JSX.Element {
  return (
    <Show when={props.cells !== ''}>
      <div class="block-cells" aria-hidden="true">
        <Index each={[...props.cells]}>{(letter) => <i class={SWATCHES[letter()] ?? 'kf'} />}</Index>
      </div>
    </Show>
  );
}

const SPAN_US = 60e6;
const WIDTH = 288;
const HEIGHT = 32;
/** Three decades from 10 ms on. */
const LOW_US = 10_000;
const DECADES = 3;

type Point = readonly [nowUs: number, us: number];

/** The points of the last minute with the one of now; none of before if the clock went back. */
export const withPoint = (all: readonly Point[], now: Point): readonly Point[] => [
  ...all.filter(([at]) => at < now[0] && at > now[0] - SPAN_US),
  now,
];

/** Where they are drawn. */
export function trendLine(all: readonly Point[]): string {
  const [nowUs = 0] = all.at(-1) ?? [];
  const y = (us: number): number =>
    HEIGHT * (1 - Math.min(1, Math.max(0, Math.log10(Math.max(us, 1) / LOW_US) / DECADES)));
  return all.map(([at, us]) => `${(WIDTH * (1 - (nowUs - at) / SPAN_US)).toFixed(1)},${y(us).toFixed(1)}`).join(' ');
}

export function TtftTrend(props: { readonly app: Pick<App, 'transport'>; readonly replica: number }): JSX.Element {
  const [points, setPoints] = createSignal<readonly Point[]>([]);
  const id = createMemo(() => props.replica);
  createEffect(on(id, () => setPoints([]), { defer: true }));
  createEffect(() => {
    const frame = props.app.transport.throttledFrame();
    const ttft = frame?.replicas.find((r) => r.id === id())?.ttft;
    if (frame && ttft && ttft.count > 0) setPoints((all) => withPoint(all, [frame.now_us, ttft.p50_us]));
  });
  const line = createMemo(() => trendLine(points()));
  return (
    <Show when={points().length > 1}>
      <figure class="ttft-trend">
        <figcaption>TTFT p50 since it was opened, a minute at most; 10 ms to 10 s, log</figcaption>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
          <polyline points={line()} />
        </svg>
      </figure>
    </Show>
  );
}
