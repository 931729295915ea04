// Two runs on the same requests: the run on screen, A, and a second run, B, kept in step with it. Loaded when it is
// opened.

import {
  type Component,
  createEffect,
  createMemo,
  createSignal,
  For,
  type JSX,
  lazy,
  on,
  onCleanup,
  Show,
  Suspense,
} from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { equal, getAt, type Json } from '../../base/json.ts';
import { sentence } from '../../base/schema.ts';
import { clock, count, durationMs, plain, text } from '../../base/units.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { RunComparison } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { type Beside, type BothFrames, type Comparing, createComparing } from '../../state/compare.ts';
import { changes, placedEdits, routeSaid } from '../../state/edits.ts';
import { applyAsRun } from '../../state/listedRuns.ts';
import { sendToB, sentToB } from '../../state/sentToB.ts';
import { choiceText, fieldAt, pathName, plainText } from '../parts/formFields.ts';
import { overlay } from '../parts/overlay.ts';
import { Segments } from '../parts/Segments.tsx';
import { TrustChip } from '../parts/Trust.tsx';
import { CompareCharts } from './CompareCharts.tsx';
import { type Choices, Chooser, createChoices, Proposals } from './CompareChooser.tsx';
import { CompareFigures, CompareRegret, NoOracle } from './CompareFigures.tsx';
import { CompareTables } from './CompareTables.tsx';
import './compare.css';

const Race = lazy(() => import('./Race.tsx'));
const Sweep = lazy(() => import('./Sweep.tsx'));

/** The kinds of comparison: two runs, several policies, or values of a field. */
const STUDIES = ['Two runs', 'Race', 'Sweep'] as const;
type Study = (typeof STUDIES)[number];

/** The views of two runs. */
const SHOWN = ['Charts', 'Stages'] as const;
type Shown = (typeof SHOWN)[number];

/** Draws both stages. It is passed in, because panels may not import the stage. */
export type StagesProps = {
  readonly app: Pick<App, 'transport' | 'dialogs'>;
  readonly frames: BothFrames | undefined;
  readonly nameOfB: string;
};

export function Compare(props: {
  app: Pick<App, 'transport' | 'document' | 'studies' | 'dialogs' | 'links'>;
  stages: Component<StagesProps>;
}): JSX.Element {
  const app = props.app;
  const [shown, setShown] = createSignal<Shown>('Charts');
  let host: HTMLElement | undefined;
  const comparing = createComparing({
    frame: app.transport.frame,
    document: app.document.current,
    rests: () => app.transport.mode() === 'paused',
    traceFile: app.document.traceFile,
    outcomes: app.studies.outcomes,
    columns: app.studies.columns,
    inspect: app.studies.inspect,
  });
  const choices = createChoices(app);
  const [study, setStudy] = createSignal<Study>('Two runs');
  /** The request that was sent elsewhere; it is shown in both runs once they are compared. */
  const [askedAbout, setAskedAbout] = createSignal<number>();
  createEffect(
    on(sentToB, (next) => {
      if (!next) return;
      sendToB(undefined);
      setStudy('Two runs');
      setAskedAbout(next.request);
      void comparing.choose(next);
    }),
  );
  createEffect(
    on(comparing.result, (found) => {
      const request = askedAbout();
      if (!found || request === undefined) return;
      setAskedAbout(undefined);
      comparing.openPair(request, request);
    }),
  );
  createEffect(() => app.studies.setCompared(comparing.beside()));
  // Races and sweeps have their own runs: the one on screen does not move.
  createEffect(() => app.studies.setStudying(study() !== 'Two runs'));
  onCleanup(() => {
    app.studies.setCompared(undefined);
    app.studies.setStudying(false);
  });
  overlay(
    () => host,
    () => app.studies.setComparing(false),
  );
  const raceAsB = (next: Beside): void => {
    setStudy('Two runs');
    void comparing.choose(next);
  };
  return (
    <main
      class="overlay compare"
      classList={{
        races: study() !== 'Two runs',
        'with-stages': shown() === 'Stages' && comparing.beside() !== undefined,
      }}
      aria-label="Compare with B"
      tabindex="-1"
      ref={host}
    >
      <div class="bar">
        <Segments label="Kind of comparison" options={STUDIES} chosen={study()} onChoose={setStudy} />
        <span class="grow" />
        <button type="button" class="btn sq" aria-label="Close" onClick={() => app.studies.setComparing(false)}>
          <Icon name="close" />
        </button>
      </div>
      <Show
        when={study() !== 'Two runs'}
        fallback={
          <TwoRuns
            app={app}
            comparing={comparing}
            choices={choices}
            shown={shown()}
            onShown={setShown}
            stages={props.stages}
          />
        }
      >
        <Suspense>
          <Show when={study() === 'Race'} fallback={<Sweep app={app} />}>
            <Race app={app} onB={raceAsB} />
          </Show>
        </Suspense>
      </Show>
    </main>
  );
}

/** Both runs: their settings on the left, figures and charts in the middle, requests on the right. */
function TwoRuns(props: {
  app: Pick<App, 'transport' | 'document' | 'studies' | 'dialogs' | 'links'>;
  comparing: Comparing;
  choices: Choices;
  shown: Shown;
  onShown: (shown: Shown) => void;
  stages: Component<StagesProps>;
}): JSX.Element {
  const { app, comparing, choices } = props;
  const promote = async (b: Beside): Promise<void> => {
    if (await applyAsRun(app.document, b.document)) app.studies.setComparing(false);
  };
  const swap = async (b: Beside): Promise<void> => {
    const a: Beside = { name: 'A before the swap', document: app.document.current() };
    if (await applyAsRun(app.document, b.document)) await comparing.choose(a);
  };
  return (
    <>
      <div class="compare-side">
        <div class="compare-scroll">
          <Chooser
            app={app}
            choices={choices}
            chosen={comparing.beside()?.name}
            choose={(next) => void comparing.choose(next)}
          />
          <Show when={comparing.trouble()}>
            {(told) => (
              <p class="compare-trouble" role="alert">
                {told()}
              </p>
            )}
          </Show>
          <Show when={comparing.beside()}>
            {(b) => (
              <>
                <Differs app={app} b={b()} />
                <div class="compare-buttons">
                  <button type="button" class="btn box" onClick={() => void swap(b())}>
                    Swap A and B
                  </button>
                  <button type="button" class="btn box" onClick={() => void promote(b())}>
                    Continue with B
                  </button>
                </div>
              </>
            )}
          </Show>
          <Show when={comparing.beside()}>
            <Seeds comparing={comparing} />
          </Show>
          <Show when={comparing.result()}>{(found) => <Pairing comparison={found().comparison} />}</Show>
        </div>
      </div>
      <div class="compare-mid">
        <Show
          when={comparing.beside()}
          fallback={<Proposals choices={choices} choose={(next) => void comparing.choose(next)} />}
        >
          {(b) => (
            <>
              <div class="compare-head">
                <span>
                  <Key run="a" /> A: {nameOfA(app, b())}
                </span>
                <span>
                  <Key run="b" /> B: {b().name}
                </span>
                <span class="grow" />
                <span class="s">{state(comparing, app)}</span>
                <Segments label="View of both runs" options={SHOWN} chosen={props.shown} onChoose={props.onShown} />
                <button type="button" class="btn box" onClick={() => app.transport.toEnd()}>
                  Run both to the end
                </button>
              </div>
              <Show when={props.shown === 'Stages'}>
                <Suspense>
                  <Dynamic component={props.stages} app={app} frames={comparing.frames()} nameOfB={b().name} />
                </Suspense>
              </Show>
              <Show when={comparing.seeds()?.comparison}>
                <p class="say compare-of-seeds">
                  Key figures over {comparing.seeds()?.progress.of} seeds, both runs to the end. Charts and requests
                  show the runs on screen.
                </p>
              </Show>
              <CompareFigures comparison={comparing.seeds()?.comparison ?? comparing.result()?.comparison} />
              <CompareRegret comparison={comparing.seeds()?.comparison} />
              <NoOracle why={comparing.seeds()?.noOracle} />
              <Show when={props.shown === 'Charts'}>
                <CompareCharts
                  comparison={comparing.result()?.comparison}
                  charts={comparing.charts()}
                  onPair={comparing.openPair}
                  runs={async () => {
                    const [a, b] = await Promise.all([app.studies.outcomes(), comparing.outcomes()]);
                    return (
                      b && [
                        { document: app.document.current(), outcomes: a },
                        { document: comparing.beside()?.document ?? app.document.current(), outcomes: b },
                      ]
                    );
                  }}
                />
              </Show>
            </>
          )}
        </Show>
      </div>
      <div class="compare-side compare-right">
        <CompareTables
          chosen={comparing.beside() !== undefined}
          comparison={comparing.result()?.comparison}
          pair={comparing.pair()}
          onPair={comparing.openPair}
        />
      </div>
    </>
  );
}

function state(comparing: Comparing, app: Pick<App, 'transport'>): string {
  const [now, b] = [app.transport.frame()?.now_us ?? 0, comparing.atUs() ?? 0];
  const found = comparing.result();
  if (found?.atUs === now) {
    const since = found.comparison.since_s;
    return `compared up to ${clock(now)} s${since === undefined ? '' : `, since the last difference at ${plain(since)} s`}`;
  }
  if (b < now) return `B is at ${clock(b)} s`;
  return app.transport.mode() === 'paused' ? 'comparing…' : 'pause to compare request by request';
}

/** The line style of a run: A solid, B dashed. */
function Key(props: { run: 'a' | 'b' }): JSX.Element {
  return (
    <svg class="compare-key" width="22" height="8" viewBox="0 0 22 8" aria-hidden="true">
      <path class={`line ${props.run}`} d="M1 4h20" />
    </svg>
  );
}

/** The same comparison over several seeds, which shows how certain a difference is. */
function Seeds(props: { comparing: Comparing }): JSX.Element {
  const [count, setCount] = createSignal(5);
  const seeds = props.comparing.seeds;
  return (
    <div class="blk">
      <div class="blk-head">
        <h2>Over several seeds</h2>
        <span class="m" role="status">
          <Show when={seeds()}>
            {(s) => (
              <>
                {s().progress.done} of {s().progress.of} · {text(durationMs(s().progress.tookMs))}
              </>
            )}
          </Show>
        </span>
      </div>
      <div class="compare-buttons flat">
        <select
          class="in"
          aria-label="How many seeds"
          value={count()}
          onChange={(event) => setCount(Number(event.currentTarget.value))}
        >
          <For each={[3, 5, 10, 20]}>{(n) => <option value={n}>{n} seeds</option>}</For>
        </select>
        <Show
          when={seeds()}
          fallback={
            <button type="button" class="btn box" onClick={() => props.comparing.overSeeds(count())}>
              Run both
            </button>
          }
        >
          {(s) => (
            <button type="button" class="btn box" onClick={props.comparing.forgetSeeds}>
              {s().comparison ? 'Back to one seed' : 'Cancel'}
            </button>
          )}
        </Show>
      </div>
    </div>
  );
}

/** The differences between B and A. */
function Differs(props: { app: Pick<App, 'document'>; b: Beside }): JSX.Element {
  const listed = createMemo(() => changes(props.app.document.current(), props.b.document));
  /** Requests that B sends to other replicas. */
  const sent = createMemo(() => {
    const [inA, inB] = [props.app.document.current(), props.b.document].map((of) =>
      placedEdits(of).flatMap(({ edit, off }) => (off ? [] : [routeSaid(edit) ?? []])),
    );
    const known = new Set(inA?.map(String));
    return (inB ?? []).filter((said) => said.length > 0 && !known.has(String(said)));
  });
  const edits = (of: Json): number => {
    const all = getAt(of, 'edits');
    return Array.isArray(all) ? all.length : 0;
  };
  return (
    <div class="blk">
      <div class="blk-head">
        <h2>Differs</h2>
        <span class="m">
          {edits(props.b.document) === edits(props.app.document.current())
            ? ''
            : `edits: ${edits(props.app.document.current())} in A, ${edits(props.b.document)} in B`}
        </span>
      </div>
      <ul class="compare-differs">
        <For each={listed().slice(0, 20)}>
          {(change) => (
            <li>
              <span>{pathName(props.app.document.schema, props.b.document, change.path)}</span>
              <span class="m">
                {said(props.app, change.path, change.from)} → <b>{said(props.app, change.path, change.to)}</b>
              </span>
            </li>
          )}
        </For>
        <For each={sent()}>
          {([what, to]) => (
            <li>
              <span>{what}</span>
              <b>{to}</b>
            </li>
          )}
        </For>
        <Show
          when={
            listed().length + sent().length === 0 && edits(props.b.document) === edits(props.app.document.current())
          }
        >
          <li class="s">nothing: B is the same run</li>
        </Show>
      </ul>
    </div>
  );
}

function said(app: Pick<App, 'document'>, path: string, value: Json | undefined): string {
  const field = fieldAt(app.document.schema, app.document.current(), path);
  if (field?.input.kind === 'choice' && value !== undefined) return choiceText(value, field);
  return typeof value === 'object' && value !== null ? choiceText(value) : plainText(value) || 'default';
}

function Pairing(props: { comparison: RunComparison }): JSX.Element {
  const c = (): RunComparison => props.comparison;
  return (
    <div class="blk">
      <div class="blk-head">
        <h2>Pairing</h2>
        <span class="m">{c().paired ? 'request by request' : 'distributions only'}</span>
      </div>
      <Show when={c().not_paired}>{(why) => <p class="say">{sentence(why())}</p>}</Show>
      <dl class="compare-pairing">
        <dt>
          {c().paired ? 'Pairs' : 'Requests of A'}
          {c().since_s === undefined ? '' : ` from ${plain(c().since_s ?? 0)} s on`}
        </dt>
        <dd>{count(c().requests)}</dd>
        <dt>Workload digest</dt>
        <dd>
          <code>{c().a.workload_digest.slice(0, 8)}</code>
        </dd>
        <For each={LOST}>
          {(what) => (
            <>
              <dt>{sentence(what)}</dt>
              <dd>
                {count(c().a[what])} → {count(c().b[what])}
              </dd>
            </>
          )}
        </For>
      </dl>
      <p class="say">{c().explained}.</p>
      <div class="compare-trust">
        <TrustChip label="A" pools={c().a.evidence} />
        <TrustChip label="B" pools={c().b.evidence} />
      </div>
      <For each={c().notices}>{(notice) => <p class="say">{sentence(notice)}.</p>}</For>
    </div>
  );
}

/** Requests that have not ended, or ended before the last token. */
const LOST = ['refused', 'dropped', 'unfinished'] as const;

/** The name of A: its router, if B has another one. */
function nameOfA(app: Pick<App, 'document'>, b: Beside): string {
  const [own, other] = [app.document.current(), b.document].map((of) => getAt(of, 'cluster.routing'));
  return equal(own ?? null, other ?? null) ? 'this run' : said(app, 'cluster.routing', own);
}
