// The tiers as a table.
import { For, type JSX } from 'solid-js';
import { count, DASH, percent, sig3, text } from '../../base/units.ts';
import type { TierFlow, Tiers } from '../../generated/boundary.ts';
import { tierNames } from '../parts/tierNames.ts';
import { filled } from './tierLayout.ts';
import { portWords, storeWords } from './tierWords.ts';

const from = ({ kind, tier, source }: TierFlow): string =>
  kind === 'write' ? `to ${tierNames(tier).short}` : `from ${source === null ? tierNames(tier).short : `r${source}`}`;

export function TierTable(props: { tiers: Tiers }): JSX.Element {
  return (
    <>
      <table class="tier-table">
        <thead>
          <tr>
            <th>replica</th>
            <th>tier</th>
            <th>blocks</th>
            <th>held</th>
            <th>kept</th>
            <th>full</th>
          </tr>
        </thead>
        <tbody>
          <For each={props.tiers.replicas}>
            {(replica) => (
              <For each={replica.layers}>
                {(layer) => (
                  <tr>
                    <td>r{replica.replica}</td>
                    <td>{tierNames(layer.tier).short}</td>
                    <td>{layer.total === null ? 'no end' : count(layer.total)}</td>
                    <td>{count(layer.held)}</td>
                    <td>{count(layer.kept)}</td>
                    <td>{filled(layer) === undefined ? DASH : text(percent(filled(layer) ?? 0))}</td>
                  </tr>
                )}
              </For>
            )}
          </For>
        </tbody>
      </table>
      <For each={props.tiers.stores}>
        {(store) => (
          <p>
            Store {storeWords(store)}; reads {portWords(store.ports[0])}, writes {portWords(store.ports[1])}
          </p>
        )}
      </For>
      <For each={props.tiers.flows}>
        {(flow) => (
          <p>
            r{flow.replica}: {count(flow.blocks)} blocks {from(flow)}, {sig3(flow.gb_per_s)} GB/s
          </p>
        )}
      </For>
    </>
  );
}
