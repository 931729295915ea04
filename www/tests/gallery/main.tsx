// A page with the stage, the charts and the scrubber at the sizes of the real one, fed with made-up frames.
// ?n=4 replicas, ?theme=light, ?tab=charts (phone), ?play=1, ?empty=1, ?pick=1.
import { createSignal, onMount } from 'solid-js';
import { render } from 'solid-js/web';
import '../../src/base/theme.css';
import './gallery.css';
import { type ChartData, NO_DATA, type Selection } from '../../src/base/view.ts';
import { Charts } from '../../src/charts/Charts.tsx';
import { Scrubber } from '../../src/charts/Scrubber.tsx';
import type { Move } from '../../src/generated/boundary.ts';
import { Stage } from '../../src/stage/Stage.tsx';
import { chance, dataOf, frameOf } from './synthetic.ts';

const query = new URLSearchParams(location.search);
const n = Number(query.get('n') ?? 4);
const nowS = Number(query.get('now') ?? 131.25);
document.documentElement.dataset.theme = query.get('theme') ?? 'dark';
document.documentElement.dataset.tab = query.get('tab') ?? 'stage';

function Gallery() {
  const empty = query.has('empty');
  const still = frameOf(n, empty ? 0 : nowS);
  if (empty) still.flags = [];
  const [frame, setFrame] = createSignal(still);
  const [data, setData] = createSignal<ChartData>(
    empty ? NO_DATA : { ...NO_DATA, ...dataOf(n, nowS + Number(query.get('ahead') ?? 0)) },
  );
  const [cursor, setCursor] = createSignal<number | undefined>();
  const [selected, setSelected] = createSignal<Selection>(
    query.has('pick') ? { request: 1223, replica: 2 } : { request: undefined, replica: undefined },
  );
  onMount(() => {
    if (!query.has('play')) return;
    const r = chance(4);
    let t = nowS;
    let request = 2000;
    const costs: number[] = [];
    const tick = (): void => {
      t += 0.016 * Number(query.get('play'));
      const f = frameOf(n, t, 1);
      const moves: Move[] = [];
      if (r() < 0.15) {
        const client = Math.floor(r() * 3);
        request += 1;
        moves.push(
          { at_us: t * 1e6, kind: 'arrive', request, client },
          { at_us: t * 1e6, kind: 'route', request, client, replica: Math.floor(r() * n) },
        );
      }
      f.moves = moves;
      setFrame(f);
      if (Math.floor(t * 4) !== Math.floor((t - 0.016) * 4)) setData({ ...NO_DATA, ...dataOf(n, t) });
      requestAnimationFrame(tick);
    };
    Object.assign(globalThis, { costs });
    tick();
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
          selected={selected()}
          onSelect={setSelected}
          warmUpS={20}
        />
      </section>
      <footer class="gallery-foot">
        <Scrubber
          data={data().health}
          frame={frame()}
          warmUpS={20}
          onSeek={(us) => setFrame({ ...frame(), now_us: us })}
        />
      </footer>
    </div>
  );
}

const app = document.getElementById('app');
if (app) render(() => <Gallery />, app);
