// Two runs on the same requests: the run on screen, A, and a second run, B, kept in step with it. Loaded when it is
// opened.

import {
  type Accessor,
  type Component,
  createEffect,
  createMemo,
  createSignal,
  getOwner,
  type JSX,
  lazy,
  on,
  onCleanup,
  runWithOwner,
  Show,
  Suspense,
} from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { clock, plain } from '../../base/units.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { StudyFile } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { applyAsRun } from '../../state/run/listedRuns.ts';
import { type Beside, type BothFrames, type Comparing, createComparing } from '../../state/studies/compare.ts';
import { compareAsB, runForB } from '../../state/studies/runForB.ts';
import { openStudyOfLink, studyOfLink } from '../../state/studies/studyLink.ts';
import { overlay } from '../parts/overlay.ts';
import { Segments } from '../parts/Segments.tsx';
import { CompareCharts } from './CompareCharts.tsx';
import { type Choices, Chooser, createChoices, Proposals, routersSaid } from './CompareChooser.tsx';
import { CompareFigures, CompareRegret, NoOracle } from './CompareFigures.tsx';
import { Differs, Pairing, Seeds } from './CompareSettings.tsx';
import { CompareTables } from './CompareTables.tsx';
import { sceneOf } from './compareScene.ts';
import { MoreFigures } from './MoreFigures.tsx';
import { comparisonFile, createOpenedStudies, type OpenedStudies } from './openedStudies.ts';
import type { RaceState } from './Race.tsx';
import { StudyTools } from './StudyTools.tsx';
import type { SweepState } from './Sweep.tsx';
import { readStudyText, type StudyAsked } from './studyText.ts';
import './compare.css';

const Race = lazy(() => import('./Race.tsx'));
const Sweep = lazy(() => import('./Sweep.tsx'));

/** The kinds of comparison: two runs, several policies, or values of a field. */
const STUDIES = ['Two runs', 'Race', 'Sweep'] as const;
type Study = (typeof STUDIES)[number];

/** The view that shows the file of a study. */
const SHOWS: Readonly<Record<StudyFile['kind'], Study>> = { compare: 'Two runs', race: 'Race', sweep: 'Sweep' };

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
  const choices = createChoices(app, comparing.thread);
  const [study, setStudy] = createSignal<Study>('Two runs');
  /** Races and sweeps keep their results while another study is shown. */
  const owner = getOwner();
  let race: RaceState | undefined;
  let sweep: SweepState | undefined;
  const files = createOpenedStudies({ app, comparing, show: (kind) => setStudy(SHOWS[kind]) });
  /** The request that was sent elsewhere; it is shown in both runs once they are compared. */
  const [askedAbout, setAskedAbout] = createSignal<number>();
  createEffect(
    on(runForB, (next) => {
      if (!next) return;
      compareAsB(undefined);
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
  createEffect(() =>
    app.studies.setBesideHealth(
      study() === 'Two runs' ? comparing.charts()?.b.find(({ view }) => view === 'health') : undefined,
    ),
  );
  // Races and sweeps have their own runs: the one on screen does not move.
  createEffect(() => app.studies.setStudying(study() !== 'Two runs'));
  onCleanup(() => {
    app.studies.setCompared(undefined);
    app.studies.setBesideHealth(undefined);
    app.studies.setStudying(false);
  });
  overlay(
    () => host,
    () => app.studies.setComparing(false),
  );
  /** The settings of a race or a sweep that a link asked for. */
  const [asked, setAsked] = createSignal<StudyAsked>();
  createEffect(
    on(studyOfLink, (text) => {
      if (text === undefined) return;
      openStudyOfLink(undefined);
      const found = readStudyText(text);
      setAsked(found);
      if (found) setStudy(SHOWS[found.kind]);
    }),
  );
  const linked = <K extends StudyAsked['kind']>(kind: K): Extract<StudyAsked, { kind: K }> | undefined => {
    const isIt = (of: StudyAsked): of is Extract<StudyAsked, { kind: K }> => of.kind === kind;
    const found = asked();
    return found && isIt(found) ? found : undefined;
  };
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
      <Show when={study() === 'Two runs'}>
        <TwoRuns
          app={app}
          comparing={comparing}
          choices={choices}
          files={files}
          shown={shown()}
          onShown={setShown}
          stages={props.stages}
        />
      </Show>
      <Suspense>
        <Show when={study() === 'Race'}>
          <Race
            app={app}
            state={(make) => {
              race ??= runWithOwner(owner, make) ?? make();
              return race;
            }}
            opened={files.opened()}
            linked={linked('race')}
            onOpen={files.openFile}
            onB={raceAsB}
          />
        </Show>
        <Show when={study() === 'Sweep'}>
          <Sweep
            app={app}
            state={(make) => {
              sweep ??= runWithOwner(owner, make) ?? make();
              return sweep;
            }}
            opened={files.opened()}
            linked={linked('sweep')}
            onOpen={files.openFile}
          />
        </Show>
      </Suspense>
    </main>
  );
}

type TwoRunsProps = Parameters<typeof TwoRuns>[0];

/** What B is, and what to do with both runs. */
function Side(
  props: TwoRunsProps & {
    readonly swap: (b: Beside) => Promise<void>;
    readonly promote: (b: Beside) => Promise<void>;
  },
): JSX.Element {
  const { app, comparing, choices, swap, promote } = props;
  return (
    <div class="compare-side">
      <div class="compare-scroll">
        <Chooser
          app={app}
          choices={choices}
          chosen={comparing.beside()?.choice ?? comparing.beside()?.name}
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
        <div class="compare-buttons">
          <StudyTools
            thread={comparing.thread}
            study={() => comparisonFile(app, comparing)}
            name="comparison"
            hasRows={false}
            onOpen={props.files.openFile}
            onTrouble={comparing.setTrouble}
          />
        </div>
        <Show when={comparing.result()}>{(found) => <Pairing comparison={found().comparison} />}</Show>
      </div>
    </div>
  );
}

/** Both runs: their settings on the left, figures and charts in the middle, requests on the right. */
function TwoRuns(props: {
  app: Pick<App, 'transport' | 'document' | 'studies' | 'dialogs' | 'links'>;
  comparing: Comparing;
  choices: Choices;
  files: OpenedStudies;
  shown: Shown;
  onShown: (shown: Shown) => void;
  stages: Component<StagesProps>;
}): JSX.Element {
  const { app, comparing, choices } = props;
  const nameOfA = createNameOfA(app, comparing);
  const promote = async (b: Beside): Promise<void> => {
    if (await applyAsRun(app.document, b.document)) app.studies.setComparing(false);
  };
  const scene = createMemo(() =>
    sceneOf(
      app.transport.frame(),
      comparing.frames()?.b.flags ?? [],
      app.document.current(),
      app.document.warmUpS() ?? 0,
    ),
  );
  const swap = async (b: Beside): Promise<void> => {
    const a: Beside = { name: nameOfA(), document: app.document.current() };
    if (await applyAsRun(app.document, b.document)) await comparing.choose(a);
  };
  return (
    <>
      <Side {...props} swap={swap} promote={promote} />
      <div class="compare-mid">
        <Show
          when={comparing.beside()}
          fallback={<Proposals choices={choices} choose={(next) => void comparing.choose(next)} />}
        >
          {(b) => (
            <>
              <div class="compare-head">
                <span class="compare-name">
                  <Badge run="a" /> <Key run="a" />
                  <span>
                    <span class="visually-hidden">A: </span>
                    {nameOfA()}
                  </span>
                </span>
                <span class="compare-name">
                  <Badge run="b" /> <Key run="b" />
                  <span>
                    <span class="visually-hidden">B: </span>
                    {b().name}
                  </span>
                </span>
                <span class="grow" />
                <span class="s">{state(comparing, app)}</span>
                <Segments label="View of both runs" options={SHOWN} chosen={props.shown} onChoose={props.onShown} />
                <button type="button" class="btn box" onClick={() => app.transport.toEnd()}>
                  Run both to the end
                </button>
              </div>
              <Show when={props.files.repeated()}>
                {(said) => (
                  <p class="say study-saved" role="status">
                    {said()}
                  </p>
                )}
              </Show>
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
              <MoreFigures comparison={comparing.seeds()?.comparison ?? comparing.result()?.comparison} />
              <CompareRegret comparison={comparing.seeds()?.comparison} />
              <NoOracle why={comparing.seeds()?.noOracle} />
              <Show when={props.shown === 'Charts'}>
                <CompareCharts
                  comparison={comparing.result()?.comparison}
                  cloud={comparing.result()?.cloud ?? undefined}
                  charts={comparing.charts()}
                  scene={scene()}
                  selected={comparing.pair()?.a.request}
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

/** The letter of a run: A filled, B with a dashed outline. */
function Badge(props: { run: 'a' | 'b' }): JSX.Element {
  return (
    <b class={`run-badge ${props.run}`} aria-hidden="true">
      {props.run.toUpperCase()}
    </b>
  );
}

/** The line style of a run: A solid, B dashed. */
function Key(props: { run: 'a' | 'b' }): JSX.Element {
  return (
    <svg class="compare-key" width="22" height="8" viewBox="0 0 22 8" aria-hidden="true">
      <path class={`line ${props.run}`} d="M1 4h20" />
    </svg>
  );
}

/** The name of A by what it did: its routers, where B has others. */
function createNameOfA(app: Pick<App, 'document'>, comparing: Comparing): Accessor<string> {
  const [name, setName] = createSignal('this run');
  createEffect(
    on([app.document.current, comparing.beside], ([document, b]) => {
      if (!b) return;
      const stays = (): boolean => document === app.document.current() && b === comparing.beside();
      Promise.all([document, b.document].map((of) => routersSaid(comparing.thread, of))).then(
        ([own, other]) => stays() && setName(own === undefined || own === other ? 'this run' : own),
        () => stays() && setName('this run'),
      );
    }),
  );
  return name;
}
