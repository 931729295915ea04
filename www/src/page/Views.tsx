// Stage and charts, joined to the state of the page: the page and a run within another page show the same.
import {
  createEffect,
  createMemo,
  createSignal,
  type JSX,
  lazy,
  Match,
  Show,
  Suspense,
  Switch,
  untrack,
} from 'solid-js';
import { chartedRun, chartsShown, isBeside, viewsOf } from '../base/chartList.ts';
import { getAt } from '../base/json.ts';
import { createMedia, NARROW_PHONE } from '../base/media.ts';
import { hasMarks } from '../base/note.ts';
import { tenths } from '../base/units.ts';
import type { RequestMarks, ToolPlaces } from '../base/view.ts';
import { Charts } from '../charts/Charts.tsx';
import { FlagLane } from '../charts/FlagLane.tsx';
import type { Over } from '../charts/timeContent.ts';
import type { RequestDetail } from '../generated/boundary.ts';
import { breakTapped, CalmTools } from '../panels/calm/CalmTools.tsx';
import { RequestMark } from '../panels/calm/RequestMark.tsx';
import { Deferred } from '../panels/parts/Deferred.tsx';
import { LazyPart } from '../panels/parts/LazyPart.tsx';
import { ToolRow } from '../panels/parts/ToolRow.tsx';
import type { RoleAsked } from '../panels/shell/RoleMenu.tsx';
import { ignoreLost } from '../sim/client.ts';
import { Stage } from '../stage/Stage.tsx';
import type { App } from '../state/app.ts';
import { isScaled } from '../state/edits/scaledPools.ts';
import { chartBeside, lesson } from '../state/lessons/lesson.ts';
import { type LinkedPreset, presetOfLink } from '../state/run/presets.ts';
import { breakAsked, setBreakAsked } from '../state/view/breakMenu.ts';
import { chartList, setShownViews, shownViews } from '../state/view/chartList.ts';
import { askChartTools, chartMenu, setChartMenu } from '../state/view/chartMenu.ts';
import { area, setTimeWindow, tall, timeWindow } from '../state/view/closeup.ts';
import { deeper } from '../state/view/depth.ts';
import { without } from '../state/view/lastEdit.ts';
import { ring } from '../state/view/minute.ts';
import { setSpanShown, spanShown } from '../state/view/spanShown.ts';
import { setTheoryLaw, theoryLaw } from '../state/view/theoryLaw.ts';
import type { HandApp } from './StageHand.tsx';

const StageHand = lazy(() => import('./StageHand.tsx'));
const ChartStrip = lazy(() => import('../panels/shell/ChartStrip.tsx'));
const FurtherCharts = lazy(() => import('../panels/density/FurtherCharts.tsx'));
const ChartMenu = lazy(() => import('../panels/shell/ChartMenu.tsx'));
const ChartTools = lazy(() => import('../panels/shell/ChartTools.tsx'));
const LessonChart = lazy(() => import('../panels/lessons/questions/LessonChart.tsx'));
const Theory = lazy(() => import('../panels/studies/Theory.tsx'));
const NoteLines = lazy(async () => ({ default: (await import('../panels/shell/NoteMarks.tsx')).NoteLines }));
const LinkAhead = lazy(async () => ({ default: (await import('../panels/shell/LinkAhead.tsx')).LinkAhead }));
const RoleMenu = lazy(() => import('../panels/shell/RoleMenu.tsx'));
const BreakMenu = lazy(() => import('../panels/inspector/BreakMenu.tsx'));
const SpanLayer = lazy(() => import('../panels/shell/SpanLayer.tsx'));

/** `roles`: what the menu of a card's role changes; a run within another page has none. */
/** The charts that have the measured percentiles. */
const MEASURED_CHARTS = ['ttft-ecdf', 'e2e-ecdf'] as const;

export function StageView(props: {
  app: Pick<App, 'transport' | 'selection' | 'dialogs'>;
  calm?: boolean;
  roles?: HandApp;
}): JSX.Element {
  const app = props.app;
  const router = createMemo(() => {
    const routing = props.roles && getAt(props.roles.document.inForce(), 'cluster.routing');
    return routing === undefined ? undefined : JSON.stringify(routing);
  });
  const handy = createHandy(() => app.transport.frame() !== undefined);
  const [asked, setAsked] = createSignal<RoleAsked>();
  const [places, setPlaces] = createSignal<ToolPlaces>();
  /** What the page opens with, if the link in its address names a preset. */
  const linked = presetOfLink(location.hash);
  const ahead = (): LinkedPreset | undefined => (app.transport.frame() === undefined ? linked : undefined);
  return (
    <section class="stage" aria-label="Stage">
      <Deferred>
        <Stage
          frame={app.transport.frame()}
          written={app.transport.writtenFrame()}
          speed={app.transport.speed()}
          playing={app.transport.playing()}
          selected={app.selection.selected()}
          holder={app.selection.detail()?.replica}
          onSelect={(next) => {
            if (!(props.roles && breakTapped(props.roles, next.replica))) app.selection.select(next);
          }}
          onSay={(sentence) => app.dialogs.tell(sentence)}
          onDeeper={props.roles && (() => void deeper(app).catch(ignoreLost))}
          onRole={props.roles && ((replica, x, y) => void setAsked({ replica, x, y }))}
          onBreak={props.roles && ((replica, x, y, request) => void setBreakAsked({ replica, request, at: { x, y } }))}
          reducedMotion={app.transport.reducedMotion()}
          router={router()}
          calm={props.calm ?? false}
          onPlaces={setPlaces}
          hand={(place) => (
            <Show when={handy() && props.roles}>
              {(page) => (
                <Suspense>
                  <StageHand app={page()} place={place} />
                </Suspense>
              )}
            </Show>
          )}
        />
        <Show when={props.roles && ahead()}>
          {(found) => (
            <Suspense>
              <LinkAhead linked={found()} />
            </Suspense>
          )}
        </Show>
        <Show when={props.roles}>
          {(page) => (
            <Show when={places()}>
              {(at) => (
                <>
                  <CalmTools app={page()} places={at()} row={(props.calm ?? false) && at().source === undefined} />
                  <Show when={ring()?.on === 'request'}>
                    <RequestMark app={app} batches={at().batches} />
                  </Show>
                </>
              )}
            </Show>
          )}
        </Show>
        <Show when={props.roles}>
          {(roles) => (
            <Show when={breakAsked()}>
              {(at) => (
                <Suspense>
                  <BreakMenu app={roles()} asked={at()} onClose={() => setBreakAsked(undefined)} />
                </Suspense>
              )}
            </Show>
          )}
        </Show>
        <Show when={props.roles}>
          {(roles) => (
            <Show when={asked()}>
              {(at) => (
                <Suspense>
                  <RoleMenu app={roles()} asked={at()} onClose={() => setAsked(undefined)} />
                </Suspense>
              )}
            </Show>
          )}
        </Show>
      </Deferred>
    </section>
  );
}

/** Whether the first picture is there and the page has time for what answers to the hand. */
function createHandy(opened: () => boolean): () => boolean {
  const [handy, setHandy] = createSignal(false);
  createEffect(() => {
    if (handy() || !opened()) return;
    const soon = globalThis.requestIdleCallback ?? ((act: () => void) => setTimeout(act, 200));
    soon(() => setHandy(true));
  });
  return handy;
}

/** The one chart of the first view. */
export function CalmArea(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies' | 'dialogs'>;
}): JSX.Element {
  const { transport, document: doc } = props.app;
  const phone = createMedia(NARROW_PHONE);
  return (
    <div class="calm-area">
      <h2>
        Time to first token <small>s, log</small>
      </h2>
      {/* Beside the buttons, a phone has no room for it. */}
      <Show when={phone()}>
        <span class="clock" role="timer" aria-label="Simulated time">
          {tenths(transport.frame()?.now_us ?? 0)} <small>s</small>
        </span>
      </Show>
      <FlagLane
        frame={transport.frame()}
        bare={phone()}
        onMoveFlag={(index, us) => void doc.moveEdit(index, us)}
        onFlags={doc.setOpenFlags}
      />
      <ChartsView app={props.app} only={FIRST_CHART} calm />
    </div>
  );
}

const FIRST_CHART = ['ttft-over-time'];

const loadLanes = () => import('../panels/lanes/Lanes.tsx');
const loadKv = () => import('../panels/kv/Kv.tsx');
const loadDensity = () => import('../panels/density/Density.tsx');
const loadTiers = () => import('../panels/tiers/Tiers.tsx');
const loadSessions = () => import('../panels/sessions/Sessions.tsx');

/** The area below the stage: charts, or a close-up of the run. */
export function AreaView(props: { app: App }): JSX.Element {
  return (
    <div class="area" classList={{ tall: tall() }}>
      <Switch
        fallback={
          <>
            <ToolRow>
              <Suspense>
                <Deferred>
                  <ChartTools app={props.app} />
                </Deferred>
              </Suspense>
            </ToolRow>
            <Show when={lesson()}>
              <Suspense>
                <LessonChart app={props.app} />
              </Suspense>
            </Show>
            <ChartsView app={props.app} />
          </>
        }
      >
        <Match when={area() === 'lanes'}>
          <LazyPart app={props.app} what="The view of lanes" load={loadLanes} />
        </Match>
        <Match when={area() === 'kv'}>
          <LazyPart app={props.app} what="The view of blocks" load={loadKv} />
        </Match>
        <Match when={area() === 'density'}>
          <LazyPart app={props.app} what="The view of density" load={loadDensity} />
        </Match>
        <Match when={area() === 'tiers'}>
          <LazyPart app={props.app} what="The view of tiers" load={loadTiers} />
        </Match>
        <Match when={area() === 'sessions'}>
          <LazyPart app={props.app} what="The view of sessions" load={loadSessions} />
        </Match>
      </Switch>
    </div>
  );
}

/** The charts; `only` names those to show, if not all. */
export function ChartsView(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies' | 'dialogs'>;
  only?: readonly string[] | undefined;
  calm?: boolean;
}): JSX.Element {
  const app = props.app;
  const theory = (): boolean => theoryLaw() !== undefined;
  const [over, setOver] = createSignal<Over>();
  const scales = createMemo(() => isScaled(app.document.current()));
  /** Beside the chart of a lesson there is room for charts over time alone. */
  const beside = (): boolean => props.only === undefined && chartBeside();
  /** Whether the run is of a measured experiment, and the charts are not the user's choice. */
  const isMeasured = (): boolean =>
    app.studies.measuredRun() !== undefined && chartList() === undefined && props.only === undefined;
  const shown = createMemo(() => {
    const run = chartedRun(app.transport.writtenFrame(), scales());
    const names = [...chartsShown(props.only ?? chartList(), run), ...(isMeasured() ? MEASURED_CHARTS : [])];
    const fits = (name: string): boolean => chartList() !== undefined || name !== 'ttft-density';
    return beside() ? names.filter((name) => !isBeside(name) && fits(name)) : names;
  });
  const list = (): readonly string[] | undefined => (beside() || isMeasured() ? shown() : (props.only ?? chartList()));
  createEffect(() => {
    const views = viewsOf(shown());
    if (views.join() !== untrack(shownViews).join()) setShownViews(views);
  });
  return (
    <section class="charts" aria-label="Charts">
      <Deferred>
        <Charts
          data={app.transport.data()}
          cursorS={app.selection.cursorS()}
          onCursor={app.selection.setCursorS}
          frame={app.transport.frame()}
          figures={app.transport.figuresFrame()}
          selected={app.selection.selected()}
          onSelect={app.selection.select}
          onPlace={app.selection.openSlowest}
          onSeek={(timeS) => void app.transport.seek(timeS)}
          warmUpS={app.document.warmUpS()}
          measured={app.studies.measuredRun()}
          only={list()}
          calm={props.calm ?? false}
          fills={props.only !== undefined || beside()}
          scales={scales()}
          onTools={askChartTools}
          window={timeWindow()}
          onWindow={setTimeWindow}
          marks={marksOf(app.selection.detail())}
          without={without()}
          holder={app.selection.detail()?.replica}
          over={over()}
          strip={(place, onTable) => (
            <Suspense fallback={<StripPlace height={place.height} />}>
              <ChartStrip app={app} place={place} marks={marksOf(app.selection.detail())} onTable={onTable} />
            </Suspense>
          )}
          beside={(name, onTable) => (
            <Suspense fallback={<span />}>
              <FurtherCharts app={app} name={name} onTable={onTable} />
            </Suspense>
          )}
          layer={
            <>
              <Show when={hasMarks(String(getAt(app.document.current(), 'note') ?? ''))}>
                <Suspense>
                  <NoteLines app={app} />
                </Suspense>
              </Show>
              <Show when={spanShown()}>
                <Suspense>
                  <SpanLayer app={app} />
                </Suspense>
              </Show>
            </>
          }
          head={
            <>
              {/* What is on says so, and can be switched off where it is. */}
              <Show when={theory()}>
                <HeadSwitch name="Theory" onOff={() => setTheoryLaw(undefined)} />
              </Show>
              <Show when={spanShown() && !props.only}>
                <HeadSwitch name="Span" onOff={() => setSpanShown(false)} />
              </Show>
              <Show when={theory()}>
                <Suspense>
                  <Theory app={app} onOver={(next) => setOver(() => next)} />
                </Suspense>
              </Show>
            </>
          }
        />
      </Deferred>
      <Show when={shown().length === 0}>
        <button type="button" class="btn box" onClick={() => setChartMenu({ part: 'choose' })}>
          Choose charts
        </button>
      </Show>
      <Show when={!props.calm && chartMenu()} keyed>
        {(asked) => (
          <Suspense>
            <ChartMenu app={app} asked={asked} whole={!props.only} onClose={() => setChartMenu(undefined)} />
          </Suspense>
        )}
      </Show>
    </section>
  );
}

/** What is on over all charts, beside the title of the first one. */
function HeadSwitch(props: { readonly name: string; readonly onOff: () => void }): JSX.Element {
  return (
    <button
      type="button"
      class="chart-switch"
      aria-pressed="true"
      onClick={(event) => {
        event.stopPropagation();
        props.onOff();
      }}
    >
      {props.name}
    </button>
  );
}

/** The latencies of a request at the instants when they were known. */
function marksOf(detail: RequestDetail | undefined): RequestMarks | undefined {
  if (!detail) return undefined;
  const at = (us: number | undefined): RequestMarks['ttft'] =>
    us === undefined ? undefined : { atS: (detail.arrival_us + us) / 1e6, ms: us / 1000 };
  return { ttft: at(detail.ttft_us), e2e: at(detail.e2e_us) };
}

/** Keeps the place of the heat map until its code is there. */
function StripPlace(props: { readonly height: number }): JSX.Element {
  return <div ref={(el) => createEffect(() => (el.style.height = `${props.height}px`))} />;
}
