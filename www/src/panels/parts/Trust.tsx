// How far latency figures can be trusted: class, values and measured errors of each pool, in the core's words.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { EvidenceGlyph } from '../../draw/glyphs.tsx';
import type { PoolEvidence } from '../../generated/boundary.ts';
import { basisOf, isGuess, valuesOf, weakest } from './trustWords.ts';
import './trust.css';

/** Class and error in a few words; the details open on demand. */
export function TrustChip(props: { pools: readonly PoolEvidence[] | undefined; label?: string }): JSX.Element {
  const worst = createMemo(() => weakest(props.pools));
  return (
    <Show when={worst()}>
      {(pool) => (
        <details class="trust" classList={{ guess: isGuess(pool().class) }}>
          <summary>
            <span aria-hidden="true">
              <EvidenceGlyph basis={basisOf(pool().class)} />
            </span>
            <span>
              <Show when={props.label}>{(label) => <b>{label()} </b>}</Show>
              <Show when={isGuess(pool().class)}>
                <span aria-hidden="true">▲ </span>
              </Show>
              {pool().chip}
            </span>
          </summary>
          <TrustDetails pools={props.pools ?? []} />
        </details>
      )}
    </Show>
  );
}

/** The five values of each pool with their classes, and the errors in sentences. */
export function TrustDetails(props: { pools: readonly PoolEvidence[] }): JSX.Element {
  return (
    <For each={props.pools}>
      {(pool) => (
        <div class="trust-pool">
          <Show when={props.pools.length > 1}>
            <b>{pool.pool}</b>
          </Show>
          <dl>
            <For each={valuesOf(pool)}>
              {([name, { value, class: of }]) => (
                <div>
                  <dt>{name}</dt>
                  <dd>
                    {value} <span classList={{ wa: isGuess(of), m: !isGuess(of) }}>{of.replace('-', ' ')}</span>
                  </dd>
                </div>
              )}
            </For>
          </dl>
          <p class="m">{pool.text}</p>
        </div>
      )}
    </For>
  );
}

/** A block of the inspector. */
export function TrustBlock(props: { pools: readonly PoolEvidence[] | undefined }): JSX.Element {
  return (
    <Show when={(props.pools?.length ?? 0) > 0}>
      <div class="blk">
        <div class="blk-head">
          <h2>Evidence</h2>
        </div>
        <TrustChip pools={props.pools} />
      </div>
    </Show>
  );
}
