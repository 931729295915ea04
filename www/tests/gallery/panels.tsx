// The panels with a made-up frame, to view them without the simulator. Never shipped.
import { createSignal } from 'solid-js';
import { render } from 'solid-js/web';
import '../../src/base/theme.css';
import '../../src/base/page.css';
import '../../src/panels/shell/frame.css';
import '../../src/panels/scenario/scenario.css';
import '../../src/panels/inspector/inspector.css';
import '../../src/panels/shell/transport.css';
import '../../src/panels/shell/over.css';
import '../../src/charts/charts.css';
import '../../src/stage/stage.css';
import '../../src/base/narrow.css';
import '../../src/charts/narrow.css';
import '../../src/panels/scenario/narrow.css';
import '../../src/panels/inspector/narrow.css';
import '../../src/panels/shell/narrow.css';
import { trust } from '../../src/base/trust.ts';
import { NO_DATA } from '../../src/base/view.ts';
import { startPainter, type Take } from '../../src/draw/thread/painter.ts';
import type { Candidate } from '../../src/generated/boundary.ts';
import { createPainting } from '../../src/painters/painting.ts';
import { Decision } from '../../src/panels/inspector/Decision.tsx';
import { Inspector } from '../../src/panels/inspector/Inspector.tsx';
import { KeyFigures } from '../../src/panels/shell/KeyFigures.tsx';
import { Transport } from '../../src/panels/shell/Transport.tsx';
import { Stage } from '../../src/stage/Stage.tsx';
import type { App } from '../../src/state/app.ts';
import { dataOf, frameOf } from './synthetic.ts';

startPainter({
  spawn: () => new Worker(new URL('../../src/painters/painter.ts', import.meta.url), { type: 'module' }),
  here: async () => (tell) => trust<Take>(createPainting(tell).take),
});
const query = new URLSearchParams(location.search);
document.documentElement.dataset.theme = query.get('theme') ?? 'dark';
const frame = frameOf(4, 131.25, 1, { pools: true, tier: true });
frame.key.cpu_hit_rate = 0.21;
frame.counts.rejected = 12;
frame.notices = [
  {
    kind: 'no-price',
    path: 'cluster.pools[1].gpu',
    text: 'Pool "small" has no price: what the run cost is not known.',
    remedy: 'give hardware.usd_per_hour',
  },
  {
    kind: 'unfinished',
    path: 'workload',
    text: 'The run ended with 421,410 of 479,109 requests unfinished: 421,000 queued and 410 running. The queues were still growing.',
    remedy: 'lower the rate, or add replicas',
  },
];

const part = (name: string, weight: number, value: number) => ({ name, weight, value, product: weight * value });
const candidate = (replica: number, prefix: number, ttft: number, excluded?: string): Candidate => ({
  replica,
  waiting: 3,
  running: 12,
  in_flight: 15,
  kv_used: 0.4,
  load: 30,
  true_load: 30 + replica,
  score: 0.6 * prefix + 0.4 * ttft,
  chosen: replica === 2,
  parts: excluded === undefined ? [part('recent-ttft', 0.6, prefix), part('recent-tpot', 0.4, ttft)] : [],
  ...(excluded === undefined ? {} : { excluded }),
});
const list = [candidate(2, 0.9, 0.5), candidate(0, 0.5, 0.75), candidate(3, 0, 0, 'wait queue full')];

const [tab, setTab] = createSignal<'request' | 'replica' | 'run' | 'log'>('replica');
const none = (): undefined => undefined;
const known = {
  transport: {
    frame: () => frame,
    throttledFrame: () => frame,
    anomalies: () => [],
    data: () => ({ ...NO_DATA, ...dataOf(4, 131.25) }),
    mode: () => 'paused',
    playing: () => false,
    speed: () => 10,
    speedIndex: () => 5,
    achieved: () => 0,
    refreshTick: () => 0,
    version: () => '0.0.0',
  },
  selection: {
    selected: () => ({ request: undefined, replica: Number(query.get('replica') ?? 0) }),
    rightTab: tab,
    setRightTab: setTab,
    drawer: () => query.has('open'),
    report: () => Promise.resolve({ digest: '0123456789abcdef', json: '{}' }),
  },
  document: { warmUpS: () => 20 },
  studies: {},
  dialogs: {},
  links: {},
};
// Everything else that a panel calls does nothing here.
const slices = Object.entries(known).map(([name, slice]) => [
  name,
  new Proxy(slice, { get: (target, member) => Reflect.get(target, member) ?? none }),
]);
const app = Object.fromEntries(slices) as unknown as App;
if (query.get('tab') === 'run') setTab('run');

function Panels() {
  return (
    <div class="page" data-tab={query.get('phone') ?? 'inspector'}>
      <div class="left" />
      <main class="mid">
        <KeyFigures frame={frame} />
        <section class="stage" aria-label="Stage">
          <Stage
            frame={frame}
            speed={1}
            playing={false}
            selected={{ request: undefined, replica: 2 }}
            onSelect={none}
            reducedMotion
          />
        </section>
        <section class="charts">
          <div style={{ width: '328px', padding: '12px' }}>
            <Decision list={list} onReplica={none} />
          </div>
        </section>
      </main>
      <Inspector app={app} main={false} />
      <Transport app={app} />
    </div>
  );
}

const place = document.getElementById('app');
if (place) render(() => <Panels />, place);
