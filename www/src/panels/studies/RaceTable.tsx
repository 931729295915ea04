// The result of a race as small multiples: a row for each entrant, a column for each seed, one scale for all pictures;
// beside them the difference to the first with its interval and a tick for each seed.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { getAt } from '../../base/json.ts';
import { sentence } from '../../base/keyWords.ts';
import { count, DASH, durationMs, percent, type Quantity, ratePerS, text, usd } from '../../base/units.ts';
import type { RankBy, RunRegret } from '../../generated/boundary.ts';
import type { Lap, Race, Raced } from '../../state/studies/race.ts';
import { changeText, intervalText } from './CompareFigures.tsx';
import { RaceBoundFigure } from './RaceBound.tsx';
import { differenceScale, IntervalOfSeeds } from './RaceInterval.tsx';
import { LapPicture, lapScale } from './RaceLaps.tsx';
import { BY } from './RaceSide.tsx';
import { type Row, rowsOf } from './raceRows.ts';

/** Width of the pictures of intervals. */
const INTERVAL = 150;

/** The seeds of a race, as text. */
function seedsOf(raced: Raced | undefined): readonly string[] {
  const first = getAt(raced?.document ?? {}, 'seed');
  const from = typeof first === 'number' ? first : undefined;
  return Array.from({ length: raced?.seeds ?? 0 }, (_, k) => String(from === undefined ? k + 1 : from + k));
}

export function RaceTable(props: {
  race: Race;
  by: RankBy;
  objectiveMs: number;
  onB: (name: string) => void;
}): JSX.Element {
  const seeds = createMemo(() => seedsOf(props.race.raced()));
  const rows = createMemo(() => rowsOf(props.race));
  const bound = () => props.race.ranking()?.bound;
  const boundLaps = createMemo(() => props.race.laps().filter((lap) => lap.bound));
  /** Pictures are as high as the rows leave room for. */
  const height = (): number => Math.max(34, Math.min(64, Math.floor(520 / (rows().length + 1)) - 12));
  const scale = createMemo(() => lapScale(props.race.laps(), props.objectiveMs, height()));
  const differences = createMemo(() => differenceScale(rows(), INTERVAL));
  const byName = createMemo(() => {
    const all = new Map<string, Lap[]>();
    for (const lap of props.race.laps()) {
      const key = lap.bound ? '' : lap.name;
      const list = all.get(key);
      if (list) list.push(lap);
      else all.set(key, [lap]);
    }
    return all;
  });
  const lapOf = (name: string, seed: string): Lap | undefined =>
    byName()
      .get(name)
      ?.find((lap) => lap.row.seed === seed);
  const isOwn = (name: string): boolean => props.race.raced()?.entrants[0]?.name === name;
  const Pictures = (of: { name: string }): JSX.Element => (
    <For each={seeds()}>
      {(seed, k) => (
        <td class="lap-cell" classList={{ later: k() > 0 }}>
          <LapPicture lap={lapOf(of.name, seed)} seed={seed} scale={scale()} objectiveMs={props.objectiveMs} />
        </td>
      )}
    </For>
  );
  return (
    <div class="race-table race-ranks">
      <Show when={bound()}>
        {(found) => (
          <RaceBoundFigure
            bound={found().figures}
            points={rows().flatMap(({ name, regret }) => (regret ? [{ name, of: regret }] : []))}
          />
        )}
      </Show>
      <table class="tbl">
        <thead>
          <tr>
            <th class="r">Rank</th>
            <th>{boundLaps().length > 0 ? 'Autoscaler' : 'Entrant'}</th>
            <For each={seeds()}>
              {(seed, k) => (
                <th class="lap-head" classList={{ later: k() > 0 }}>
                  seed {seed}
                </th>
              )}
            </For>
            <th class="against">Against the first, paired, 95 %</th>
            <th class="r">{BY.find(([name]) => name === props.by)?.[1]}</th>
            <th
              class="r missed-head"
              title="Of the requests that finished, were refused or dropped: least to most over the seeds"
            >
              Missed
            </th>
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
          <For each={rows()}>
            {(row) => (
              <tr classList={{ partial: row.place === undefined }}>
                <td class="r">
                  <b>{row.place ?? DASH}</b>
                </td>
                <td class="race-who">
                  <b>{row.name}</b>
                  <span class="s">{isOwn(row.name) ? 'as in this scenario' : ''}</span>
                  <Show when={row.why}>
                    <span class="race-why">{row.why}</span>
                  </Show>
                </td>
                <Pictures name={row.name} />
                <td class="race-against">
                  <Against row={row} by={props.by} scale={differences()} />
                </td>
                <td class="r">
                  <b>{row.mean === null ? DASH : sayFigure(row.mean, props.by)}</b>
                </td>
                <td class="r missed">{missed(byName().get(row.name) ?? [])}</td>
                <Show when={boundLaps().length > 0}>
                  <td class="r">{whole(row.regret?.replica_seconds_regret.own)}</td>
                  <td class="race-worse">
                    <For each={row.regret ? worse(row.regret) : [DASH]}>{(figure) => <span>{figure}</span>}</For>
                  </td>
                </Show>
                <td class="r">
                  <button type="button" class="btn box" onClick={() => props.onB(row.name)}>
                    As B<span class="visually-hidden">: {row.name}</span>
                  </button>
                </td>
              </tr>
            )}
          </For>
          <Show when={boundLaps().length > 0}>
            <tr class="race-bound">
              <td class="r">{DASH}</td>
              <td>◇ oracle</td>
              <Pictures name="" />
              <td class="s">the bound, without a place</td>
              <td class="r">{sayBound(bound()?.mean, props.by)}</td>
              <td class="r missed">{missed(boundLaps())}</td>
              <td class="r">{whole(bound()?.figures.replica_seconds_regret.own)}</td>
              <td />
              <td />
            </tr>
          </Show>
        </tbody>
      </table>
      <Foot race={props.race} objectiveMs={props.objectiveMs} scale={scale()} />
    </div>
  );
}

/** The scale of the pictures, and why ranks are allowed. */
function Foot(props: { race: Race; objectiveMs: number; scale: { low: number; high: number } }): JSX.Element {
  const ms = (value: number): string => text(durationMs(value));
  const work = () => props.race.ranking()?.work;
  return (
    <>
      <p class="say race-foot">
        Pictures: TTFT p99 over each run, log from {ms(props.scale.low)} to {ms(props.scale.high)}, the same for all
        {props.objectiveMs > 0 ? `; dashed: the objective ${ms(props.objectiveMs)}` : ''}.
      </p>
      <Show when={work()}>
        {(w) => (
          <p class="say race-foot">
            Ranked because all were offered the same{' '}
            {w().requests_least === w().requests_most
              ? count(w().requests_least)
              : `${count(w().requests_least)} to ${count(w().requests_most)}`}{' '}
            requests with each seed (workload {w().workload_digest.slice(0, 8)}).
          </p>
        )}
      </Show>
      <For each={props.race.ranking()?.notices ?? []}>
        {(notice) => <p class="say race-foot">{sentence(notice)}.</p>}
      </For>
    </>
  );
}

/** The difference to the first: its picture, and its ends in figures. */
function Against(props: { row: Row; by: RankBy; scale: ReturnType<typeof differenceScale> }): JSX.Element {
  const change = (value: number): string => sayChange(value, props.by);
  const said = (): string => {
    const of = props.row.of;
    if (props.row.place === 1) return 'reference';
    if (!of || of.diff === null) return props.row.place === undefined ? '' : DASH;
    const range = of.lo === null || of.hi === null ? '' : intervalText(of.lo, of.hi, sayOf(props.by));
    if (of.diff === 0 && (of.lo ?? 0) === 0 && (of.hi ?? 0) === 0) return 'the same';
    return of.verdict === 'none-shown' ? `no difference can be shown: ${range}` : range || change(of.diff);
  };
  return (
    <span class="race-diff">
      <Show when={props.row.place === 1 || props.row.of}>
        <IntervalOfSeeds
          row={props.row}
          scale={props.scale}
          partial={props.row.place === undefined}
          reference={props.row.place === 1}
        />
      </Show>
      <span class="s">{said()}</span>
      <Show when={props.row.doubt}>{(doubt) => <span class="race-doubt">{sentence(doubt())}.</span>}</Show>
    </span>
  );
}

function sayFigure(value: number, by: RankBy): string {
  if (by === 'met-share') return text(percent(value, 1));
  if (by === 'goodput') return text(ratePerS(value));
  return by === 'usd' ? usd(value) : text(durationMs(value));
}

const sayBound = (value: number | null | undefined, by: RankBy): string =>
  value === null || value === undefined ? DASH : sayFigure(value, by);

/** How a difference is said. */
function sayOf(by: RankBy): (value: number) => Quantity {
  if (by === 'met-share') return (v) => ({ value: percent(v, 1).value, unit: 'points' });
  if (by === 'usd') return (v) => ({ value: `${v < 0 ? '-' : ''}${usd(Math.abs(v))}`, unit: '' });
  return by === 'goodput' ? ratePerS : durationMs;
}

const sayChange = (value: number, by: RankBy): string => changeText(value, sayOf(by));

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
