// The sum that must hold: blocks used, cached and free are all there are.
import { For, type JSX, Show } from 'solid-js';
import { count } from '../../base/units.ts';
import type { Blocks } from '../../generated/boundary.ts';
import { sumSaid, terms } from './kvWords.ts';

export function Sum(props: { blocks: Blocks }): JSX.Element {
  const b = (): Blocks => props.blocks;
  return (
    <div class="kv-sum">
      <h2>Blocks of r{b().replica}</h2>
      <p>
        <For each={terms(b())}>
          {(term, i) => (
            <>
              {i() > 0 ? ' + ' : ''}
              {term.name} <b>{count(term.blocks)}</b>
            </>
          )}
        </For>{' '}
        = <b>{count(b().total)}</b>{' '}
        <span
          class={b().conserved ? 'kv-ok' : 'kv-bad'}
          role="img"
          aria-label={b().conserved ? 'It holds' : 'It does not hold'}
        >
          {b().conserved ? '✓' : '✕'}
        </span>{' '}
        <span class="m checked">
          {b().conserved ? `after each of ${count(b().checked)} events` : `at event ${count(b().checked)}`}
        </span>
      </p>
      <p class="m">
        shared {count(b().shared)} · own {count(b().own)}
      </p>
      <div class="kvbar" role="img" aria-label={sumSaid(b())}>
        <i class="ku" style={{ 'flex-grow': b().own }} />
        <i class="ks" style={{ 'flex-grow': b().shared }} />
        <i class="kc" style={{ 'flex-grow': b().cached }} />
        <i class="kf" style={{ 'flex-grow': b().free }} />
      </div>
      <Show when={!b().caching}>
        <p class="say">Prefix cache is off: nothing is cached.</p>
      </Show>
    </div>
  );
}
