// The lanes and the tab of a step with made-up answers, to view them without the simulator. Never shipped.
import { render } from 'solid-js/web';
import '../../src/base/theme.css';
import '../../src/base/page.css';
import '../../src/panels/shell/frame.css';
import '../../src/panels/inspector/inspector.css';
import '../../src/charts/charts.css';
import { readFrame } from '../../src/base/frameBytes.ts';
import { trust } from '../../src/base/trust.ts';
import { NOTHING } from '../../src/base/view.ts';
import StepPanel from '../../src/panels/inspector/StepPanel.tsx';
import Lanes from '../../src/panels/lanes/Lanes.tsx';
import type { App } from '../../src/state/app.ts';
import { setArea, setChosenStep, setOpenReplica, setTimeWindow } from '../../src/state/view/closeup.ts';
import { setSpan } from '../../src/state/view/span.ts';
import { frameOf } from './synthetic.ts';
import { lanesOf } from './syntheticLanes.ts';

const query = new URLSearchParams(location.search);
document.documentElement.dataset.theme = query.get('theme') ?? 'dark';
const n = Number(query.get('n') ?? 4);
const open = query.has('closed') ? undefined : Number(query.get('open') ?? 2);
const made = lanesOf(n, open, Number(query.get('rows') ?? 55), Number(query.get('still') ?? 0));
const frame = frameOf(n, 131.25);
const kept = query.has('late') ? { ...made, kept_from_us: made.to_us + 5e6, lanes: made.lanes } : made;
const step = {
  ...{ replica: 2, seq: 5758, at_us: 130_254_000, span_us: 184_000 },
  terms: {
    ...{ base_us: 14_700, batch_us: 300, kv_us: 11_000, prefill_us: 158_000 },
    ...{ transfers_us: 0, adapters_us: 0, others_us: 0 },
  },
  shares: [0.08, 0.0016, 0.06, 0.86, 0, 0, 0],
  ...{ decode: 43, context_tokens: 201_876, prompt_tokens: 2005, token_budget: 2048 },
  chunks: [
    { request: 1225, from: 2605, to: 3022, tokens: 417, of: 3022 },
    { request: 1226, from: 848, to: 2436, tokens: 1588, of: 2583 },
  ],
  ...{ running: 45, waiting: 3, kv_used: 12_854, kv_total: 13_104, kv_share: 0.981, without_prefill_us: 25_700 },
  sentence:
    'It took 184 ms. Without the chunks of #1225 and #1226 it would have taken 25.7 ms: 43 answers got their token 158 ms later.',
};
const none = (): undefined => undefined;
const app = trust<App>({
  transport: { frame: () => frame, refreshTick: () => 0, seek: none },
  selection: {
    selected: () => (query.has('pick') ? { request: 1185, replica: undefined } : NOTHING),
    cursorS: () => (query.has('cursor') ? 131.02 : undefined),
    ...{ setCursorS: none, select: none, setRightTab: none, setDrawer: none },
    closeUp: async (kind: string) =>
      kind === 'lanes' ? readFrame(new TextEncoder().encode(JSON.stringify(kept))) : step,
  },
  dialogs: { tell: none },
});
setArea('lanes');
setOpenReplica(open);
setTimeWindow({ fromS: 129.4, toS: 131.5 });
if (query.has('pick')) {
  setChosenStep({ replica: 2, seq: 5712 });
  setSpan({ fromS: 129.75, toS: 130.15, of: 'e2e' });
}
document.body.style.overflow = 'auto';
const wide = innerWidth > 720;
render(
  () => (
    <div style={{ display: 'flex', height: '100vh', 'flex-direction': wide ? 'row' : 'column' }}>
      <div style={{ flex: '1 1 auto', 'min-width': 0, 'min-height': '480px' }}>
        <Lanes app={app} />
      </div>
      <div class="right tab" style={{ width: wide ? '328px' : 'auto', background: 'var(--surface)' }}>
        <StepPanel app={app} />
      </div>
    </div>
  ),
  document.getElementById('app') ?? document.body,
);
