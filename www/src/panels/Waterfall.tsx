// Where a request's time went: one row for each stretch of its life, on one time axis.
import { createMemo, For, type JSX, Match, Show, Switch } from 'solid-js';
import { sentence } from '../base/schema.ts';
import { count, durationUs, NBSP, plain, text } from '../base/units.ts';
import type { RequestDetail, Segment } from '../generated/boundary.ts';
import { wholeTicks } from './ticks.ts';

const WIDTH = 304;
const LEFT = 68;
const RIGHT = 62;
const ROW = 20;
/** A request can be preempted many times; beyond this the rows in the middle are left out. */
const MOST_ROWS = 24;

export function Waterfall(props: { detail: RequestDetail }): JSX.Element {
  const start = (): number => props.detail.arrival_us;
  const all = createMemo(() => props.detail.segments);
  const shown = createMemo(() =>
    all().length <= MOST_ROWS ? all() : [...all().slice(0, MOST_ROWS / 2), ...all().slice(-MOST_ROWS / 2)],
  );
  const lengthUs = createMemo(() => Math.max(1000, ...all().map((s) => s.to_us - start())));
  const x = (us: number): number => LEFT + ((WIDTH - LEFT - RIGHT) * (us - start())) / lengthUs();
  const marks = createMemo(() => wholeTicks(lengthUs() / 1e6, 4));
  /** A request of less than a second is read in milliseconds. */
  const short = (): boolean => lengthUs() < 1e6;
  const bottom = (): number => shown().length * ROW + 4;
  return (
    <svg
      class="fall"
      viewBox={`0 0 ${WIDTH} ${bottom() + 18}`}
      role="img"
      aria-label={`Waterfall of request ${props.detail.request}: ${shown().map(spoken).join(', ')}`}
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
      <For each={shown()}>
        {(segment, i) => (
          <g transform={`translate(0 ${i() * ROW})`}>
            <text class="row-name" x="0" y="14">
              {sentence(segment.kind)}
            </text>
            <Bar segment={segment} from={x(segment.from_us)} to={x(segment.to_us)} />
            <text class="row-value" x={WIDTH} y="14" text-anchor="end">
              {amount(segment)}
            </text>
          </g>
        )}
      </For>
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

function Bar(props: { segment: Segment; from: number; to: number }): JSX.Element {
  const width = (): number => Math.max(1.5, props.to - props.from);
  return (
    <Switch fallback={<rect class="plain" x={props.from} y="5" width={width()} height="10" rx="1" />}>
      <Match
        when={props.segment.kind === 'queue' || props.segment.kind === 'delay' || props.segment.kind === 'kv-load'}
      >
        <rect class="hollow" x={props.from + 0.5} y="5.5" width={Math.max(1, width() - 1)} height="9" rx="1" />
      </Match>
      <Match when={props.segment.kind === 'preempted'}>
        <rect class="lost" x={props.from + 0.5} y="5.5" width={Math.max(1, width() - 1)} height="9" rx="1" />
      </Match>
      <Match when={props.segment.kind === 'prefill' || props.segment.kind === 'recompute'}>
        <rect class="prefill" x={props.from} y="5" width={width()} height="10" rx="1" />
      </Match>
      <Match when={props.segment.kind === 'decode'}>
        <rect class="decode" x={props.from} y="8" width={width()} height="7" rx="1" />
      </Match>
    </Switch>
  );
}

function Hatches(): JSX.Element {
  return (
    <defs>
      <pattern id="hx-pre" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <rect class="hx" width="1.4" height="4" />
      </pattern>
    </defs>
  );
}

function amount(s: Segment): string {
  const tokens = s.kind === 'decode' || s.kind === 'prefill' || s.kind === 'recompute';
  return tokens && s.tokens > 0 ? `${count(s.tokens)} tokens` : text(durationUs(s.to_us - s.from_us));
}

function spoken(s: Segment): string {
  return `${sentence(s.kind)} ${text(durationUs(s.to_us - s.from_us))}`;
}
