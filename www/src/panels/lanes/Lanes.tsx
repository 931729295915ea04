// Lanes: the steps of every replica on one clock, the requests of one of them, and the routing between them. Loaded when it is opened.
import {
  createEffect,
  createMemo,
  createSignal,
  For,
  type JSX,
  lazy,
  onCleanup,
  onMount,
  Show,
  Suspense,
  untrack,
} from 'solid-js';
import { serverName } from '../../base/servers.ts';
import { count } from '../../base/units.ts';
import { describeLanes } from '../../closeup/drawLanes.ts';
import { type LaneGroup, lanesLayout, scrolledTo } from '../../closeup/lanesLayout.ts';
import type { LanesPicture, LanesView } from '../../closeup/lanesPicture.ts';
import { closeUpPainter } from '../../closeup/painter.ts';
import { attachSurface, type Surface } from '../../draw/canvas.ts';
import { pagePalette } from '../../draw/palette.ts';
import { createThrottled } from '../../draw/throttled.ts';
import type { ServerFrame } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { chosenStep, openReplica, setOpenReplica } from '../../state/view/closeup.ts';
import { span } from '../../state/view/span.ts';
import { followSelection } from '../parts/followSelection.ts';
import { PerfettoButtons } from '../parts/PerfettoButtons.tsx';
import { ToolRow } from '../parts/ToolRow.tsx';
import { createLaneActions } from './laneActions.ts';
import { createLaneData } from './laneData.ts';
import { KEYS_SAY, laneAction, SHOWN_KEYS } from './laneKeys.ts';
import { pointsAt } from './lanePointer.ts';
import { createLanesWindow } from './lanesWindow.ts';
import './lanes.css';

const LanesTable = lazy(() => import('./LanesTable.tsx'));

/** The brushed span, which a trace is of; undefined for the whole run. */
function brushedUs(): readonly [number, number] | undefined {
  const brushed = span();
  return brushed && [Math.round(brushed.fromS * 1e6), Math.round(brushed.toS * 1e6)];
}

/** Servers with the lanes of their ranks. */
const groupsOf = (servers: readonly ServerFrame[] = []): readonly LaneGroup[] =>
  servers.map((server) => ({
    words: `${serverName(server)}, ${server.pool}: ${count(server.ranks.length)} ranks in lock step`,
    replicas: server.ranks.map((rank) => rank.replica),
  }));

export default function Lanes(props: { app: App }): JSX.Element {
  const app = props.app;
  const [size, setSize] = createSignal<readonly [number, number]>([0, 0], {
    equals: (a, b) => a[0] === b[0] && a[1] === b[1],
  });
  const [scroll, setScroll] = createSignal(0);
  const [table, setTable] = createSignal(false);
  const frame = createThrottled(() => app.transport.frame(), 250);
  const nowS = (): number => (frame()?.now_us ?? 0) / 1e6;
  const endS = (): number => Math.max(0.02, (frame()?.axis_end_us ?? 0) / 1e6);
  const window = createLanesWindow(nowS, endS);
  if (openReplica() === undefined) setOpenReplica(app.selection.framed() ?? 0);
  followSelection(app.selection, setOpenReplica);
  const replicas = (): number => frame()?.replicas.length ?? 0;
  const open = (): number | undefined => {
    const one = openReplica();
    return one !== undefined && one < replicas() ? one : undefined;
  };
  const groups = createMemo((): readonly LaneGroup[] => groupsOf(frame()?.servers), undefined, {
    equals: (a, b) => JSON.stringify(a) === JSON.stringify(b),
  });
  /** Rows that the requests of the latest answer take. */
  const [rows, setRows] = createSignal(0);
  const layout = createMemo(() =>
    lanesLayout(...size(), {
      ...{ replicas: replicas(), groups: groups(), open: open(), rows: rows(), scroll: scroll() },
    }),
  );
  const { lanes, takeBytes } = createLaneData(app, window, () => {
    const shown = layout().lanes.map((band) => band.replica);
    const [first, last] = shown.length > 0 ? [Math.min(...shown), Math.max(...shown)] : [0, 0];
    return { slices: Math.max(1, Math.floor(layout().plot.w)), first, count: last - first + 1, open: open() };
  });
  createEffect(() => setRows(lanes()?.open?.rows ?? 0));
  const actions = createLaneActions(app, window, lanes, layout);
  createEffect(() => {
    const one = open();
    if (one === undefined) return;
    const counts = { replicas: replicas(), groups: groups(), open: one, rows: 0, scroll: untrack(scroll) };
    setScroll(scrolledTo(...size(), counts, one));
  });

  const view = createMemo((): LanesView => {
    const [brushed, cursorS] = [span(), app.selection.cursorS()];
    return {
      endUs: endS() * 1e6,
      open: open(),
      scroll: layout().scroll,
      groups: groups(),
      cursorUs: cursorS === undefined ? undefined : cursorS * 1e6,
      span: brushed && { fromUs: brushed.fromS * 1e6, toUs: brushed.toS * 1e6 },
      step: chosenStep(),
      request: app.selection.selected().request,
    };
  });
  const key = (event: KeyboardEvent): void => {
    const action = laneAction(event);
    if (action === undefined || (action === 'leave' && !actions.leaves())) return;
    event.preventDefault();
    event.stopPropagation();
    actions.act(action);
  };
  const hidden = (): boolean => {
    const now = lanes();
    return now !== undefined && now.kept_from_us >= now.to_us;
  };
  return (
    <section class="closeup lanes" aria-label="Lanes">
      <ToolRow>
        <span class="lane-keys" aria-hidden="true">
          <For each={SHOWN_KEYS}>
            {([keys, does]) => (
              <span>
                <For each={keys}>{(one) => <kbd>{one}</kbd>}</For> {does}
              </span>
            )}
          </For>
        </span>
        <span class="grow" />
        <Show when={!window.follows()}>
          <button type="button" class="btn box" onClick={window.follow}>
            Follow the playhead
          </button>
        </Show>
        <button type="button" class="btn box" aria-expanded={table()} onClick={() => setTable(!table())}>
          Table
        </button>
        <PerfettoButtons app={app} spanUs={brushedUs} />
      </ToolRow>
      <div class="lanes-body">
        <LanesCanvas
          label={describeLanes(lanes(), lanes()?.open, groups())}
          view={view}
          changed={lanes}
          takeBytes={takeBytes}
          onSize={setSize}
          onKey={key}
          attach={(el) =>
            pointsAt(el, {
              ...{ lanes, layout, window, actions },
              onCursor: app.selection.setCursorS,
              onScroll: (by) => setScroll(Math.min(layout().mostScroll, Math.max(0, layout().scroll + by))),
            })
          }
        />
        <Show when={hidden()}>
          <NotKept
            app={app}
            keptFromUs={lanes()?.kept_from_us ?? 0}
            toUs={lanes()?.to_us ?? 0}
            onFollow={window.follow}
          />
        </Show>
        <Show when={table()}>
          <Suspense>
            <LanesTable
              lanes={lanes()}
              onChoose={(replica, seq) => actions.choose(replica, seq)}
              onClose={() => setTable(false)}
            />
          </Suspense>
        </Show>
      </div>
    </section>
  );
}

/** The canvas with its keys, its pointer and its sentence. */
function LanesCanvas(props: {
  readonly label: string;
  readonly view: () => LanesView;
  /** Changes with each answer. */
  readonly changed: () => unknown;
  readonly takeBytes: () => Uint8Array | undefined;
  readonly onSize: (size: readonly [number, number]) => void;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly attach: (el: HTMLElement) => void;
}): JSX.Element {
  const palette = pagePalette();
  let host: HTMLDivElement | undefined;
  let canvas: HTMLCanvasElement | undefined;
  onMount(() => {
    if (!host || !canvas) return;
    props.attach(host);
    const surface: Surface = attachSurface(canvas, host, {
      palette,
      fit: (width, height) => {
        props.onSize([width, height]);
        return 0;
      },
      picture: (): LanesPicture => ({ of: 'lanes', view: props.view(), bytes: props.takeBytes() }),
      by: closeUpPainter(),
    });
    createEffect(() => {
      void [props.view(), props.changed(), palette()];
      surface.request();
    });
    onCleanup(surface.dispose);
  });
  return (
    <div
      class="lanes-canvas"
      ref={host}
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys zoom, pan and select
      tabIndex={0}
      aria-label={`Lanes. ${KEYS_SAY}`}
      onKeyDown={(event) => props.onKey(event)}
    >
      <canvas ref={canvas} role="img" aria-label={props.label} />
    </div>
  );
}

/** Nothing of the window is kept: where it begins, and the ways there. */
function NotKept(props: {
  readonly app: App;
  readonly keptFromUs: number;
  readonly toUs: number;
  readonly onFollow: () => void;
}): JSX.Element {
  const at = (us: number): string => `${(us / 1e6).toFixed(1)}\u00a0s`;
  return (
    <div class="lanes-not-kept" role="status">
      <p>Steps are kept from {at(props.keptFromUs)} on.</p>
      <button
        type="button"
        class="btn box"
        onClick={() => {
          void props.app.transport.seek(props.toUs / 1e6);
        }}
      >
        Go back to {at(props.toUs)}
      </button>
      <button type="button" class="btn box" onClick={() => props.onFollow()}>
        Show the latest
      </button>
    </div>
  );
}
