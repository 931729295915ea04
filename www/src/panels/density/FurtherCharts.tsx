// The charts beside those over time that not every run opens with: two distributions, and step time by batch size. Loaded when one of
// them is shown.
import { createEffect, createMemo, createSignal, type JSX, Match, on, Switch, untrack } from 'solid-js';
import type { ChartName } from '../../base/chartList.ts';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { count } from '../../base/units.ts';
import { lastSpan, type ViewColumns } from '../../base/view.ts';
import { Ecdf } from '../../charts/Ecdf.tsx';
import { latestAt } from '../../charts/latestAt.ts';
import { offers } from '../../charts/pictures.ts';
import { ToolsButton } from '../../charts/ToolsButton.tsx';
import type { StepsPart } from '../../closeup/spreadPicture.ts';
import { pagePalette } from '../../draw/palette.ts';
import type { StepPoints } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { askChartTools } from '../../state/view/chartMenu.ts';
import { timeWindow } from '../../state/view/closeup.ts';
import { Sheet } from './HeatMap.tsx';
import { stepColumns, stepsSentence } from './steps.ts';
import './steps.css';

type Props = {
  app: Pick<App, 'transport' | 'selection'>;
  name: ChartName;
  onTable: (data?: ViewColumns) => void;
};

export default function FurtherCharts(props: Props): JSX.Element {
  const transport = props.app.transport;
  const palette = pagePalette();
  const nowUs = (): number => transport.figuresFrame()?.now_us ?? 0;
  const span = (): string => lastSpan(transport.figuresFrame());
  const common = {
    within: 0,
    sloMs: 0,
    measured: [],
    get span() {
      return span();
    },
    get palette() {
      return palette();
    },
    get nowS() {
      return nowUs() / 1e6;
    },
    onTable: () => props.onTable(),
    onTools: askChartTools,
  };
  return (
    <Switch fallback={<Steps {...props} />}>
      <Match when={props.name === 'itl-ecdf'}>
        <Ecdf
          {...common}
          title="ITL"
          things="gaps"
          data={transport.data()['itl-ecdf']}
          tail={transport.figuresFrame()?.key.itl}
          stroke={palette().decode}
          empty={`no second token, ${span()}`}
        />
      </Match>
      <Match when={props.name === 'wait-ecdf'}>
        <Ecdf
          {...common}
          title="Waiting time"
          data={transport.data()['wait-ecdf']}
          tail={latestAt(transport.data()['wait-over-time'], nowUs())}
          stroke={palette().ink}
          empty={`no request in a batch, ${span()}`}
        />
      </Match>
    </Switch>
  );
}

/** The size of the chart in a file. */
const SIZE = { width: 640, height: 360 } as const;
/** A question may take one part in this many of the time. */
const SHARE = 20;

/** The steps of the span on screen, asked for as often as the other charts change. */
function createSteps(app: Props['app']): () => StepPoints | undefined {
  const [points, setPoints] = createSignal<StepPoints>();
  let due = 0;
  const ask = oneAtATime(async () => {
    const began = performance.now();
    if (app.transport.mode() !== 'paused' && began < due) return;
    const shown = timeWindow();
    const { replica } = app.selection.selected();
    const query = {
      from_us: Math.round((shown?.fromS ?? 0) * 1e6),
      // No step is kept beyond the playhead.
      to_us: shown ? Math.round(shown.toS * 1e6) : Number.MAX_SAFE_INTEGER,
      ...(replica !== undefined && { replica }),
    };
    const found = await app.selection.closeUp('points', query).catch(() => undefined);
    setPoints(found);
    due = performance.now() + SHARE * (performance.now() - began);
  });
  const { refreshTick, playing } = app.transport;
  createEffect(on([refreshTick, playing, timeWindow, () => app.selection.selected().replica], ask));
  return points;
}

/** Step time by batch size: one dot for each step, and the line of the latency model. */
function Steps(props: Props): JSX.Element {
  let host: HTMLDivElement | undefined;
  const points = createSteps(props.app);
  const replica = (): number | undefined => props.app.selection.selected().replica;
  const part = createMemo<StepsPart>(() => ({
    part: 'steps',
    points: points(),
    empty: points() ? 'no step in this span' : '',
  }));
  offers({
    title: 'Step time by batch size',
    picture: () => undefined,
    drawn: async () => {
      const { drawSteps } = await import('../../closeup/drawSpread.ts');
      return { ...SIZE, draw: (pen, p) => drawSteps(pen, p, SIZE.width, SIZE.height, untrack(part)) };
    },
    columns: () => untrack(() => stepColumns(points())),
    unit: () => 'ms',
  });
  return (
    <figure class="ecdf paired steps" aria-label={stepsSentence(points(), replica())}>
      <figcaption>
        <b>Step time</b> <i>ms · by batch{replica() === undefined ? '' : `, r${replica()}`}</i>
        <ToolsButton
          title="Step time by batch size"
          onTable={() => props.onTable(stepColumns(points()))}
          onTools={askChartTools}
        />
        <span class="readouts">
          {/* Without room the number wraps below the empty part, and is hidden. */}
          <span />
          <span>{count(points()?.steps ?? 0)} steps</span>
        </span>
      </figcaption>
      <p class="pair-key">
        <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
          <circle cx="4" cy="4" r="2" class="step-dot" />
        </svg>
        <span>decode only</span>
        <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
          <path d="M2 2h4v4H2z" class="step-box" />
        </svg>
        <span>with a chunk</span>
        <svg width="18" height="6" viewBox="0 0 18 6" aria-hidden="true" class="dashed">
          <path d="M0 3h18" />
        </svg>
        <span>model</span>
      </p>
      <div class="ecdf-host" ref={host}>
        <Sheet host={() => host} part={part()} />
      </div>
    </figure>
  );
}
