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
import { hasMarks } from '../base/note.ts';
import type { RequestMarks } from '../base/view.ts';
import { Charts } from '../charts/Charts.tsx';
import type { Over } from '../charts/timeContent.ts';
import type { RequestDetail } from '../generated/boundary.ts';
import { Deferred } from '../panels/parts/Deferred.tsx';
import { LazyPart } from '../panels/parts/LazyPart.tsx';
import { ToolRow } from '../panels/parts/ToolRow.tsx';
import type { RoleAsked } from '../panels/shell/RoleMenu.tsx';
import { Stage } from '../stage/Stage.tsx';
import type { App } from '../state/app.ts';
import { breaks } from '../state/edits/breaks.ts';
import { isScaled } from '../state/edits/scaledPools.ts';
import { chartBeside, lesson } from '../state/lessons/lesson.ts';
import { breakAsked, setBreakAsked } from '../state/view/breakMenu.ts';
import { chartList, setShownViews, shownViews } from '../state/view/chartList.ts';
import { area, setTimeWindow, tall, timeWindow } from '../state/view/closeup.ts';
import { around } from '../state/view/editFigures.ts';
import { setSpanShown, spanShown } from '../state/view/spanShown.ts';
import { setTheoryLaw, theoryLaw } from '../state/view/theoryLaw.ts';

const ChartStrip = lazy(() => import('../panels/shell/ChartStrip.tsx'));
const FurtherCharts = lazy(() => import('../panels/density/FurtherCharts.tsx'));
const ChartTools = lazy(() => import('../panels/shell/ChartTools.tsx'));
const LessonChart = lazy(() => import('../panels/lessons/questions/LessonChart.tsx'));
const Theory = lazy(() => import('../panels/studies/Theory.tsx'));
const NoteLines = lazy(async () => ({ default: (await import('../panels/shell/NoteMarks.tsx')).NoteLines }));
const RoleMenu = lazy(() => import('../panels/shell/RoleMenu.tsx'));
const BreakMenu = lazy(() => import('../panels/inspector/BreakMenu.tsx'));
const SpanLayer = lazy(() => import('../panels/shell/SpanLayer.tsx'));

/** `roles`: what the menu of a card's role changes; a run within another page has none. */
export function StageView(props: {
  app: Pick<App, 'transport' | 'selection' | 'dialogs'>;
  roles?: Pick<App, 'transport' | 'document' | 'dialogs'>;
}): JSX.Element {
  const app = props.app;
  const [asked, setAsked] = createSignal<RoleAsked>();
  return (
    <section class="stage" aria-label="Stage">
      <Deferred>
        <Stage
          frame={app.transport.frame()}
          written={app.transport.writtenFrame()}
          speed={app.transport.speed()}
          playing={app.transport.playing()}
          selected={app.selection.shown()}
          holder={app.selection.detail()?.replica}
          onSelect={app.selection.select}
          onSay={(sentence) => app.dialogs.tell(sentence)}
          onRole={props.roles && ((replica, x, y) => void setAsked({ replica, x, y }))}
          onBreak={props.roles && ((replica, x, y) => void setBreakAsked({ replica, at: { x, y } }))}
          reducedMotion={app.transport.reducedMotion()}
        />
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

const loadLanes = () => import('../panels/lanes/Lanes.tsx');
const loadKv = () => import('../panels/kv/Kv.tsx');
const loadDensity = () => import('../panels/density/Density.tsx');

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
      </Switch>
    </div>
  );
}

/** The charts; `only` names those to show, if not all. */
export function ChartsView(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies' | 'dialogs'>;
  only?: readonly string[] | undefined;
}): JSX.Element {
  const app = props.app;
  const theory = (): boolean => theoryLaw() !== undefined;
  const [over, setOver] = createSignal<Over>();
  const scales = createMemo(() => isScaled(app.document.current()));
  const breaksSomething = createMemo(() => breaks(app.document.current()));
  /** Beside the chart of a lesson there is room for charts over time alone. */
  const beside = (): boolean => props.only === undefined && chartBeside();
  const shown = createMemo(() => {
    const run = chartedRun(app.transport.writtenFrame(), scales(), breaksSomething());
    const names = chartsShown(props.only ?? chartList(), run);
    const fits = (name: string): boolean => chartList() !== undefined || name !== 'ttft-density';
    return beside() ? names.filter((name) => !isBeside(name) && fits(name)) : names;
  });
  const list = (): readonly string[] | undefined => (beside() ? shown() : (props.only ?? chartList()));
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
          selected={app.selection.shown()}
          onSelect={app.selection.select}
          onPlace={app.selection.openSlowest}
          onSeek={(timeS) => void app.transport.seek(timeS)}
          warmUpS={app.document.warmUpS()}
          measured={app.studies.measuredRun()}
          only={list()}
          fills={props.only !== undefined || beside()}
          scales={scales()}
          breaks={breaksSomething()}
          window={timeWindow()}
          onWindow={setTimeWindow}
          marks={marksOf(app.selection.detail())}
          around={around()}
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
              <button
                type="button"
                class="theory-switch"
                aria-pressed={theory()}
                onClick={(event) => {
                  event.stopPropagation();
                  setTheoryLaw(theory() ? undefined : '');
                }}
              >
                Theory
              </button>
              {/* A run within another page has no account of slow requests. */}
              <Show when={!props.only}>
                {' '}
                <button
                  type="button"
                  class="theory-switch"
                  aria-pressed={spanShown()}
                  title="Select a span of time: drag over a chart"
                  onClick={(event) => {
                    event.stopPropagation();
                    setSpanShown(!spanShown());
                  }}
                >
                  Span
                </button>
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
    </section>
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
