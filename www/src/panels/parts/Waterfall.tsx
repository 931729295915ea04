// Where the time of a request went: one row for each phase, on one time axis, and their sum.
import { createMemo, For, type JSX, Match, Show, Switch } from 'solid-js';
import { sentence } from '../../base/keyWords.ts';
import { count, durationUs, NBSP, plain, text } from '../../base/units.ts';
import { PHASES, type PhaseBar } from '../../draw/looks.ts';
import type { Part, RequestDetail, Segment } from '../../generated/boundary.ts';
import { Brackets, BrokenMark, WastedBar } from './AttemptBars.tsx';
import { bracketsOf, type OfAttempt, phasesOf, rowValue } from './attemptRows.ts';
import { mergedBars } from './mergedBars.ts';
import { AheadBar, TransferBar } from './TransferRows.tsx';
import { wholeTicks } from './ticks.ts';
import { type Ahead, aheadOf, aheadSaid, rowName } from './transferWords.ts';

const WIDTH = 304;
const LEFT = 68;
const RIGHT = 62;
const ROW = 20;
/** A request can be preempted many times. Beyond this number of phases, a row sums all phases of one kind. */
const MOST_ROWS = 12;
/** The same with the waits, the work and the breaks of attempts. */
const MOST_ROWS_OF_ATTEMPTS = 36;

/** A row: its total time, and its phases. */
type Row = OfAttempt & { readonly part: Part; readonly bars: readonly Segment[]; readonly ahead?: Ahead | undefined };

function rowsOf(detail: RequestDetail): readonly Row[] {
  const { segments, parts } = detail;
  const phases = segments.length > MOST_ROWS ? [] : phasesOf(detail);
  if (phases.length === 0 || phases.length > MOST_ROWS_OF_ATTEMPTS)
    return parts.map((part) => ({ part, bars: segments.filter((s) => s.kind === part.kind) }));
  return phases.map(({ segment: s, ...of }) => ({
    ...of,
    part: { kind: s.kind, us: s.to_us - s.from_us, tokens: s.tokens, segments: 1 },
    bars: [s],
  }));
}

/** The rows, and those that are still to come; the phase under way has its expected end. */
function allRows(detail: RequestDetail): readonly Row[] {
  const rows = rowsOf(detail);
  const last = rows.at(-1);
  const ahead = aheadOf(detail);
  const [first] = ahead;
  const goesOn = first !== undefined && last !== undefined && first.kind === last.part.kind && last.bars.length === 1;
  const begun = goesOn ? [...rows.slice(0, -1), { ...last, ahead: first }] : rows;
  const none = { us: 0, tokens: 0, segments: 0 };
  const later = ahead
    .slice(goesOn ? 1 : 0)
    .map((part) => ({ part: { kind: part.kind, ...none }, bars: [], ahead: part }));
  return [...begun, ...later];
}

export function Waterfall(props: {
  detail: RequestDetail;
  /** Least length of the axis, so that two waterfalls can share it. */
  spanUs?: number;
  /** Where the axis ends after the arrival, if before the end of the request: what is later is not drawn. */
  endUs?: number | undefined;
}): JSX.Element {
  const start = (): number => props.detail.arrival_us;
  const rows = createMemo(() => allRows(props.detail));
  const endUs = (): number => Math.max(0, ...rows().map((row) => (row.ahead?.toUs ?? start()) - start()));
  const lengthUs = createMemo(() => props.endUs ?? Math.max(1000, props.detail.total_us, props.spanUs ?? 0, endUs()));
  /** Whether it begins on the axis. */
  const onAxis = (us: number): boolean => us - start() < lengthUs() || props.endUs === undefined;
  const x = (us: number): number =>
    LEFT +
    names() +
    (WIDTH - LEFT - names() - RIGHT) * Math.min(props.endUs === undefined ? Infinity : 1, (us - start()) / lengthUs());
  const brackets = createMemo(() => bracketsOf(rows()));
  /** Brackets need room before the names. */
  const names = (): number => (brackets().length > 0 ? 14 : 0);
  const drawn = createMemo(() => mergedBars(rows(), x));
  const marks = createMemo(() => wholeTicks(lengthUs() / 1e6, 4));
  /** The axis of a request shorter than a second is in milliseconds. */
  const short = (): boolean => lengthUs() < 1e6;
  const bottom = (): number => rows().length * ROW + 4;
  const sum = (): string => (props.detail.e2e_us === undefined ? 'So far' : 'E2E');
  return (
    <svg
      class="fall"
      viewBox={`0 0 ${WIDTH} ${bottom() + ROW + 18}`}
      role="img"
      aria-label={`Waterfall of request ${props.detail.request}: ${props.detail.parts.map(spoken).join(', ')}; ${sum()} ${text(durationUs(props.detail.total_us))}`}
    >
      <Hatches />
      <For each={marks()}>
        {(s) => (
          <>
            <line class="grid" x1={x(start() + s * 1e6)} x2={x(start() + s * 1e6)} y1="2" y2={bottom()} />
            <text class="axis" x={x(start() + s * 1e6)} y={bottom() + 13} text-anchor="middle">
              {plain(Number((short() ? s * 1000 : s).toPrecision(3)))}
              {s === marks().at(-1) ? NBSP + (short() ? 'ms' : 's') : ''}
            </text>
          </>
        )}
      </For>
      <Show when={names() > 0}>
        <Brackets brackets={brackets()} row={ROW} />
      </Show>
      <For each={drawn()}>
        {(row, i) => (
          <g class="fall-row" data-us={row.part.us} transform={`translate(0 ${i() * ROW})`}>
            <title>{spoken(row.part)}</title>
            <text
              class="row-name"
              classList={{ later: row.bars.length === 0, 'is-broken': row.drawn === 'broken' }}
              x={names()}
              y="14"
            >
              {row.name ?? rowName(props.detail, row.part.kind)}
            </text>
            <For each={row.bars.filter((s) => onAxis(s.from_us))}>
              {(s) => (
                <Switch fallback={<Bar segment={s} from={x(s.from_us)} to={x(s.to_us)} />}>
                  <Match when={s.kind === 'transfer'}>
                    <TransferBar segment={s} detail={props.detail} x={x} />
                  </Match>
                  <Match when={row.drawn === 'wasted'}>
                    <WastedBar from={x(s.from_us)} to={x(s.to_us)} />
                  </Match>
                  <Match when={row.drawn === 'broken'}>
                    <BrokenMark x={x(s.from_us)} />
                  </Match>
                </Switch>
              )}
            </For>
            <Show when={row.ahead && onAxis(row.ahead.fromUs) ? row.ahead : undefined}>
              {(part) => <AheadBar part={part()} x={x} />}
            </Show>
            <text
              class="row-value"
              classList={{ later: row.bars.length === 0, 'is-broken': row.drawn === 'broken' }}
              x={WIDTH}
              y="14"
              text-anchor="end"
            >
              {row.ahead ? aheadSaid(row.ahead, row.part.us) : rowValue(row, row.part.us)}
            </text>
          </g>
        )}
      </For>
      <g class="fall-sum" data-us={props.detail.total_us} transform={`translate(0 ${bottom() + 16})`}>
        <line class="grid" x1="0" x2={WIDTH} y1="1" y2="1" />
        <text class="row-name" x="0" y="15">
          {sum()}
        </text>
        <text class="row-value strong" x={WIDTH} y="15" text-anchor="end">
          {text(durationUs(props.detail.total_us))}
        </text>
      </g>
      <Show when={props.detail.ttft_us}>
        {(ttft) => (
          <line class="first" x1={x(start() + ttft())} x2={x(start() + ttft())} y1="2" y2={bottom()}>
            <title>first token</title>
          </line>
        )}
      </Show>
    </svg>
  );
}

/** The edges of bars: hollow ones are strokes within them, low ones stand on the foot of the others. */
const LOW: ReadonlySet<PhaseBar> = new Set(['decode', 'output']);
const HOLLOW: ReadonlySet<PhaseBar> = new Set(['hollow', 'lost']);

function Bar(props: { segment: Segment; from: number; to: number }): JSX.Element {
  const bar = (): PhaseBar => PHASES[props.segment.kind].bar;
  const width = (): number => Math.max(1.5, props.to - props.from);
  return (
    <Switch
      fallback={
        <rect
          class={bar()}
          x={props.from}
          y={LOW.has(bar()) ? 8 : 5}
          width={width()}
          height={LOW.has(bar()) ? 7 : 10}
          rx="1"
        />
      }
    >
      <Match when={bar() === 'shelf'}>
        <Shelf {...props} width={width()} />
      </Match>
      <Match when={HOLLOW.has(bar())}>
        <rect class={bar()} x={props.from + 0.5} y="5.5" width={Math.max(1, width() - 1)} height="9" rx="1" />
      </Match>
    </Switch>
  );
}

/** The wait in the gateway's queue: hollow as every wait, with the line of a band through it. */
function Shelf(props: { from: number; width: number }): JSX.Element {
  const inner = (): number => Math.max(1, props.width - 1);
  return (
    <>
      <rect class="hollow" x={props.from + 0.5} y="5.5" width={inner()} height="9" rx="1" />
      <line class="shelf" x1={props.from + 0.5} x2={props.from + 0.5 + inner()} y1="10" y2="10" />
    </>
  );
}

/** The whole name of a part; its row has room for a word. */
function nameOf(part: Part): string {
  return part.kind === 'gateway' ? 'Gateway queue' : sentence(part.kind);
}

function Hatches(): JSX.Element {
  return (
    <defs>
      <pattern id="hx-pre" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <rect class="hx" width="1.4" height="4" />
      </pattern>
      <pattern id="hx-miss" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <rect class="hx-miss" width="1.4" height="4" />
      </pattern>
    </defs>
  );
}

function spoken(part: Part): string {
  const times = part.segments > 1 ? `, ${count(part.segments)} times` : '';
  const tokens = part.tokens > 0 ? `, ${count(part.tokens)} tokens` : '';
  return `${nameOf(part)} ${text(durationUs(part.us))}${tokens}${times}`;
}
