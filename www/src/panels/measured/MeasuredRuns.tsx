// How true is this? Measured runs beside their simulations, and the user's own benchmark. Loaded when it is opened.

import { createMemo, createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import published from '../../../../docs/data/reproduced.json';
import page from '../../../../docs/data/validation-page.json';
import { sentence } from '../../base/keyWords.ts';
import { writeDocument } from '../../base/text.ts';
import { trust } from '../../base/trust.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import type { PercentPoint } from '../../state/studies/measured.ts';
import { overlay } from '../parts/overlay.ts';
import { Segments } from '../parts/Segments.tsx';
import { DistanceTable } from './DistanceTable.tsx';
import { ErrorsByModel } from './ErrorsByModel.tsx';
import { ErrorTable } from './ErrorTable.tsx';
import { EvidencePanel } from './Evidence.tsx';
import { ExpectedRanges } from './ExpectedRanges.tsx';
import { ExperimentPanel } from './Experiment.tsx';
import {
  countedStages,
  counts,
  distanceHeadline,
  type Experiment,
  filterText,
  groupsOf,
  headline,
  listedError,
  type MeasuredPage,
  measuredPoints,
  REGIMES,
  type Regime,
  rankingHeadline,
  SHOWN,
  type Shown,
  type Stage,
  scenarioOf,
  shortName,
  shownOf,
} from './measuredData.ts';
import { PublishedPanel } from './PublishedPanel.tsx';
import { type Reproduced, type ReproducedPage, reproducedHeadline, scenarioText } from './publishedData.ts';
import { RankingPanel } from './RankingPanel.tsx';
import { StageScatter } from './StageScatter.tsx';
import { YourBenchmark } from './YourBenchmark.tsx';
import './measured.css';

const DATA = trust<MeasuredPage>(page);
const PUBLISHED = trust<ReproducedPage>(published);
type Side = 'benchmark' | 'experiment';
const SIDES: readonly (readonly [Side, string])[] = [
  ['benchmark', 'Your benchmark'],
  ['experiment', 'Experiment'],
];

export default function MeasuredRuns(props: {
  app: Pick<App, 'transport' | 'document' | 'studies' | 'dialogs' | 'links'>;
}): JSX.Element {
  const app = props.app;
  let host: HTMLElement | undefined;
  const [regime, setRegime] = createSignal<Regime>('below');
  const [shown, setShown] = createSignal<Shown>('calibrated');
  const level = createMemo(() => DATA.levels.find((l) => l.level === shown()));
  const [chosen, setChosen] = createSignal<Experiment>();
  const [side, setSide] = createSignal<Side>('benchmark');
  const choose = (e: Experiment): void => {
    setChosen(e);
    setSide('experiment');
  };
  const openStage = async (e: Experiment, stage: Stage): Promise<void> => {
    const name = stage.stage === '' ? e.id : `${e.id} · ${stage.stage}`;
    if (!(await app.document.open(writeDocument(scenarioOf(e, stage)), name, false))) return;
    const points = (metric: string): readonly PercentPoint[] => measuredPoints(stage, metric);
    app.studies.setMeasuredRun({ name, ttft: points('ttft_ms'), e2e: points('e2e_ms') });
    app.studies.setMeasured(false);
  };
  const openPublished = async (e: Reproduced): Promise<void> => {
    if (await app.document.open(await scenarioText(e), e.opens, false)) app.studies.setMeasured(false);
  };
  const title = (): string => {
    if (shown() === 'published') return reproducedHeadline(PUBLISHED);
    if (shown() === 'distance') return distanceHeadline(DATA.distances ?? []);
    return shown() === 'ranking' ? rankingHeadline(DATA.rankings) : headline(level(), regime());
  };
  overlay(
    () => host,
    () => app.studies.setMeasured(false),
  );

  return (
    <main class="overlay truth" aria-label="How true is this?" tabindex="-1" ref={host}>
      <ExperimentList regime={regime()} chosen={chosen()} onChoose={choose} />
      <div class="truth-mid">
        <div class="truth-head">
          <div>
            <h2 class="truth-title">{title()}</h2>
            <p class="s">
              {SHOWN.find(([name]) => name === shown())?.[2]}{' '}
              <a href="./accuracy.html" target="_blank" rel="noreferrer">
                Every measured row
              </a>
            </p>
          </div>
          <div class="truth-choices">
            <Segments
              label="Level"
              options={shownOf(DATA).map(([name, label]) => [name, label] as const)}
              chosen={shown()}
              onChoose={setShown}
            />
            <Show when={level()}>
              <Segments label="Regime" options={REGIMES} chosen={regime()} onChoose={setRegime} />
            </Show>
          </div>
          <button type="button" class="btn sq" aria-label="Close" onClick={() => app.studies.setMeasured(false)}>
            <Icon name="close" />
          </button>
        </div>
        <Switch fallback={<ErrorTable figures={DATA.figures} level={level()} regime={regime()} />}>
          <Match when={shown() === 'distance'}>
            <DistanceTable distances={DATA.distances ?? []} />
          </Match>
          <Match when={shown() === 'ranking'}>
            <RankingPanel rankings={DATA.rankings} />
          </Match>
          <Match when={shown() === 'published'}>
            <PublishedPanel page={PUBLISHED} onOpen={(e) => void openPublished(e)} />
          </Match>
        </Switch>
        <Show when={shown() !== 'published'}>
          <div class="truth-pair">
            <StageScatter data={DATA} chosen={chosen()?.id} onChoose={choose} />
            <ErrorsByModel models={DATA.models} />
          </div>
        </Show>
      </div>
      <aside class="truth-side" aria-label="Your benchmark and the experiment">
        <div class="bar">
          <Segments label="Show" options={SIDES} chosen={side()} onChoose={setSide} />
        </div>
        <div class="truth-scroll">
          <Show when={side() === 'experiment'} fallback={<YourBenchmark app={app} />}>
            <ExperimentPanel experiment={chosen()} onOpen={(e, stage) => void openStage(e, stage)} />
          </Show>
          <EvidencePanel evidence={app.transport.evidence()} schema={app.document.schema} />
          <Show when={(app.transport.evidence()?.coefficients.length ?? 0) > 0}>
            <ExpectedRanges app={app} />
          </Show>
        </div>
      </aside>
    </main>
  );
}

/** The experiments of each group, with the error of each. */
function ExperimentList(props: {
  regime: Regime;
  chosen: Experiment | undefined;
  onChoose: (experiment: Experiment) => void;
}): JSX.Element {
  const [shut, setShut] = createSignal<ReadonlySet<string>>(new Set());
  /** Whether experiments that do not count for the headline are listed too. */
  const [whole, setWhole] = createSignal(false);
  const counted = createMemo(() => DATA.experiments.filter((e) => counts(e, props.regime)).length);
  const groups = createMemo(() =>
    groupsOf(DATA)
      .map((group) => ({ ...group, experiments: group.experiments.filter((e) => whole() || counts(e, props.regime)) }))
      .filter((group) => group.experiments.length > 0),
  );
  const toggle = (group: string): void => {
    const next = new Set(shut());
    if (!next.delete(group)) next.add(group);
    setShut(next);
  };
  return (
    <nav class="truth-list" aria-label="Experiments">
      <div class="bar">
        <h2>{whole() ? DATA.experiments.length : `${counted()} of ${DATA.experiments.length}`} experiments</h2>
        <span class="grow" />
        <button type="button" class="btn box" aria-pressed={whole()} onClick={() => setWhole(!whole())}>
          All
        </button>
      </div>
      <p class="s truth-filter">
        {whole() ? 'All, also those that count for no headline' : sentence(filterText('calibrated', props.regime))}.
        Error: E2E mean, calibrated, of each stage.
      </p>
      <div class="truth-scroll">
        <For each={groups()}>
          {(group) => (
            <section>
              <button
                type="button"
                class="truth-group"
                aria-expanded={!shut().has(group.name)}
                onClick={() => toggle(group.name)}
              >
                <b>{group.name}</b>
                <span class="s">{group.about}</span>
              </button>
              <Show when={!shut().has(group.name)}>
                <For each={group.experiments}>
                  {(e) => (
                    <button
                      type="button"
                      class="truth-row"
                      aria-pressed={props.chosen === e}
                      title={e.id}
                      onClick={() => props.onChoose(e)}
                    >
                      <span>{shortName(e)}</span>
                      <b>{listedError(e, whole() ? undefined : countedStages(e, props.regime))}</b>
                    </button>
                  )}
                </For>
              </Show>
            </section>
          )}
        </For>
      </div>
    </nav>
  );
}
