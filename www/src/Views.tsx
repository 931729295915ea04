// Stage and charts, joined to the state of the page: the page and a run within another page show the same.
import { createSignal, type JSX, lazy, Show, Suspense } from 'solid-js';
import { Charts } from './charts/Charts.tsx';
import type { Over } from './charts/timeContent.ts';
import { Deferred } from './panels/parts/Deferred.tsx';
import { Stage } from './stage/Stage.tsx';
import type { App } from './state/app.ts';
import { setSpanShown, spanShown } from './state/spanShown.ts';

const Theory = lazy(() => import('./panels/studies/Theory.tsx'));
const SpanLayer = lazy(() => import('./panels/shell/SpanLayer.tsx'));

export function StageView(props: { app: App }): JSX.Element {
  const app = props.app;
  return (
    <section class="stage" aria-label="Stage">
      <Deferred>
        <Stage
          frame={app.frame()}
          told={app.toldFrame()}
          speed={app.speed()}
          playing={app.playing()}
          selected={app.selected()}
          onSelect={app.select}
          onSay={(sentence) => app.tell(sentence)}
          reducedMotion={app.reducedMotion()}
        />
      </Deferred>
    </section>
  );
}

/** The charts; `only` names those to show, where not all are. */
export function ChartsView(props: { app: App; only?: readonly string[] | undefined }): JSX.Element {
  const app = props.app;
  const [theory, setTheory] = createSignal(false);
  const [over, setOver] = createSignal<Over>();
  return (
    <section class="charts" aria-label="Charts">
      <Deferred>
        <Charts
          data={app.data()}
          cursorS={app.cursorS()}
          onCursor={app.setCursorS}
          frame={app.frame()}
          figures={app.figuresFrame()}
          selected={app.selected()}
          onSelect={app.select}
          onPlace={app.openSlowest}
          onSeek={(timeS) => void app.seek(timeS)}
          warmUpS={app.warmUpS()}
          measured={app.measuredRun()}
          only={props.only}
          over={over()}
          layer={
            <Show when={spanShown()}>
              <Suspense>
                <SpanLayer app={app} />
              </Suspense>
            </Show>
          }
          head={
            <>
              <button
                type="button"
                class="theory-switch"
                aria-pressed={theory()}
                onClick={(event) => {
                  event.stopPropagation();
                  setTheory(!theory());
                }}
              >
                Theory
              </button>
              {/* A run within another page has no account to ask for. */}
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
