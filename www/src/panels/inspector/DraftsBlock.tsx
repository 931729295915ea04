// What drafts of speculative decoding gained, by pool: a pool that prefills drafts nothing, one that decodes gains tokens a step.
import { For, type JSX, Show } from 'solid-js';
import { count, DASH, percent, sig3, text } from '../../base/units.ts';
import type { PoolFrame, ReplicaFrame, SpeculativePart } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { Block, type Row } from '../parts/Block.tsx';
import { TableHead } from '../parts/TableHead.tsx';

/** What drafts came to in a pool, as rows of its block. */
export function draftRows(part: SpeculativePart | undefined): readonly Row[] {
  if (!part) return [];
  return [
    ['Mean acceptance length', lengthOf(part)],
    ['Drafts accepted', part.acceptance_rate === undefined ? DASH : text(percent(part.acceptance_rate, 1))],
    ['Padding tokens of first steps', count(part.padding_tokens ?? 0)],
  ];
}

const lengthOf = ({ mean_acceptance_length: tokens }: SpeculativePart): string =>
  tokens === undefined ? DASH : `${sig3(tokens)} tokens a step`;

/** The phase of a pool, where pools have roles. */
const phaseOf = (pool: PoolFrame, replicas: readonly ReplicaFrame[]): string =>
  replicas.find((r) => r.pool === pool.name)?.split?.role ?? '';

export function DraftsBlock(props: { readonly app: Pick<App, 'transport'> }): JSX.Element {
  const frame = () => props.app.transport.throttledFrame();
  const pools = (): readonly PoolFrame[] => (frame()?.pools ?? []).filter((pool) => pool.speculative);
  return (
    <Show when={pools().length > 0}>
      <Block title="What drafts gained" remark="since the start">
        <table class="tbl drafts">
          <TableHead names={['pool', 'tokens a step', 'accepted', 'padding']} />
          <tbody>
            <For each={pools()}>
              {(pool) => {
                const part = (): SpeculativePart | undefined => pool.speculative;
                const rate = (): number | undefined => part()?.acceptance_rate;
                return (
                  <tr>
                    <th scope="row">{pool.name}</th>
                    <Show
                      when={rate() !== undefined}
                      fallback={<td colspan="2">{nothingIn(phaseOf(pool, frame()?.replicas ?? []))}</td>}
                    >
                      <td>{sig3(part()?.mean_acceptance_length ?? Number.NaN)}</td>
                      <td>{text(percent(rate() ?? Number.NaN, 1))}</td>
                    </Show>
                    <td>{count(part()?.padding_tokens ?? 0)}</td>
                  </tr>
                );
              }}
            </For>
          </tbody>
        </table>
        <p class="m note">
          Tokens a step: the mean acceptance length, 1 without drafts. Padding: dummies in first steps.
        </p>
      </Block>
    </Show>
  );
}

const nothingIn = (phase: string): string => (phase === 'prefill' ? 'prompts only' : 'none yet');
