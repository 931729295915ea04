// A race: routers, autoscalers or settings of one's own on the same requests with several seeds, ranked as results come
// in. Autoscalers are compared with the oracle. Loaded when it is opened.

import { createEffect, createMemo, createSignal, type JSX, on, onCleanup, Show } from 'solid-js';
import { getAt, type Json } from '../../base/json.ts';
import { isPhone } from '../../base/media.ts';
import type { Option } from '../../base/schema.ts';
import { writeDocument } from '../../base/text.ts';
import type { RankBy, RunPolicies } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { scaledPools } from '../../state/edits/scaledPools.ts';
import type { Beside } from '../../state/studies/compare.ts';
import { freeName, tagOf } from '../../state/studies/entrants.ts';
import { troubleOf } from '../../state/studies/manyRuns.ts';
import { createRace, type Entrant, entrantDocument, type Race as RaceRuns } from '../../state/studies/race.ts';
import { type OpenedStudy, raceFile, raceOfFile } from '../../state/studies/studyFiles.ts';
import { setStudyInLink } from '../../state/studies/studyLink.ts';
import { fieldAt } from '../parts/formFields.ts';
import { Segments } from '../parts/Segments.tsx';
import { NoOracle } from './CompareFigures.tsx';
import { Entrants, OwnEntrants, RankedBy } from './RaceSide.tsx';
import { RaceTable } from './RaceTable.tsx';
import { SeedCount, seedCountFor } from './SeedCount.tsx';
import { Reached, StudyTools } from './StudyTools.tsx';
import { type RaceAsked, studyText } from './studyText.ts';
import './race.css';

const ROUTING = 'cluster.routing';
/** The kinds of policy raced: routers, or autoscalers. */
const KINDS = ['Routers', 'Autoscalers'] as const;
type Kind = (typeof KINDS)[number];
/** Routers selected for the race at first, besides the scenario's own. */
const FIRST: Readonly<Record<Kind, readonly string[]>> = {
  Routers: ['least-loaded', 'round-robin', 'random', 'power-of-d', 'weighted', 'kv-cost', 'cache-aware'],
  Autoscalers: ['hpa', 'kpa', 'target-utilization', 'threshold', 'wva-queueing-model'],
};
/** The oracle is a bound, not a competitor. */
const BOUND = 'oracle';

/** The policies that the run on screen has at a path, one after the other. */
function createPolicies(app: Pick<App, 'document'>, thread: RaceRuns['thread'], path: () => string) {
  const [policies, setPolicies] = createSignal<RunPolicies>();
  createEffect(
    on([app.document.current, path], ([document, at]) => {
      const stays = (): boolean => document === app.document.current() && at === path();
      thread.ask('policies', { scenario: writeDocument(document), path: at }).then(
        (found) => stays() && setPolicies(found),
        () => stays() && setPolicies(undefined),
      );
    }),
  );
  return policies;
}

/** Who runs: the policies of a kind, and entrants of one's own. */
function createRunners(app: Pick<App, 'document'>, thread: RaceRuns['thread']) {
  const [kind, setKind] = createSignal<Kind>('Routers');
  const [chosen, setChosen] = createSignal<ReadonlySet<string>>(new Set([...FIRST.Routers, ...FIRST.Autoscalers]));
  const [own, setOwn] = createSignal<readonly Entrant[]>([]);
  /** The pool whose autoscaler is raced: the first with one. */
  const scaled = createMemo(() => scaledPools(app.document.current())[0]);
  const of = (): Kind => (scaled() ? kind() : 'Routers');
  const path = (): string => (of() === 'Routers' ? ROUTING : `cluster.pools[${scaled()?.index ?? 0}].scaling.policy`);
  const ownTag = (): string => tagOf(getAt(app.document.current(), path()) ?? 'least-loaded');
  const options = createMemo(() => {
    const field = fieldAt(app.document.schema, app.document.current(), path());
    const all = field?.input.kind === 'choice' ? field.input.options : [];
    return all.filter((o) => o.tag !== BOUND || o.tag === ownTag());
  });
  const nameOf = (tag: string): string => options().find((o) => o.tag === tag)?.label ?? tag;
  const policies = createPolicies(app, thread, path);
  /** Whether edits change the policy during the run: then the policy alone is an entrant beside the run. */
  const changes = (): boolean => (policies()?.parts.length ?? 0) > 1;
  const ownName = (): string => (changes() ? policies()?.text : undefined) ?? nameOf(ownTag());
  // What the run used is raced too.
  createEffect(
    on(policies, (now) => {
      if (now && now.parts.length > 1) setChosen((before) => new Set([...before, ...now.parts.map(({ tag }) => tag)]));
    }),
  );
  const entrants = createMemo((): readonly Entrant[] => {
    const others = options().filter((o) => chosen().has(o.tag) && (changes() || o.tag !== ownTag()));
    // The scenario's own policy has its settings; the others have the defaults.
    const value = (o: Option): Json => (o.tag === ownTag() ? (getAt(app.document.current(), path()) ?? o.tag) : o.tag);
    const listed: Entrant[] = [
      { name: ownName(), set: {} },
      ...others.map((o): Entrant => ({ name: o.label, set: { [path()]: value(o) } })),
    ];
    const taken = listed.map(({ name }) => name);
    return [...listed, ...own().map(({ name, set }) => ({ name: freeName(name, taken), set }))];
  });
  const toggle = (tag: string): void => {
    const next = new Set(chosen());
    if (!next.delete(tag)) next.add(tag);
    setChosen(next);
  };
  return { setKind, of, chosen, setChosen, toggle, own, setOwn, scaled, options, ownTag, ownName, changes, entrants };
}

/** What a race keeps while another study is shown. */
function createState(app: Pick<App, 'document'>) {
  const [seeds, setSeeds] = createSignal(5);
  const [by, setBy] = createSignal<RankBy>('met-share');
  const [saved, setSaved] = createSignal<OpenedStudy>();
  const race = createRace();
  return { race, who: createRunners(app, race.thread), seeds, setSeeds, by, setBy, saved, setSaved };
}

export type RaceState = ReturnType<typeof createState>;

export default function Race(props: {
  app: Pick<App, 'document'>;
  /** The state that was kept, or what `make` makes. */
  state: (make: () => RaceState) => RaceState;
  /** The file of a race, to show. */
  opened: OpenedStudy | undefined;
  /** The settings of a link. */
  linked: RaceAsked | undefined;
  onOpen: (file: File) => void;
  onB: (next: Beside) => void;
}): JSX.Element {
  const app = props.app;
  const { race, who, seeds, setSeeds, by, setBy, saved, setSaved } = props.state(() => createState(app));
  let results: HTMLDivElement | undefined;
  const begin = (): void => {
    if (race.running()) return;
    // On a phone the results are above the settings.
    if (isPhone()) results?.scrollIntoView();
    setSaved(undefined);
    const raced = { entrants: who.entrants(), seeds: seeds(), bounded: who.of() === 'Autoscalers' };
    void race.start(app.document.current(), raced, by());
  };
  createEffect(
    on(
      () => props.opened,
      (opened) => {
        const found = opened && raceOfFile(opened.study);
        if (!opened || !found || opened === saved()) return;
        setSaved(opened);
        setBy(opened.study.by ?? 'met-share');
        void race.show(found.raced, found.laps, by());
      },
    ),
  );
  createEffect(
    on(
      () => props.linked,
      (linked) => linked && applyLinked(linked, { who, setSeeds, setBy }),
    ),
  );
  createEffect(() => {
    const asked = { of: who.of(), chosen: [...who.chosen()], own: who.own(), seeds: seeds(), by: by() };
    setStudyInLink(studyText({ kind: 'race', ...asked }));
  });
  onCleanup(() => setStudyInLink(undefined));
  const document = (): Json => race.raced()?.document ?? app.document.current();
  /** The objective of TTFT; 0 for none. */
  const objectiveMs = (): number => Number(getAt(document(), 'slo.ttft_ms') ?? 0);
  const races = (): string => {
    const what =
      who.own().length > 0 ? 'entrants' : who.of() === 'Autoscalers' ? 'autoscalers and the oracle' : 'routers';
    return `Race ${who.entrants().length} ${what}, ${seeds()} ${seeds() === 1 ? 'seed' : 'seeds'} each`;
  };
  const asB = (name: string): void => {
    const entrant = race.raced()?.entrants.find((one) => one.name === name);
    if (!entrant) return;
    entrantDocument(race.thread, document(), entrant).then(
      (of) => props.onB({ name, document: of }),
      (error: unknown) => race.setTrouble(troubleOf(error)),
    );
  };
  return (
    <>
      <div class="compare-side">
        <div class="compare-scroll">
          <Show when={who.scaled()}>
            <div class="race-kind">
              <Segments label="Kind of policy" options={KINDS} chosen={who.of()} onChoose={who.setKind} />
            </div>
          </Show>
          <Entrants
            title={who.of() === 'Routers' ? 'Routers' : `Autoscalers of ${who.scaled()?.name || 'the pool'}`}
            options={who.options()}
            own={who.changes() ? undefined : who.ownTag()}
            run={who.ownName()}
            chosen={who.chosen()}
            onToggle={who.toggle}
          />
          <OwnEntrants app={app} own={who.own()} taken={who.entrants().map(({ name }) => name)} onChange={who.setOwn} />
          <div class="compare-chooser">
            <SeedCount seeds={seeds()} onSeeds={setSeeds} />
            <RankedBy
              by={by()}
              onBy={(next) => {
                setBy(next);
                race.rank(next);
              }}
            />
          </div>
          <div class="compare-buttons begins">
            <button type="button" class="btn pri" aria-disabled={race.running()} onClick={begin}>
              {races()}
            </button>
          </div>
          <div class="compare-chooser">
            <p class="compare-trouble" role="alert">
              {race.trouble()}
            </p>
            <RaceNotes of={who.of()} changes={who.changes()} />
          </div>
        </div>
      </div>
      <div class="compare-mid race-mid" ref={results}>
        <div class="compare-head">
          <b class="compare-title">Policy race</b>
          <span class="s of-laps">a row for each entrant, a picture of TTFT p99 for each seed</span>
          <span class="grow" />
          <Reached progress={race.progress()} running={race.running()} onCancel={race.stop} />
          <StudyTools
            thread={race.thread}
            study={() => {
              const raced = race.raced();
              return raced && race.laps().length > 0 ? raceFile(raced, race.laps(), by()) : undefined;
            }}
            name="race"
            onOpen={props.onOpen}
            onTrouble={race.setTrouble}
          />
        </div>
        <SavedNote saved={saved()} />
        <NoOracle why={race.noOracle()} />
        <Show
          when={race.laps().length > 0 || race.running()}
          fallback={
            <div class="empty">
              <p>Which policy is best on the same requests? Choose the policies, then start the race.</p>
            </div>
          }
        >
          <RaceTable race={race} by={by()} objectiveMs={objectiveMs()} onB={asB} />
        </Show>
      </div>
    </>
  );
}

/** What a race compares; `changes`: whether edits change the policy of the run on screen. */
function RaceNotes(props: { of: Kind; changes: boolean }): JSX.Element {
  return (
    <>
      <p class="say">
        All get the same requests for each seed. Objectives met: of the requests that finished, were refused or dropped;
        refused and dropped ones count as misses. A p99 of all counts unfinished requests as the longest; Compare leaves
        them out. There is no composite score.
      </p>
      <Show when={props.changes}>
        <p class="say">
          Edits of the {props.of === 'Routers' ? 'router' : 'autoscaler'} apply to this run alone: the others keep
          theirs to the end. All other edits apply to all.
        </p>
      </Show>
      <Show when={props.of === 'Autoscalers'}>
        <p class="say">
          The scenario’s own policy keeps its settings; the others have the defaults. The oracle knows future rates and
          runs with the same seeds and limits: it is the bound.
        </p>
      </Show>
    </>
  );
}

/** Takes over the settings of a link; nothing runs yet. */
function applyLinked(linked: RaceAsked, to: Pick<RaceState, 'who' | 'setSeeds' | 'setBy'>): void {
  to.who.setKind(linked.of);
  to.who.setChosen(new Set(linked.chosen));
  to.who.setOwn(linked.own);
  to.setSeeds(seedCountFor(linked.seeds));
  to.setBy(linked.by);
}

/** Where the rows on screen come from, if from a file. */
export function SavedNote(props: { saved: OpenedStudy | undefined }): JSX.Element {
  return (
    <Show when={props.saved}>
      {(opened) => (
        <p class="say study-saved" role="status">
          From {opened().name}, made with version {opened().study.version}; nothing was run again.
          <Show when={!opened().whole}> The file was changed after it was saved: its digest differs.</Show>
        </p>
      )}
    </Show>
  );
}
