// The view of density with made-up answers, to see it without the simulator. Never shipped.
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
import { startPainter, type Take } from '../../src/draw/thread/painter.ts';
import type { CloseUp } from '../../src/generated/boundary.ts';
import { createPainting } from '../../src/painters/painting.ts';
import Density from '../../src/panels/density/Density.tsx';
import { Inspector } from '../../src/panels/inspector/Inspector.tsx';
import { KeyFigures } from '../../src/panels/shell/KeyFigures.tsx';
import type { App } from '../../src/state/app.ts';
import type { RightTab } from '../../src/state/slices/selection.ts';
import { setBoxes, setMeasure, setTall } from '../../src/state/view/closeup.ts';
import { frameOf } from './synthetic.ts';
import { answerOf } from './syntheticDensity.ts';

// The painter of close-ups has a thread only in the built page: here it draws on the page's own.
Reflect.deleteProperty(HTMLCanvasElement.prototype, 'transferControlToOffscreen');
startPainter({
  spawn: () => new Worker(new URL('../../src/painters/painter.ts', import.meta.url), { type: 'module' }),
  here: async () => (tell) => trust<Take>(createPainting(tell).take),
});
const query = new URLSearchParams(location.search);
document.documentElement.dataset.theme = query.get('theme') ?? 'dark';
const frame = frameOf(4, 131.25);
const [tab, setTab] = createSignal<RightTab>('selection');
const none = (): undefined => undefined;
const isEmpty = query.has('empty');
const known = {
  transport: {
    frame: () => frame,
    writtenFrame: () => frame,
    figuresFrame: () => frame,
    throttledFrame: () => frame,
    anomalies: () => [],
    mode: () => 'paused',
    playing: () => false,
    refreshTick: () => 0,
  },
  selection: {
    selected: () => ({ request: 1040, replica: undefined }),
    rightTab: tab,
    setRightTab: setTab,
    drawer: () => query.has('open'),
    closeUp: async (kind: string, query: unknown) =>
      isEmpty ? undefined : answerOf(trust<CloseUp>({ [kind]: query })),
    closeUps: async (all: readonly CloseUp[]) => (isEmpty ? undefined : all.map(answerOf)),
  },
  document: { warmUpS: () => 20, current: () => ({}) },
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
const measure = query.get('of');
if (measure === 'itl' || measure === 'e2e') setMeasure(measure);
if (query.has('brush')) {
  setBoxes([{ of: 'ttft', from_us: 106e6, to_us: 131_999_999, least_us: 1_101_000, most_us: 4_199_999 }]);
}
setTall(query.has('tall'));

function View() {
  return (
    <div class="page" data-tab={query.get('phone') ?? 'charts'}>
      <div class="left" />
      <main class="mid">
        <KeyFigures frame={frame} />
        <section class="stage" aria-label="Stage" />
        <div class="area" classList={{ tall: query.has('tall') }}>
          <Density app={app} />
        </div>
      </main>
      <Inspector app={app} main={false} />
    </div>
  );
}

const place = document.getElementById('app');
if (place) render(() => <View />, place);
