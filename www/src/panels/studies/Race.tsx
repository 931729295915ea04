// A policy race: the chosen routers or autoscalers on the same requests with several seeds, ranked as results come in.
// Autoscalers are compared with the oracle. Loaded when it is opened.

import { createMemo, createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';
import { getAt, isObject, type Json } from '../../base/json.ts';
import type { Option } from '../../base/schema.ts';
import { readDocument } from '../../base/text.ts';
import { count, DASH, durationMs, percent, ratePerS, signed, text, usd } from '../../base/units.ts';
import type { RacePlace, RankBy, RunRegret } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import type { Beside } from '../../state/compare.ts';
import { createRace, type Lap, type Runner } from '../../state/race.ts';
import { scaledPools } from '../../state/scaled.ts';
import { fieldAt } from '../parts/formFields.ts';
import { Segments } from '../parts/Segments.tsx';
import { NoOracle } from './CompareFigures.tsx';
import { RaceBoundFigure } from './RaceBound.tsx';
import './race.css';

const ROUTING = 'cluster.routing';
/** The kinds of policy raced: routers, or autoscalers. */
const KINDS = ['Routers', 'Autoscalers'] as const;
type Kind = (typeof KINDS)[number];
const SEEDS = [1, 3, 5, 10];
const BY: readonly (readonly [RankBy, string])[] = [
  ['met-share', 'objectives met'],
  ['ttft-p99', 'TTFT p99 of all'],
  ['e2e-p99', 'E2E p99 of all'],
  ['goodput', 'goodput'],
  ['usd', 'cost'],
];
/** Routers selected for the race at first, besides the scenario's own. */
const FIRST: Readonly<Record<Kind, readonly string[]>> = {
  Routers: ['least-loaded', 'round-robin', 'random', 'power-of-d', 'weighted', 'kv-cost', 'cache-aware'],
  Autoscalers: ['hpa', 'kpa', 'target-utilization', 'threshold', 'wva-queueing-model'],
};
/** The oracle is a bound, not a competitor. */
const BOUND = 'oracle';

export default function Race(props: { app: Pick<App, 'document'>; onB: (next: Beside) => void }): JSX.Element {
  const app = props.app;
  const race = createRace();
  const [kind, setKind] = createSignal<Kind>('Routers');
  /** The pool whose autoscaler is raced: the first with one. */
  const scaled = createMemo(() => scaledPools(app.document.current())[0]);
  const of = (): Kind => (scaled() ? kind() : 'Routers');
  const path = (): string => (of() === 'Routers' ? ROUTING : `cluster.pools[${scaled()?.index ?? 0}].scaling.policy`);
  const own = (): Json => getAt(app.document.current(), path()) ?? 'least-loaded';
  const options = createMemo(() => {
    const field = fieldAt(app.document.schema, app.document.current(), path());
    const all = field?.input.kind === 'choice' ? field.input.options : [];
    return all.filter((o) => o.tag !== BOUND || o.tag === ownTag());
  });
  const ownTag = (): string => {
    const now = own();
    return isObject(now) ? (Object.keys(now)[0] ?? '') : String(now);
  };
  const [chosen, setChosen] = createSignal<ReadonlySet<string>>(new Set([...FIRST.Routers, ...FIRST.Autoscalers]));
  const [seeds, setSeeds] = createSignal(5);
  const [by, setBy] = createSignal<RankBy>('met-share');
  const nameOf = (tag: string): string => options().find((o) => o.tag === tag)?.label ?? tag;
  const runners = createMemo((): readonly Runner[] => {
    const others = options().filter((o) => chosen().has(o.tag) && o.tag !== ownTag());
    return [{ name: nameOf(ownTag()), value: own() }, ...others.map((o) => ({ name: o.label, value: o.tag }))];
  });
  const toggle = (tag: string): void => {
    const next = new Set(chosen());
    if (!next.delete(tag)) next.add(tag);
    setChosen(next);
  };
  const begin = (): void => {
    const raced = { path: path(), runners: runners(), seeds: seeds(), bounded: of() === 'Autoscalers' };
    void race.start(app.document.current(), raced, by());
  };
  /** The objective of TTFT; 0 for none. */
  const objectiveMs = (): number => Number(getAt(app.document.current(), 'slo.ttft_ms') ?? 0);
  const races = (): string => {
    const who = of() === 'Autoscalers' ? 'autoscalers and the oracle' : 'routers';
    return `Race ${runners().length} ${who}, ${seeds()} ${seeds() === 1 ? 'seed' : 'seeds'} each`;
  };
  return (
    <>
      <div class="compare-side">
        <div class="compare-scroll">
          <Show when={scaled()}>
            <div class="race-kind">
              <Segments label="Kind of policy" options={KINDS} chosen={of()} onChoose={setKind} />
            </div>
          </Show>
          <Entrants
            title={of() === 'Routers' ? 'Routers' : `Autoscalers of ${scaled()?.name || 'the pool'}`}
            options={options()}
            own={ownTag()}
            chosen={chosen()}
            onToggle={toggle}
          />
          <div class="compare-chooser">
            <label>
              Seeds
              <select class="in" value={seeds()} onChange={(event) => setSeeds(Number(event.currentTarget.value))}>
                <For each={SEEDS}>{(n) => <option value={n}>{n}</option>}</For>
              </select>
            </label>
            <RankedBy
              by={by()}
              onBy={(next) => {
                setBy(next);
                race.rank(next);
              }}
            />
            <p class="say">
              All get the same requests for each seed. Objectives met: of the requests that finished, were refused or
              dropped; refused and dropped ones count as misses. A p99 of all counts unfinished requests as the longest;
              Compare leaves them out. There is no composite score.
            </p>
            <Show when={of() === 'Autoscalers'}>
              <p class="say">
                The scenario’s own policy keeps its settings; the others have the defaults. The oracle knows future
                rates and runs with the same seeds and limits: it is the bound.
              </p>
            </Show>
            <div class="compare-buttons flat">
              <Show
                when={race.running()}
                fallback={
                  <button type="button" class="btn pri" onClick={begin}>
                    {races()}
                  </button>
                }
              >
                <button type="button" class="btn box" onClick={race.stop}>
                  Cancel
                </button>
              </Show>
            </div>
            <p class="compare-trouble" role="alert">
              {race.trouble()}
            </p>
          </div>
        </div>
      </div>
      <div class="compare-mid race-mid">
        <div class="compare-head">
          <b class="compare-title">Policy race</b>
          <span class="s of-laps">
            each small picture is TTFT p99 over the run of one seed, log, on one scale; dashed: the objective
          </span>
          <span class="grow" />
          <Show when={race.progress()}>
            {(p) => (
              <span class="m" role="status">
                <progress aria-label="Runs done" max={p().of} value={p().done} /> {p().done} of {p().of} ·{' '}
                {text(durationMs(p().tookMs))} · {p().workers} workers
              </span>
            )}
          </Show>
        </div>
        <NoOracle why={race.noOracle()} />
        <Show
          when={race.laps().length > 0}
          fallback={
            <div class="empty">
              <Show when={!race.running()} fallback={<p>The first runs are under way…</p>}>
                <p>Which policy is best on the same requests?</p>
                <button type="button" class="btn pri" onClick={begin}>
                  Start the race
                </button>
              </Show>
            </div>
          }
        >
          <Ranking race={race} seeds={seeds()} by={by()} objectiveMs={objectiveMs()} onB={props.onB} />
        </Show>
      </div>
    </>
  );
}

/** The policies that can race; the scenario's own always does. */
function Entrants(props: {
  title: string;
  options: readonly Option[];
  own: string;
  chosen: ReadonlySet<string>;
  onToggle: (tag: string) => void;
}): JSX.Element {
  return (
    <fieldset class="race-chooser">
      <legend>{props.title}</legend>
      <For each={props.options}>
        {(option) => (
          <label class="check">
            <input
              type="checkbox"
              checked={option.tag === props.own || props.chosen.has(option.tag)}
              disabled={option.tag === props.own}
              onChange={() => props.onToggle(option.tag)}
            />
            {option.label}
            {option.tag === props.own ? ', as in this scenario' : ''}
          </label>
        )}
      </For>
    </fieldset>
  );
}

/** The figure that ranks the race. */
function RankedBy(props: { by: RankBy; onBy: (by: RankBy) => void }): JSX.Element {
  return (
    <label>
      Ranked by
      <select
        class="in"
        value={props.by}
        onChange={(event) => {
          const found = BY.find(([name]) => name === event.currentTarget.value);
          if (found) props.onBy(found[0]);
        }}
      >
        <For each={BY}>{([name, label]) => <option value={name}>{label}</option>}</For>
      </select>
    </label>
  );
}

function Ranking(props: {
  race: ReturnType<typeof createRace>;
  seeds: number;
  by: RankBy;
  objectiveMs: number;
  onB: (next: Beside) => void;
}): JSX.Element {
  const places = () => props.race.ranking()?.places ?? [];
  const bound = () => props.race.ranking()?.bound;
  const unranked = () => props.race.ranking()?.unranked ?? [];
  const laps = (name: string): readonly Lap[] =>
    props.race
      .laps()
      .filter((lap) => lap.name === name && !lap.bound)
      .toSorted((x, y) => x.number - y.number);
  const boundLaps = (): readonly Lap[] =>
    props.race
      .laps()
      .filter((lap) => lap.bound)
      .toSorted((x, y) => x.number - y.number);
  const most = createMemo(() =>
    props.race.laps().reduce((high, lap) => lap.ttft.reduce((x, y) => (y > x ? y : x), high), 1),
  );
  const say = (value: number): string => {
    if (props.by === 'met-share') return text(percent(value, 1));
    if (props.by === 'goodput') return text(ratePerS(value));
    return props.by === 'usd' ? usd(value) : text(durationMs(value));
  };
  const change = (value: number): string => {
    if (props.by === 'met-share') return `${signed(percent(value, 1)).value} points`;
    if (props.by === 'usd') return text(signed({ value: `${value < 0 ? '-' : ''}${usd(Math.abs(value))}`, unit: '' }));
    return text(signed(props.by === 'goodput' ? ratePerS(value) : durationMs(value)));
  };
  const against = (place: RacePlace): string => {
    const { diff, lo, hi } = place.to_first;
    if (place.place === 1 || diff === null) return 'reference';
    const range = lo === null || hi === null ? '' : ` (${change(lo)} to ${change(hi)})`;
    return place.tied ? `no difference can be shown${range}` : `${change(diff)}${range}`;
  };
  const asB = (name: string): void => {
    const [lap] = laps(name);
    if (lap) props.onB({ name, document: readDocument(lap.scenario) });
  };
  return (
    <div class="race-table race-ranks">
      <Show when={bound()}>
        {(found) => (
          <RaceBoundFigure
            bound={found().figures}
            points={places().flatMap(({ name, regret }) => (regret ? [{ name, of: regret }] : []))}
          />
        )}
      </Show>
      <table class="tbl">
        <thead>
          <tr>
            <th class="r">Rank</th>
            <th>{boundLaps().length > 0 ? 'Autoscaler' : 'Router'}</th>
            <th>By seed</th>
            <th class="r">{BY.find(([name]) => name === props.by)?.[1]}</th>
            <th>Against the first, 95 %</th>
            <th class="r">Missed</th>
            <Show when={boundLaps().length > 0}>
              <th class="r">Replica-s</th>
              <th>Worse than the oracle</th>
            </Show>
            <th>
              <span class="visually-hidden">Open</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={places()}>
            {(place) => (
              <tr>
                <td class="r">
                  <b>{place.place}</b>
                </td>
                <td>{place.name}</td>
                <td>
                  <Laps laps={laps(place.name)} of={props.seeds} most={most()} objectiveMs={props.objectiveMs} />
                </td>
                <td class="r">
                  <b>{say(place.mean)}</b>
                </td>
                <td class="race-against">{against(place)}</td>
                <td class="r">{missed(laps(place.name))}</td>
                <Show when={boundLaps().length > 0}>
                  <td class="r">{whole(place.regret?.replica_seconds_regret.own)}</td>
                  <td class="race-worse">
                    <For each={place.regret ? worse(place.regret) : [DASH]}>{(figure) => <span>{figure}</span>}</For>
                  </td>
                </Show>
                <td class="r">
                  <button type="button" class="btn box" onClick={() => asB(place.name)}>
                    As B<span class="visually-hidden">: {place.name}</span>
                  </button>
                </td>
              </tr>
            )}
          </For>
          <For each={unranked()}>
            {(row) => (
              <tr>
                <td class="r">{DASH}</td>
                <td>{row.name}</td>
                <td>
                  <Laps laps={laps(row.name)} of={props.seeds} most={most()} objectiveMs={props.objectiveMs} />
                </td>
                <td colSpan={boundLaps().length > 0 ? 6 : 4} class="s">
                  {row.why}
                </td>
              </tr>
            )}
          </For>
          <Show when={boundLaps().length > 0}>
            <tr class="race-bound">
              <td class="r">{DASH}</td>
              <td>◇ oracle</td>
              <td>
                <Laps laps={boundLaps()} of={props.seeds} most={most()} objectiveMs={props.objectiveMs} />
              </td>
              <td class="r">
                {bound()?.mean === undefined || bound()?.mean === null ? DASH : say(bound()?.mean ?? 0)}
              </td>
              <td class="s">the bound, without a place</td>
              <td class="r">{missed(boundLaps())}</td>
              <td class="r">{whole(bound()?.figures.replica_seconds_regret.own)}</td>
              <td />
              <td />
            </tr>
          </Show>
        </tbody>
      </table>
    </div>
  );
}

const whole = (value: number | null | undefined): string =>
  value === null || value === undefined ? DASH : count(value);

/** The regret against the oracle: objectives met, replica-seconds, cost. Better values are negative. */
function worse(of: RunRegret): readonly string[] {
  const say = (value: number | null, says: (amount: number) => string): string =>
    value === null ? DASH : `${value < 0 ? '−' : ''}${says(Math.abs(value))}`;
  return [
    say(of.attainment_regret.regret, (v) => `${v.toFixed(1)} points`),
    say(of.replica_seconds_regret.regret, (v) => `${count(v)} replica-s`),
    say(of.usd_regret.regret, usd),
  ];
}

/** The share of misses: the least and the greatest over the seeds if they differ. */
function missed(laps: readonly Lap[]): string {
  const shares = laps.flatMap(({ row }) => (row.met_share === null ? [] : [text(percent(1 - row.met_share, 1))]));
  const ordered = shares.toSorted((x, y) => Number.parseFloat(x) - Number.parseFloat(y));
  const [least, greatest] = [ordered[0], ordered.at(-1)];
  if (least === undefined || greatest === undefined) return DASH;
  return least === greatest ? least : `${least.replace(/\D*$/, '')} to ${greatest}`;
}

const W = 72;
const H = 32;

type LapsProps = { laps: readonly Lap[]; of: number; most: number; objectiveMs: number };

function Laps(props: LapsProps): JSX.Element {
  const limit = (): number => high(props.objectiveMs, props.most);
  const clip = createUniqueId();
  return (
    <span class="race-laps">
      <For each={props.laps}>
        {(lap) => (
          <svg width={W} height={H} viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`Seed ${lap.row.seed}`}>
            <title>{`seed ${lap.row.seed}: TTFT p99 ${lap.row.ttft_p99_ms === null ? DASH : text(durationMs(lap.row.ttft_p99_ms))}`}</title>
            <rect class="ground" width={W} height={H} />
            <Show when={props.objectiveMs > 0} fallback={<path class="line" d={spark(lap, props.most)} />}>
              <clipPath id={`${clip}-${lap.number}`}>
                <rect width={W} height={limit()} />
              </clipPath>
              <path class="over" clip-path={`url(#${clip}-${lap.number})`} d={`${spark(lap, props.most)}V${H}H0Z`} />
              <path class="limit" d={`M0 ${limit()}H${W}`} />
              <path class="line" d={spark(lap, props.most)} />
            </Show>
          </svg>
        )}
      </For>
      <Show when={props.laps.length < props.of}>
        <span class="s">
          {props.laps.length} of {props.of} in
        </span>
      </Show>
    </span>
  );
}

const LOW = 10;

/** The height of a time on a log scale, from 10 ms to the largest of the race. */
function high(ms: number, most: number): number {
  const share = Math.log(Math.max(ms, LOW) / LOW) / Math.log(Math.max(most, 2 * LOW) / LOW);
  return H - 2 - Math.min(1, share) * (H - 4);
}

/** TTFT over the time of a run. */
function spark({ t, ttft }: Lap, most: number): string {
  const end = t.at(-1) ?? 1;
  let d = '';
  for (const [i, s] of t.entries()) {
    const v = ttft[i] ?? Number.NaN;
    if (!Number.isFinite(v) || v <= 0) continue;
    d += `${d === '' ? 'M' : 'L'}${((s / end) * W).toFixed(1)} ${high(v, most).toFixed(1)}`;
  }
  return d;
}
