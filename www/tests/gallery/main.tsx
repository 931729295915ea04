// A page with the stage, the charts and the scrubber at the sizes of the real one, fed with made-up frames.
// ?charts=names in order, ?scales=1 with replicas over time,
// ?n=4 replicas, ?split=3:5 prefill and decode replicas, ?theme=light, ?tab=charts (phone), ?play=1, ?empty=1, ?pick=1.
import { createSignal, onMount } from 'solid-js';
import { render } from 'solid-js/web';
import '../../src/base/theme.css';
import './gallery.css';
import { trust } from '../../src/base/trust.ts';
import { type ChartData, type ChartsProps, NO_DATA, type RequestMarks, type Selection } from '../../src/base/view.ts';
import { Charts } from '../../src/charts/Charts.tsx';
import DensityStrip from '../../src/charts/DensityStrip.tsx';
import { Scrubber } from '../../src/charts/Scrubber.tsx';
import { startPainter, type Take } from '../../src/draw/thread/painter.ts';
import type { Move } from '../../src/generated/boundary.ts';
import { createPainting } from '../../src/painters/painting.ts';
import { Stage } from '../../src/stage/Stage.tsx';
import { chance, dataOf, densityOf, frameOf } from './synthetic.ts';
import { splitFrameOf } from './syntheticSplit.ts';

startPainter({
  spawn: () => new Worker(new URL('../../src/painters/painter.ts', import.meta.url), { type: 'module' }),
  here: async () => (tell) => trust<Take>(createPainting(tell).take),
});
const query = new URLSearchParams(location.search);
const n = Number(query.get('n') ?? 4);
const nowS = Number(query.get('now') ?? 131.25);
document.documentElement.dataset.theme = query.get('theme') ?? 'dark';
document.documentElement.dataset.tab = query.get('tab') ?? 'stage';

/** The latencies of the selected request. */
const MARKS: RequestMarks = { ttft: { atS: 120, ms: 1940 }, e2e: { atS: 128, ms: 9800 } };

function Gallery() {
  const empty = query.has('empty');
  const look = { pools: query.has('pools'), tier: query.has('tier') };
  const roles = query.get('split')?.split(':').map(Number);
  const still = roles ? splitFrameOf(roles[0] ?? 3, roles[1] ?? 5, roles[2]) : frameOf(n, empty ? 0 : nowS, 1, look);
  if (empty) still.flags = [];
  const [frame, setFrame] = createSignal(still);
  const [data, setData] = createSignal<ChartData>(
    empty ? NO_DATA : { ...NO_DATA, ...dataOf(n, nowS + Number(query.get('ahead') ?? 0)) },
  );
  const [shown, setShown] = createSignal<ChartsProps['window']>();
  const [cursor, setCursor] = createSignal<number | undefined>();
  const [selected, setSelected] = createSignal<Selection>(
    query.has('pick')
      ? { request: roles ? 1071 : 1223, replica: roles ? undefined : 2 }
      : { request: undefined, replica: undefined },
  );
  onMount(() => {
    if (!query.has('play')) return;
    const speed = Number(query.get('play')) || 1;
    // Made beforehand, so that a measurement covers only the drawing.
    const frames = Array.from({ length: 40 }, (_, i) => frameOf(n, nowS, i + 1));
    const sets = Array.from({ length: 12 }, (_, i) => ({ ...NO_DATA, ...dataOf(n, nowS + i) }));
    const r = chance(4);
    const costs: number[] = [];
    Object.assign(globalThis, { costs });
    const channel = new MessageChannel();
    let begun = 0;
    channel.port1.onmessage = () => costs.push(performance.now() - begun);
    let t = nowS;
    let request = 2000;
    let tick = 0;
    const step = (): void => {
      begun = performance.now();
      channel.port2.postMessage(0);
      tick += 1;
      t += 0.016 * speed;
      const moves: Move[] = [];
      if (r() < 0.3) {
        const client = Math.floor(r() * 3);
        request += 1;
        const move = { at_us: t * 1e6, request, client };
        moves.push({ ...move, kind: 'arrive' }, { ...move, kind: 'route', replica: Math.floor(r() * n) });
      }
      const f = frames[query.has('measure') ? tick % frames.length : 0];
      if (f) setFrame({ ...f, now_us: t * 1e6, moves });
      const set = sets[Math.floor(t - nowS) % sets.length];
      if (set && tick % 3 === 0) setData({ ...set });
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  return (
    <div class="gallery">
      <section class="gallery-stage">
        <Stage
          frame={frame()}
          speed={Number(query.get('play') ?? 1)}
          playing={query.has('play')}
          selected={selected()}
          onSelect={setSelected}
          reducedMotion={query.has('calm')}
        />
      </section>
      <section class="gallery-charts">
        <Charts
          data={data()}
          cursorS={cursor()}
          onCursor={setCursor}
          frame={frame()}
          figures={frame()}
          selected={selected()}
          onSelect={setSelected}
          warmUpS={20}
          only={query.get('charts')?.split(',')}
          scales={query.has('scales')}
          window={shown()}
          onWindow={setShown}
          marks={query.has('pick') ? MARKS : undefined}
          strip={(place) => (
            <DensityStrip
              place={place}
              cells={empty ? undefined : densityOf(nowS)}
              frame={frame()}
              warmUpS={20}
              mark={query.has('pick') ? { atS: 120, value: 1940 } : undefined}
              cursorS={cursor()}
              onCursor={setCursor}
              onTable={() => undefined}
            />
          )}
        />
      </section>
      <footer class="gallery-foot">
        <Scrubber
          data={data().health}
          frame={frame()}
          warmUpS={20}
          anomalies={[]}
          onAnomaly={() => undefined}
          onSeek={(us) => setFrame({ ...frame(), now_us: us })}
        />
      </footer>
    </div>
  );
}

const app = document.getElementById('app');
if (app) render(() => <Gallery />, app);
