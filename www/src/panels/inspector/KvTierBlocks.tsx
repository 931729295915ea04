// Figures of the report about tiers below CPU memory, and about what was kept and fetched for sessions in their pauses.
import { For, type JSX, Show } from 'solid-js';
import { count, DASH, durationMs, percent, sig3, text } from '../../base/units.ts';
import type { KvLoadsPart, KvTierPart, PausesPart, Report, Summary, TierServedPart } from '../../generated/boundary.ts';
import { Block, NameValues, type Row } from '../parts/Block.tsx';
import { tierNames } from '../parts/tierNames.ts';

export function KvTierBlocks(props: { report: Report }): JSX.Element {
  return (
    <>
      <Show when={props.report.kv.cpu?.served}>
        {(served) => (
          <Block title={tierNames('cpu').many} remark="warm-up included">
            <NameValues rows={servedRows(served())} />
          </Block>
        )}
      </Show>
      <For each={props.report.kv_tiers ?? []}>
        {(tier) => (
          <Block title={`${tierNames(tier.tier).many}, pool ${tier.pool}`} remark="warm-up included">
            <NameValues rows={tierRows(tier)} />
          </Block>
        )}
      </For>
      <Show when={props.report.kv.loads}>
        {(loads) => (
          <Block title="Loads to the GPU" remark="warm-up included">
            <NameValues rows={loadRows(loads())} />
          </Block>
        )}
      </Show>
      <Show when={props.report.kv.pauses}>
        {(pauses) => (
          <Block title="Kept and fetched in pauses" remark="warm-up included">
            <NameValues rows={pauseRows(pauses())} />
          </Block>
        )}
      </Show>
    </>
  );
}

export function tierRows(tier: KvTierPart): readonly Row[] {
  const { place } = tier;
  const found = place && place.lookups > 0 ? text(percent(place.found / place.lookups, 1)) : DASH;
  return [
    ['Blocks read', `${count(tier.read_blocks)}, ${sig3(tier.read_gb)} GB`],
    ['Blocks written', `${count(tier.written_blocks)}, ${sig3(tier.written_gb)} GB`],
    ['Blocks that wait to be written', count(tier.waiting_blocks)],
    ['Reads and writes that failed', count(tier.failed_flows)],
    ...(place
      ? ([
          ['Blocks in it now', count(place.blocks)],
          ['Blocks looked up', count(place.lookups)],
          ['Of these found', found],
          ['Blocks that found no room', count(place.refused)],
          ['Blocks evicted', count(place.evicted)],
          ['Blocks expired', count(place.expired)],
        ] as const)
      : []),
    ...servedRows(tier.served),
  ];
}

const ms = (x: number | undefined): string => text(durationMs(x ?? Number.NaN));

/** The median and the 99th percentile of ages, in seconds. */
const ages = (s: Summary): string => (s.count > 0 ? `${sig3(s.p50 ?? 0)} s, ${sig3(s.p99 ?? 0)} s at p99` : DASH);

export function servedRows(served: TierServedPart): readonly Row[] {
  const { wait_ms: wait } = served;
  return [
    ['Blocks of prompts from it', `${count(served.blocks)}, ${text(percent(served.share, 1))}`],
    ['Busy', `${sig3(served.busy_s)} s`],
    ['Requests wait for it', wait.count > 0 ? `${ms(wait.mean)}, ${ms(wait.p99)} at p99` : DASH],
    ['Age of blocks that are hit', ages(served.age_at_hit_s)],
    ['Age of blocks evicted', ages(served.age_at_eviction_s)],
  ];
}

export function loadRows(loads: KvLoadsPart): readonly Row[] {
  return [
    ['Blocks of prompts from the GPU', text(percent(loads.gpu_share, 1))],
    ['Blocks that spared computing', count(loads.useful_blocks)],
    ['Blocks loaded and not used', count(loads.wasted_blocks)],
    ['Blocks held by loads, mean', sig3(loads.mean_held_blocks)],
    ['Tokens not worth their way', count(loads.refused_tokens)],
    ['Tokens without a slot, or too late', count(loads.cut_tokens)],
    ['Tokens of reads that failed', count(loads.failed_tokens)],
  ];
}

export function pauseRows(p: PausesPart): readonly Row[] {
  const stopped = [
    [p.late, 'late'],
    [p.refused, 'refused'],
    [p.stopped, 'stopped'],
    [p.failed, 'failed'],
  ] as const;
  const rest = stopped.filter(([n]) => n > 0).map(([n, word]) => `${count(n)} ${word}`);
  return [
    ['Blocks under directives now', count(p.protected_blocks)],
    ['Tokens under hints now', count(p.hinted_tokens)],
    ['Prefetches', count(p.prefetches)],
    ['Of these landed', count(p.landed)],
    ['Of these with nothing to bring', count(p.nothing)],
    ['The others', rest.length > 0 ? rest.join(', ') : DASH],
    ['Blocks fetched', count(p.blocks)],
    ['Of these hit before they went', count(p.useful_blocks)],
    ['Of these evicted before', count(p.wasted_blocks)],
  ];
}
