// Parts of the blocks of the inspector: a heading with a remark, names with values, a bar of KV blocks by state.
import { For, type JSX } from 'solid-js';
import { count } from '../../base/units.ts';

export type Row = readonly [name: string, value: string];

export function Block(props: { title: string; remark?: JSX.Element; children: JSX.Element }): JSX.Element {
  return (
    <div class="blk">
      <div class="blk-head">
        <h2>{props.title}</h2>
        <span class="m">{props.remark}</span>
      </div>
      {props.children}
    </div>
  );
}

export function NameValues(props: { rows: readonly Row[]; class?: string }): JSX.Element {
  return (
    <dl class={`list ${props.class ?? ''}`}>
      <ValueRows rows={props.rows} />
    </dl>
  );
}

function ValueRows(props: { rows: readonly Row[] }): JSX.Element {
  return (
    <For each={props.rows}>
      {([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      )}
    </For>
  );
}

/** Blocks of one state: its swatch (`ku` used, `ks` shared, `kc` cached, `kf` free), its name, how many. */
export type BlockState = { readonly swatch: 'ku' | 'ks' | 'kc' | 'kf'; readonly name: string; readonly blocks: number };

/** A bar divided by state, then a row for each state that has a name, then further rows. */
export function BlockStates(props: {
  label: string;
  states: readonly BlockState[];
  further?: readonly Row[];
}): JSX.Element {
  return (
    <>
      <div class="kvbar" role="img" aria-label={props.label}>
        <For each={props.states}>{(state) => <i class={state.swatch} style={{ 'flex-grow': state.blocks }} />}</For>
      </div>
      <dl class="list">
        <For each={props.states.filter((state) => state.name !== '')}>
          {(state) => (
            <div>
              <dt>
                <i class={`sw8 ${state.swatch}`} aria-hidden="true" />
                {state.name}
              </dt>
              <dd>{count(state.blocks)}</dd>
            </div>
          )}
        </For>
        <ValueRows rows={props.further ?? []} />
      </dl>
    </>
  );
}
