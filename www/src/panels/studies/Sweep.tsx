// A sweep: a field of the scenario over a range, with several seeds and routers, and the capacity of the fleet. Loaded when opened.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { getAt, type Json } from '../../base/json.ts';
import type { Option } from '../../base/schema.ts';
import { DASH, durationMs, NBSP, percent, plain, ratePerS, text, usd } from '../../base/units.ts';
import type { SweepPoint, SweepSummary } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import type { Progress } from '../../state/manyRuns.ts';
import { createSweep } from '../../state/sweep.ts';
import { choiceText, entriesOf, fieldAt, fieldsIn, SECTIONS } from '../parts/formFields.ts';
import { TrustChip } from '../parts/Trust.tsx';
import { type Axis, figureOf, SweepCharts, type Theories } from './SweepCharts.tsx';
import { SweepTheory } from './SweepTheory.tsx';
import './race.css';

const ROUTING = 'cluster.routing';
/** All arrival rates by a factor, as named in `--vary`. */
const TRAFFIC: Varied = {
  path: 'traffic',
  title: 'Traffic: all rates by a factor',
  unit: '×',
  times: 1,
  group: '',
  label: '',
  integer: false,
  now: 1,
};
const SEEDS = [1, 3, 5, 10];
const SHARES = [0.9, 0.95, 0.99, 0.999];
/** The most lines that can be distinguished in one chart. */
const MOST_ROUTERS = 4;

/** Whether a path is a rate of arrivals. */
const isRate = (path: string): boolean => path === TRAFFIC.path || path.endsWith('rate_per_s');

type Study = ReturnType<typeof createSweep>;

type Varied = Axis & {
  /** Its section in the form, and its name there. */
  readonly group: string;
  readonly label: string;
  readonly integer: boolean;
  readonly now: number;
};

export default function Sweep(props: { app: Pick<App, 'document'> }): JSX.Element {
  const app = props.app;
  const study = createSweep();
  const fields = createMemo(() => [TRAFFIC, ...numbersOf(app)]);
  const [path, setPath] = createSignal(TRAFFIC.path);
  const varied = (): Varied => fields().find((f) => f.path === path()) ?? TRAFFIC;
  const [from, setFrom] = createSignal('0.5');
  const [to, setTo] = createSignal('1.5');
  const [steps, setSteps] = createSignal(6);
  const [seeds, setSeeds] = createSignal(3);
  const [routers, setRouters] = createSignal<readonly string[]>([]);
  /** The varied field of the curves on screen. */
  const [axis, setAxis] = createSignal<Axis>(TRAFFIC);
  const [ran, setRan] = createSignal<readonly string[]>([]);
  const [theory, setTheory] = createSignal<Theories>();
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
  const begin = (): void => {
    const { title, unit, times } = varied();
    setAxis({ path: path(), title, unit, times });
    setRan(asked());
    setTheory(undefined);
    void study.sweep(app.document.current(), asked(), seeds());
  };
  return (
    <>
      <div class="compare-side">
        <div class="compare-scroll">
          <div class="compare-chooser">
            <VariedSelect fields={fields()} path={path()} onPath={choose} />
            <div class="sweep-range">
              <Bound name="From" value={from()} onValue={setFrom} />
              <Bound name="to" value={to()} onValue={setTo} />
              <label>
                Values
                <select class="in" value={steps()} onChange={(event) => setSteps(Number(event.currentTarget.value))}>
                  <For each={[3, 5, 6, 8, 10, 15]}>{(n) => <option value={n}>{n}</option>}</For>
                </select>
              </label>
            </div>
            <p class="compare-trouble" role="alert">
              {wrong()}
            </p>
            <label>
              Seeds
              <select class="in" value={seeds()} onChange={(event) => setSeeds(Number(event.currentTarget.value))}>
                <For each={SEEDS}>{(n) => <option value={n}>{n}</option>}</For>
              </select>
            </label>
            <RouterChoice options={options()} chosen={routers()} onToggle={toggle} />
            <div class="compare-buttons flat">
              <Show
                when={study.running() === 'sweep'}
                fallback={
                  <button type="button" class="btn pri" disabled={wrong() !== ''} onClick={begin}>
                    Sweep
                  </button>
                }
              >
                <button type="button" class="btn box" onClick={study.stop}>
                  Cancel
                </button>
              </Show>
            </div>
          </div>
          <Capacity app={app} study={study} seeds={seeds()} />
          <p class="compare-trouble" role="alert">
            {study.trouble()}
          </p>
        </div>
      </div>
      <div class="compare-mid race-mid">
        <div class="compare-head">
          <b class="compare-title">Sweep and capacity</b>
          <span class="s">each value gets the same requests with each seed</span>
          <span class="grow" />
          <Show when={study.progress()}>{(p) => <Reached progress={p()} of={study.running()} />}</Show>
        </div>
        <Show
          when={study.summary()}
          fallback={
            <div class="empty">
              <Show when={study.running() === undefined} fallback={<p>The first runs are under way…</p>}>
                <p>Where does it break? Curves with their knees appear as runs come in.</p>
                <button type="button" class="btn pri" disabled={wrong() !== ''} onClick={begin}>
                  Start: {varied() === TRAFFIC ? 'traffic' : varied().title} from {from()} to {to()}
                  {varied().unit === '' ? '' : `${NBSP}${varied().unit}`}
                </button>
              </Show>
            </div>
          }
        >
          {(summary) => (
            <>
              <Show when={isRate(axis().path)}>
                <SweepTheory app={app} varied={ran()} theory={theory()} onTheory={setTheory} />
              </Show>
              <SweepCharts
                summary={summary()}
                axis={axis()}
                ttftMs={ttftOf(app)}
                theory={isRate(axis().path) ? theory() : undefined}
              />
              <Points summary={summary()} axis={axis()} />
              <p class="say sweep-command">
                The same on the command line, for more cases and as files:{' '}
                <code>
                  tokenyard sweep FILE{' '}
                  {asked()
                    .map((a) => `--vary '${a}'`)
                    .join(' ')}{' '}
                  --seeds {seeds()} -o FOLDER
                </code>
              </p>
            </>
          )}
        </Show>
      </div>
    </>
  );
}

/** The fields that can be varied: the traffic, and the numbers of the form, by section. */
function VariedSelect(props: { fields: readonly Varied[]; path: string; onPath: (path: string) => void }): JSX.Element {
  const groups = createMemo(() => [...new Set(props.fields.flatMap((f) => (f.group === '' ? [] : [f.group])))]);
  return (
    <label>
      Varied field
      <select class="in" value={props.path} onChange={(event) => props.onPath(event.currentTarget.value)}>
        <option value={TRAFFIC.path}>{TRAFFIC.title}</option>
        <For each={groups()}>
          {(group) => (
            <optgroup label={group}>
              <For each={props.fields.filter((f) => f.group === group)}>
                {(f) => (
                  <option value={f.path}>
                    {f.label}
                    {f.unit === '' || f.unit === '×' ? '' : `, ${f.unit}`}
                  </option>
                )}
              </For>
            </optgroup>
          )}
        </For>
      </select>
    </label>
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

/** The highest arrival rate at which enough requests meet the objectives. */
function Capacity(props: { app: Pick<App, 'document'>; study: Study; seeds: number }): JSX.Element {
  const { study } = props;
  const [share, setShare] = createSignal(0.95);
  return (
    <div class="compare-chooser sweep-capacity">
      <h2>Capacity</h2>
      <p class="say">
        The highest arrival rate at which enough requests meet the objectives, by bisection. Refused, dropped and late
        requests count as misses; unfinished requests still in time are left out.
      </p>
      <label>
        Required share
        <select class="in" value={share()} onChange={(event) => setShare(Number(event.currentTarget.value))}>
          <For each={SHARES}>{(s) => <option value={s}>{text(percent(s, 1))}</option>}</For>
        </select>
      </label>
      <div class="compare-buttons flat">
        <Show
          when={study.running() === 'capacity'}
          fallback={
            <button
              type="button"
              class="btn box"
              onClick={() => void study.find(props.app.document.current(), props.seeds, share())}
            >
              Find the capacity
            </button>
          }
        >
          <button type="button" class="btn box" onClick={study.stop}>
            Cancel
          </button>
        </Show>
      </div>
      <div role="status">
        <Show when={study.capacity()}>
          {(found) => (
            <>
              <p class="sweep-found">{found().text}</p>
              <TrustChip pools={found().evidence} />
              <p class="say">
                A capacity lies near the knee, where a few per cent in the time of a step decide how long requests wait.
              </p>
              <Show when={found().factor}>
                {(factor) => (
                  <p class="say">
                    That is {plain(factor())}× the traffic of the scenario, the highest at which enough requests meet
                    the objectives. A knee differs: there a time is three times that of the lowest traffic.
                  </p>
                )}
              </Show>
            </>
          )}
        </Show>
      </div>
    </div>
  );
}

function Reached(props: { progress: Progress; of: 'sweep' | 'capacity' | undefined }): JSX.Element {
  return (
    <span class="m" role="status">
      <progress aria-label="Runs done" max={props.progress.of} value={props.progress.done} /> {props.progress.done} of{' '}
      {props.progress.of}
      {props.of === 'capacity' ? ' seeds' : ''} · {text(durationMs(props.progress.tookMs))} · {props.progress.workers}{' '}
      workers
    </span>
  );
}

/** The fields of the scenario that hold a number. */
function numbersOf(app: Pick<App, 'document'>): readonly Varied[] {
  const document = app.document.current();
  return SECTIONS.flatMap((section) =>
    entriesOf(document, section).flatMap((entry) =>
      fieldsIn(app.document.schema, document, section, entry).flatMap((field): readonly Varied[] => {
        const value = getAt(document, field.path) ?? field.initial;
        if (field.input.kind !== 'number' || typeof value !== 'number') return [];
        const title = [section.title, field.within, field.label].filter((part) => part !== '').join(', ');
        const { path, unit, times, input } = field;
        const label = title.slice(section.title.length).replace(/^, /, '');
        return [{ path, title, group: section.title, label, unit, times, integer: input.integer, now: value / times }];
      }),
    ),
  );
}

/** The argument of `--vary`: a range, or a list of whole numbers. */
function valuesOf({ times, integer }: Varied, from: number, to: number, steps: number): string {
  if (!integer) return `${from * times}..${to * times}/${steps}`;
  const all = Array.from({ length: steps }, (_, i) => Math.round((from + ((to - from) * i) / (steps - 1)) * times));
  return [...new Set(all)].join(',');
}

function ttftOf(app: Pick<App, 'document'>): number {
  const value =
    getAt(app.document.current(), 'slo.ttft_ms') ??
    fieldAt(app.document.schema, app.document.current(), 'slo.ttft_ms')?.initial;
  return typeof value === 'number' ? value : 0;
}

type Column = {
  readonly figure: string;
  readonly title: string;
  readonly says: (value: number) => string;
};
const COLUMNS: readonly Column[] = [
  { figure: 'arrived_per_s', title: 'Arrivals', says: (v) => text(ratePerS(v)) },
  { figure: 'ttft_p50_ms', title: 'TTFT p50', says: (v) => text(durationMs(v)) },
  { figure: 'ttft_p99_ms', title: 'TTFT p99', says: (v) => text(durationMs(v)) },
  { figure: 'itl_p99_ms', title: 'ITL p99', says: (v) => text(durationMs(v)) },
  { figure: 'met_share', title: 'Objectives met *', says: (v) => text(percent(v, 1)) },
  { figure: 'usd_per_million_output_tokens', title: 'Cost of 1M output', says: usd },
];

/** Whether the latencies of all points can be trusted equally. */
function oneClass(summary: SweepSummary): boolean {
  return summary.points.every((point) => point.evidence === summary.points[0]?.evidence);
}

function Points(props: { summary: SweepSummary; axis: Axis }): JSX.Element {
  const value = (point: SweepPoint, i: number): string => {
    const said = point.values[i] ?? '';
    const axis = props.summary.paths[i] === props.axis.path;
    return axis ? plain(Number(said) / props.axis.times) : said.replaceAll('"', '');
  };
  const said = (point: SweepPoint, column: Column): string => {
    const mean = figureOf(point, column.figure)?.mean;
    return mean === null || mean === undefined ? DASH : column.says(mean);
  };
  return (
    <section class="race-table" aria-label="Cases of the sweep" tabindex="0">
      <table class="tbl">
        <caption class="visually-hidden">The cases of the sweep, means over the seeds</caption>
        <thead>
          <tr>
            <For each={props.summary.paths}>
              {(path) => <th>{path === props.axis.path ? `${props.axis.title} ${props.axis.unit}` : path}</th>}
            </For>
            <For each={COLUMNS}>{(column) => <th class="r">{column.title}</th>}</For>
            <th>Best trade-off</th>
            <Show when={!oneClass(props.summary)}>
              <th>Evidence</th>
            </Show>
          </tr>
        </thead>
        <tbody>
          <For each={props.summary.points}>
            {(point, i) => (
              <tr>
                <For each={props.summary.paths}>{(_, k) => <td>{value(point, k())}</td>}</For>
                <For each={COLUMNS}>{(column) => <td class="r">{said(point, column)}</td>}</For>
                <td>
                  <Show when={props.summary.front.includes(i())}>
                    <span aria-hidden="true">✓</span>
                    <span class="visually-hidden">yes</span>
                  </Show>
                </td>
                <Show when={!oneClass(props.summary)}>
                  <td>{point.evidence}</td>
                </Show>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <Show when={oneClass(props.summary)}>
        <TrustChip pools={props.summary.evidence} label="All cases" />
      </Show>
      <p class="say">
        * of the requests that finished, were refused or dropped; refused and dropped ones count as misses.
      </p>
    </section>
  );
}
