// Gains and losses by group, the requests with the largest differences, and one request in both runs.

import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from 'solid-js';
import { count, durationMs, percent, signed, text } from '../../base/units.ts';
import type { GroupDifference, Grouping, MovedRequest, PairedPart, RunComparison } from '../../generated/boundary.ts';
import type { Pair } from '../../state/compare.ts';
import { LATENCY_METRICS, type LatencyMetric } from '../parts/latencyMetrics.ts';
import { Segments } from '../parts/Segments.tsx';
import { Waterfall } from '../parts/Waterfall.tsx';

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
                {text(percent(p().gained))} gained, {text(percent(p().lost))} lost; median{' '}
                {text(signed(durationMs(p().p50_ms)))}
                {medianRange(p())}, 1 % best {text(signed(durationMs(p().p1_ms)))}, 1 % worst{' '}
                {text(signed(durationMs(p().p99_ms)))}.
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

/** The interval of the median difference, and its meaning in words. */
function medianRange({ p50_lo_ms: lo, p50_hi_ms: hi, p50_verdict: verdict }: PairedPart): string {
  if (lo === null || hi === null || (lo === 0 && hi === 0)) return '';
  const words =
    verdict === 'better' ? 'B is better' : verdict === 'worse' ? 'B is worse' : 'no difference can be shown';
  return ` (${text(signed(durationMs(lo)))} to ${text(signed(durationMs(hi)))}: ${words})`;
}

function GroupTable(props: { groups: readonly GroupDifference[] }): JSX.Element {
  const kinds = createMemo(() => [...new Set(props.groups.map((g) => g.by))]);
  return (
    <table class="tbl compare-groups">
      <thead>
        <tr>
          <th>Group</th>
          <th class="r">gained %</th>
          <th class="r">lost %</th>
          <th class="r">median</th>
        </tr>
      </thead>
      <For each={kinds()}>
        {(by) => (
          <tbody>
            <tr>
              <th colSpan={4} class="s">
                {GROUPS[by]}
              </th>
            </tr>
            <For each={props.groups.filter((g) => g.by === by)}>
              {(g) => (
                <tr>
                  <td>{g.name}</td>
                  <td class="r">
                    {percent(g.gained).value}
                    <Share of={g.gained} way="better" />
                  </td>
                  <td class="r">
                    {percent(g.lost).value}
                    <Share of={g.lost} way="worse" />
                  </td>
                  <td class="r">{text(signed(durationMs(g.p50_ms)))}</td>
                </tr>
              )}
            </For>
          </tbody>
        )}
      </For>
    </table>
  );
}

/** A share as a bar below its number. */
function Share(props: { of: number; way: 'better' | 'worse' }): JSX.Element {
  return (
    <svg class={`share-bar ${props.way}`} width="40" height="3" viewBox="0 0 40 3" aria-hidden="true">
      <rect width={40 * props.of} height="3" />
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
      </div>
      <p class="compare-sub">A</p>
      <Waterfall detail={props.pair.a} spanUs={spanUs()} />
      <p class="compare-sub">B</p>
      <Waterfall detail={props.pair.b} spanUs={spanUs()} />
    </section>
  );
}
