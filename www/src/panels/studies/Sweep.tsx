// A sweep: a field of the scenario over a range, with several seeds and routers, and the capacity of the fleet. Loaded
// when it is opened.

import { createEffect, createMemo, createSignal, For, type JSX, on, onCleanup, Show } from 'solid-js';
import { getAt, type Json } from '../../base/json.ts';
import { titled } from '../../base/keyWords.ts';
import { isPhone } from '../../base/media.ts';
import type { Option } from '../../base/schema.ts';
import { NBSP } from '../../base/units.ts';
import type { App } from '../../state/app.ts';
import { type OpenedStudy, sweepFile, sweepOfFile } from '../../state/studies/studyFiles.ts';
import { setStudyInLink } from '../../state/studies/studyLink.ts';
import { createSweep } from '../../state/studies/sweep.ts';
import { createElsewhere } from '../../state/studies/sweepCommand.ts';
import { choiceText, fieldAt } from '../parts/formFields.ts';
import { FieldPick } from './FieldPick.tsx';
import { SavedNote } from './Race.tsx';
import { RunElsewhere } from './RunElsewhere.tsx';
import { SeedCount, seedCountFor } from './SeedCount.tsx';
import { Reached, StudyTools } from './StudyTools.tsx';
import { SweepCapacity } from './SweepCapacity.tsx';
import { SweepCharts, type Theories } from './SweepCharts.tsx';
import { SweepTable } from './SweepTable.tsx';
import { SweepTheory } from './SweepTheory.tsx';
import { type SweepAsked, studyText } from './studyText.ts';
import { numbersOf, TRAFFIC, type Varied } from './sweepFields.ts';
import './race.css';

const ROUTING = 'cluster.routing';
const STEPS = [3, 5, 6, 8, 10, 15];
/** The most lines that can be distinguished in one chart. */
const MOST_ROUTERS = 4;

/** Whether a path is a rate of arrivals. */
const isRate = (path: string): boolean => path === TRAFFIC.path || path.endsWith('rate_per_s');

/** What is swept: the field, its range, and further routers. */
function createAsked(app: Pick<App, 'document'>) {
  const fields = createMemo(() => [TRAFFIC, ...numbersOf(app.document.schema, app.document.current())]);
  const [path, setPath] = createSignal(TRAFFIC.path);
  const varied = (): Varied => fields().find((f) => f.path === path()) ?? TRAFFIC;
  const [from, setFrom] = createSignal('0.5');
  const [to, setTo] = createSignal('1.5');
  const [steps, setSteps] = createSignal(6);
  const [routers, setRouters] = createSignal<readonly string[]>([]);
  const routing = (): Json => getAt(app.document.current(), ROUTING) ?? 'least-loaded';
  const options = createMemo(() => {
    const field = fieldAt(app.document.schema, app.document.current(), ROUTING);
    const all = field?.input.kind === 'choice' ? field.input.options : [];
    return all.filter((option) => option.label !== choiceText(routing(), field));
  });
  const choose = (next: string): void => {
    setPath(next);
    const { now, integer } = varied();
    const round = (x: number): string => String(integer ? Math.max(1, Math.round(x)) : Number(x.toPrecision(3)));
    setFrom(round(now === 0 ? 1 : now / 2));
    setTo(round(now === 0 ? 10 : now * 1.5));
  };
  const toggle = (tag: string): void => {
    const without = routers().filter((r) => r !== tag);
    setRouters(without.length < routers().length ? without : [...without, tag].slice(-(MOST_ROUTERS - 1)));
  };
  /** The arguments of `--vary`. */
  const asked = (): readonly string[] => {
    const all = routers().map((tag) => JSON.stringify(tag));
    const range = valuesOf(varied(), Number(from()), Number(to()), steps());
    return [
      `${path()}=${range}`,
      ...(all.length > 0 ? [`${ROUTING}=${[JSON.stringify(routing()), ...all].join(',')}`] : []),
    ];
  };
  const wrong = (): string => {
    const [low, high] = [Number(from()), Number(to())];
    return from().trim() !== '' && to().trim() !== '' && Number.isFinite(low) && Number.isFinite(high) && low < high
      ? ''
      : 'Two numbers, the lower one first.';
  };
  return {
    ...{ fields, path, varied, from, setFrom, to, setTo, steps, setSteps },
    ...{ routers, setRouters, options, choose, toggle, asked, wrong },
  };
}

type Asked = ReturnType<typeof createAsked>;

/** What a sweep keeps while another study is shown. */
function createState(app: Pick<App, 'document'>) {
  const [seeds, setSeeds] = createSignal(3);
  const [theory, setTheory] = createSignal<Theories>();
  const [saved, setSaved] = createSignal<OpenedStudy>();
  return { study: createSweep(), asked: createAsked(app), seeds, setSeeds, theory, setTheory, saved, setSaved };
}

export type SweepState = ReturnType<typeof createState>;

export default function Sweep(props: {
  app: Pick<App, 'document'>;
  /** The state that was kept, or what `make` makes. */
  state: (make: () => SweepState) => SweepState;
  /** The file of a sweep, to show. */
  opened: OpenedStudy | undefined;
  /** The settings of a link. */
  linked: SweepAsked | undefined;
  onOpen: (file: File) => void;
}): JSX.Element {
  const app = props.app;
  const { study, asked, seeds, setSeeds, theory, setTheory, saved, setSaved } = props.state(() => createState(app));
  const axis = () => study.swept()?.axis ?? TRAFFIC;
  let results: HTMLDivElement | undefined;
  const begin = (): void => {
    // On a phone the results are above the settings.
    if (isPhone()) results?.scrollIntoView();
    const { path, title, unit, times } = asked.varied();
    setTheory(undefined);
    setSaved(undefined);
    const swept = {
      document: app.document.current(),
      axis: { path, title, unit, times },
      varied: asked.asked(),
      seeds: seeds(),
    };
    void study.sweep(swept);
  };
  createEffect(
    on(
      () => props.opened,
      (opened) => {
        const found = opened && sweepOfFile(opened.study);
        if (!opened || !found || opened === saved()) return;
        setSaved(opened);
        setTheory(undefined);
        void study.show(found.swept, found.rows);
      },
    ),
  );
  createEffect(
    on(
      () => props.linked,
      (linked) => linked && applyLinked(linked, asked, setSeeds),
    ),
  );
  const planned = createElsewhere(study.thread);
  const made = createElsewhere(study.thread);
  createEffect(() => {
    const of = { document: app.document.current(), varied: asked.asked(), seeds: seeds() };
    planned.ask(asked.wrong() === '' ? study.asElsewhere(of) : undefined);
  });
  createEffect(() => {
    const swept = study.swept();
    made.ask(swept && study.asElsewhere(swept));
  });
  createEffect(() => {
    const of = { path: asked.path(), from: asked.from(), to: asked.to(), steps: asked.steps(), seeds: seeds() };
    setStudyInLink(studyText({ kind: 'sweep', ...of, routers: asked.routers() }));
  });
  onCleanup(() => setStudyInLink(undefined));
  const ttftMs = (): number => {
    const document = study.swept()?.document ?? app.document.current();
    const value = getAt(document, 'slo.ttft_ms') ?? fieldAt(app.document.schema, document, 'slo.ttft_ms')?.initial;
    return typeof value === 'number' ? value : 0;
  };
  return (
    <>
      <div class="compare-side">
        <div class="compare-scroll">
          <Settings
            asked={asked}
            seeds={seeds()}
            onSeeds={setSeeds}
            running={study.running() === 'sweep'}
            begin={begin}
          />
          <For each={planned.found()?.left_out ?? []}>{(edit) => <p class="say">{titled(edit)}.</p>}</For>
          <SweepCapacity app={app} study={study} seeds={seeds()} />
          <p class="compare-trouble" role="alert">
            {study.trouble()}
          </p>
        </div>
      </div>
      <div class="compare-mid race-mid" ref={results}>
        <div class="compare-head">
          <b class="compare-title">Sweep and capacity</b>
          <span class="s of-laps">each value gets the same requests with each seed</span>
          <span class="grow" />
          <Reached
            progress={study.progress()}
            running={study.running() !== undefined}
            what={study.running() === 'capacity' ? ' seeds' : ''}
            onCancel={study.stop}
          />
          <StudyTools
            thread={study.thread}
            study={() => {
              const swept = study.swept();
              return swept && study.rows().length > 0 ? sweepFile(swept, study.rows()) : undefined;
            }}
            name="sweep"
            onOpen={props.onOpen}
            onTrouble={study.setTrouble}
          />
        </div>
        <SavedNote saved={saved()} />
        <Show when={study.summary() === undefined || study.running() === 'sweep'}>
          <RunElsewhere found={planned.found()} command={planned.command} />
        </Show>
        <Show
          when={study.summary()}
          fallback={
            <p class="empty">
              {study.running() === undefined
                ? 'Where does it break? Curves with their knees appear as runs come in.'
                : 'The first runs are under way…'}
            </p>
          }
        >
          {(summary) => (
            <>
              <Show when={isRate(axis().path)}>
                <SweepTheory app={app} varied={study.swept()?.varied ?? []} theory={theory()} onTheory={setTheory} />
              </Show>
              <SweepCharts
                summary={summary()}
                axis={axis()}
                ttftMs={ttftMs()}
                capacity={axis().path === TRAFFIC.path ? study.capacity() : undefined}
                theory={isRate(axis().path) ? theory() : undefined}
              />
              <SweepTable summary={summary()} axis={axis()} />
              <Show when={study.running() !== 'sweep'}>
                <RunElsewhere found={made.found()} command={made.command} always />
              </Show>
            </>
          )}
        </Show>
      </div>
    </>
  );
}

/** Takes over the settings of a link; nothing runs yet. */
function applyLinked(linked: SweepAsked, asked: Asked, setSeeds: (seeds: number) => void): void {
  if (asked.fields().some(({ path }) => path === linked.path)) asked.choose(linked.path);
  asked.setFrom(linked.from);
  asked.setTo(linked.to);
  asked.setSteps(STEPS.findLast((n) => n <= linked.steps) ?? 3);
  asked.setRouters(linked.routers.slice(0, MOST_ROUTERS - 1));
  setSeeds(seedCountFor(linked.seeds));
}

/** The field, its range, the seeds and the routers. */
function Settings(props: {
  asked: Asked;
  seeds: number;
  onSeeds: (seeds: number) => void;
  running: boolean;
  begin: () => void;
}): JSX.Element {
  const { asked } = props;
  return (
    <div class="compare-chooser">
      <FieldPick fields={asked.fields()} path={asked.path()} onPath={asked.choose} />
      <div class="sweep-range">
        <Bound name="From" value={asked.from()} onValue={asked.setFrom} />
        <Bound name="to" value={asked.to()} onValue={asked.setTo} />
        <label>
          Values
          <select
            class="in"
            value={asked.steps()}
            onChange={(event) => asked.setSteps(Number(event.currentTarget.value))}
          >
            <For each={STEPS}>{(n) => <option value={n}>{n}</option>}</For>
          </select>
        </label>
      </div>
      <p class="compare-trouble" role="alert">
        {asked.wrong()}
      </p>
      <SeedCount seeds={props.seeds} onSeeds={props.onSeeds} />
      <RouterChoice options={asked.options()} chosen={asked.routers()} onToggle={asked.toggle} />
      <div class="compare-buttons flat begins">
        <button
          type="button"
          class="btn pri"
          disabled={asked.wrong() !== ''}
          aria-disabled={props.running}
          onClick={() => {
            if (!props.running) props.begin();
          }}
        >
          Start: {asked.varied() === TRAFFIC ? 'traffic' : asked.varied().title} from {asked.from()} to {asked.to()}
          {asked.varied().unit === '' ? '' : `${NBSP}${asked.varied().unit}`}
        </button>
      </div>
    </div>
  );
}

/** An end of the range. */
function Bound(props: { name: string; value: string; onValue: (value: string) => void }): JSX.Element {
  return (
    <label>
      {props.name}
      <input
        class="in"
        type="text"
        inputmode="decimal"
        value={props.value}
        onInput={(event) => props.onValue(event.currentTarget.value)}
      />
    </label>
  );
}

/** Further routers to sweep. */
function RouterChoice(props: {
  options: readonly Option[];
  chosen: readonly string[];
  onToggle: (tag: string) => void;
}): JSX.Element {
  return (
    <details>
      <summary>Routers beside the scenario’s own ({props.chosen.length})</summary>
      <fieldset class="race-chooser">
        <legend class="visually-hidden">Routers</legend>
        <For each={props.options}>
          {(option) => (
            <label class="check">
              <input
                type="checkbox"
                checked={props.chosen.includes(option.tag)}
                onChange={() => props.onToggle(option.tag)}
              />
              {option.label}
            </label>
          )}
        </For>
      </fieldset>
    </details>
  );
}

/** The argument of `--vary`: a range, or a list of whole numbers. */
export function valuesOf({ times, integer }: Varied, from: number, to: number, steps: number): string {
  if (!integer) return `${from * times}..${to * times}/${steps}`;
  const all = Array.from({ length: steps }, (_, i) => Math.round((from + ((to - from) * i) / (steps - 1)) * times));
  return [...new Set(all)].join(',');
}
