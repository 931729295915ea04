// Gains and losses by group, the requests with the largest differences, and one request in both runs.

import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from 'solid-js';
import { count, durationMs, percent, signed, text } from '../../base/units.ts';
import type { GroupDifference, Grouping, MovedRequest, PairedPart, RunComparison } from '../../generated/boundary.ts';
import type { Pair } from '../../state/studies/compare.ts';
import { LATENCY_METRICS, type LatencyMetric } from '../parts/latencyMetrics.ts';
import { Segments } from '../parts/Segments.tsx';
import { Waterfall } from '../parts/Waterfall.tsx';
import { pairedWords } from './pairedDifference.ts';

const GROUPS: Readonly<Record<Grouping, string>> = {
  class: 'by class',
  tenant: 'by tenant',
  'prompt-tokens': 'by prompt, tokens',
  'replica-a': 'by replica in A',
  'replica-b': 'by replica in B',
};

export function CompareTables(props: {
  /** Whether B is chosen. */
  chosen: boolean;
  comparison: RunComparison | undefined;
  pair: Pair | undefined;
  onPair: (a: number, b: number) => void;
}): JSX.Element {
  const [metric, setMetric] = createSignal<LatencyMetric>('ttft_ms');
  const paired = (): PairedPart | undefined => props.comparison?.detail[metric()].paired;
  const pairs = (): string => {
    const found = paired();
    return found ? `${count(found.count)} of ${count(props.comparison?.requests ?? found.count)} have it in both` : '';
  };
  return (
    <div class="compare-scroll">
      <Show when={props.pair}>{(pair) => <BothWaterfalls pair={pair()} />}</Show>
      <div class="blk">
        <div class="blk-head">
          <h2>Gains and losses</h2>
          <span class="m">{pairs()}</span>
        </div>
        <Segments label="Time to compare" options={LATENCY_METRICS} chosen={metric()} onChoose={setMetric} />
        <Show
          when={paired()}
          fallback={
            <p class="say">{`${props.chosen ? 'Pause' : 'Choose B and pause'} to see what each request gained or lost.`}</p>
          }
        >
          {(p) => (
            <>
              <p class="say">
                {text(percent(p().gained))} gained, {text(percent(p().lost))} lost; {pairedWords(p())}. Best 1 %{' '}
                {text(signed(durationMs(p().p1_ms)))}, worst 1 % {text(signed(durationMs(p().p99_ms)))}; mean{' '}
                {text(signed(durationMs(p().mean_ms)))}
                {meanRange(p())}.
              </p>
              <GroupTable groups={p().groups} />
              <Moved title="Gained most" moved={p().gained_most} onPair={props.onPair} />
              <Moved title="Lost most" moved={p().lost_most} onPair={props.onPair} />
            </>
          )}
        </Show>
      </div>
    </div>
  );
}

/** The interval of the mean difference. */
function meanRange({ mean_lo_ms: lo, mean_hi_ms: hi }: PairedPart): string {
  if (lo === null || hi === null || (lo === 0 && hi === 0)) return '';
  return ` (${text(signed(durationMs(lo)))} to ${text(signed(durationMs(hi)))})`;
}

function GroupTable(props: { groups: readonly GroupDifference[] }): JSX.Element {
  const kinds = createMemo(() => [...new Set(props.groups.map((g) => g.by))]);
  return (
    <table class="tbl compare-groups">
      <thead>
        <tr>
          <th>Group</th>
          <th class="r" colSpan={3}>
            gained · lost, %
          </th>
          <th class="r">median</th>
          <th class="r" title="The 1st percentile: the largest gains">
            best 1 %
          </th>
        </tr>
      </thead>
      <For each={kinds()}>
        {(by) => (
          <tbody>
            <tr>
              <th colSpan={6} class="s">
                {GROUPS[by]}
              </th>
            </tr>
            <For each={props.groups.filter((g) => g.by === by)}>
              {(g) => (
                <tr>
                  <td>{g.name}</td>
                  <td class="r gained">{percent(g.gained).value}</td>
                  <td class="share">
                    <Shares of={g} />
                  </td>
                  <td class="r lost">{percent(g.lost).value}</td>
                  <td class="r">{text(signed(durationMs(g.p50_ms)))}</td>
                  <td class="r">{text(signed(durationMs(g.p1_ms)))}</td>
                </tr>
              )}
            </For>
          </tbody>
        )}
      </For>
    </table>
  );
}

const SHARES = 44;

/** Both shares as one bar: gains filled from the left, losses striped from the right. */
function Shares(props: { of: Pick<GroupDifference, 'gained' | 'lost'> }): JSX.Element {
  const lost = (): number => SHARES * props.of.lost;
  return (
    <svg class="share-bar" width={SHARES} height="8" viewBox={`0 0 ${SHARES} 8`} aria-hidden="true">
      <rect class="better" width={SHARES * props.of.gained} height="8" />
      <rect class="lost" x={SHARES - lost()} width={lost()} height="8" />
    </svg>
  );
}

function Moved(props: {
  title: string;
  moved: readonly MovedRequest[];
  onPair: (a: number, b: number) => void;
}): JSX.Element {
  const replica = (n: number | null): string => (n === null ? 'none' : `r${n}`);
  return (
    <Show when={props.moved.length > 0}>
      <h3 class="compare-sub">{props.title}</h3>
      <ul class="compare-moved">
        <For each={props.moved}>
          {(m) => (
            <li>
              <button type="button" class="btn" onClick={() => props.onPair(m.request_a, m.request_b)}>
                <b>#{m.request_a}</b>
                <span class="m">
                  {replica(m.replica_a)} → {replica(m.replica_b)}
                </span>
                <span class="r">{text(signed(durationMs(m.diff_ms)))}</span>
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

/** One request in both runs, on one axis. */
function BothWaterfalls(props: { pair: Pair }): JSX.Element {
  const spanUs = (): number => Math.max(props.pair.a.total_us, props.pair.b.total_us);
  const firstTokens = () => {
    const [a, b] = [props.pair.a.ttft_us, props.pair.b.ttft_us];
    if (typeof a !== 'number' || typeof b !== 'number') return undefined;
    return { text: text(signed(durationMs((b - a) / 1000))), way: b > a ? 'lost' : 'gained' };
  };
  let host: HTMLElement | undefined;
  // It is shown above the lists that it is chosen from.
  createEffect(
    on(
      () => props.pair,
      () => host?.scrollIntoView({ block: 'nearest' }),
    ),
  );
  return (
    <section class="blk" ref={host} aria-label={`Request ${props.pair.a.request} in both runs`}>
      <div class="blk-head">
        <h2>#{props.pair.a.request} in both runs</h2>
        <Show when={firstTokens()}>
          {(said) => <span class={`m ${said().way}`}>first token {said().text} in B</span>}
        </Show>
      </div>
      <p class="compare-sub">A</p>
      <Waterfall detail={props.pair.a} spanUs={spanUs()} />
      <p class="compare-sub">B</p>
      <Waterfall detail={props.pair.b} spanUs={spanUs()} />
    </section>
  );
}
