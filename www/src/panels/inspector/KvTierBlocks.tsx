// Figures of the report about tiers below CPU memory, and about what was kept and fetched for sessions in their pauses.
import { For, type JSX, Show } from 'solid-js';
import { count, DASH, percent, sig3, text } from '../../base/units.ts';
import type { KvTierPart, PausesPart, Report } from '../../generated/boundary.ts';
import { Block, NameValues, type Row } from '../parts/Block.tsx';
import { tierNames } from '../parts/tierNames.ts';

export function KvTierBlocks(props: { report: Report }): JSX.Element {
  return (
    <>
      <For each={props.report.kv_tiers ?? []}>
        {(tier) => (
          <Block title={`${tierNames(tier.tier).many}, pool ${tier.pool}`} remark="warm-up included">
            <NameValues rows={tierRows(tier)} />
          </Block>
        )}
      </For>
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
