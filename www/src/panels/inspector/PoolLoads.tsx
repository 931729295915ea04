// The load of the prefill and of the decode replicas, and the ratio that the two suggest. It is shown, never applied.
import { type JSX, Show } from 'solid-js';
import { count, percent, text } from '../../base/units.ts';
import type { SplitFrame } from '../../generated/boundary.ts';
import { Block } from '../parts/Block.tsx';

export function PoolLoads(props: { split: SplitFrame; onFind: () => void }): JSX.Element {
  const s = (): SplitFrame => props.split;
  return (
    <Block title="Load of the pools" remark="shown, never applied">
      <Load name="ρ prefill, busy" load={s().prefill.load} />
      <Load name="ρ decode, KV in use or places in batches" load={s().decode.load} />
      <dl class="list">
        <div>
          <dt>Replicas that serve</dt>
          <dd>
            {count(s().prefill.serving)} : {count(s().decode.serving)}
          </dd>
        </div>
        <Show when={s().hint}>
          {(hint) => (
            <div>
              <dt>Hint: replicas × load, for as many replicas</dt>
              <dd>
                <b>
                  {count(hint()[0])} : {count(hint()[1])}
                </b>
              </dd>
            </div>
          )}
        </Show>
      </dl>
      <button type="button" class="btn box" onClick={() => props.onFind()}>
        Find the ratio…
      </button>
    </Block>
  );
}

function Load(props: { name: string; load: number }): JSX.Element {
  return (
    <div class="pool-load" classList={{ full: props.load >= 0.9 }}>
      <span>{props.name}</span>
      <b>{text(percent(props.load))}</b>
      <i style={{ '--share': Math.min(1, props.load) }} aria-hidden="true" />
    </div>
  );
}
