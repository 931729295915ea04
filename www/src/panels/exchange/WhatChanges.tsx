// Below the mapping: what an import changes, parted by when it takes effect, what stays, and whether the model fits.
import { createEffect, For, type JSX, Show } from 'solid-js';
import { NBSP } from '../../base/units.ts';
import type { ImportChange, ImportMemory } from '../../sim/exchangeTypes.ts';
import { explain } from '../../state/notices/notices.ts';
import type { Importing } from './importing.ts';
import { type ChangeGroup, groupsOf, memorySaid, plainValue, unsaid } from './words.ts';

export function WhatChanges(props: { model: Importing }): JSX.Element {
  const found = () => props.model.found();
  const groups = () => groupsOf(found()?.changes ?? []);
  return (
    <section class="import-changes" aria-label="What changes">
      <Show when={found()}>
        {(read) => (
          <>
            <div>
              <h3>
                What changes <span class="m">{groups()[0]?.title}</span>
              </h3>
              <Show when={groups().length === 0}>
                <p class="m">
                  {read().scenario === '' ? 'Nothing before all conflicts are settled.' : 'The same as this scenario.'}
                </p>
              </Show>
              <Changes group={groups()[0]} />
            </div>
            <div>
              <For each={groups().slice(1)}>
                {(group) => (
                  <>
                    <h3>
                      <span class="m">{group.title}</span>
                    </h3>
                    <Changes group={group} />
                  </>
                )}
              </For>
              <For each={unsaid(read())}>{(warning) => <p class="wa import-unchanged">{explain(warning)}</p>}</For>
            </div>
            <div>
              <For each={read().memory}>
                {(memory) => <Memory memory={memory} alone={read().memory.length === 1} />}
              </For>
            </div>
          </>
        )}
      </Show>
    </section>
  );
}

function Changes(props: { group: ChangeGroup | undefined }): JSX.Element {
  return (
    <dl class="import-change-list">
      <For each={props.group?.changes ?? []}>{(change) => <Change change={change} />}</For>
    </dl>
  );
}

function Change(props: { change: ImportChange }): JSX.Element {
  return (
    <div title={props.change.field}>
      <dt>{props.change.label}</dt>
      <dd>
        <Show when={props.change.before !== ''}>
          <s>{plainValue(props.change.before)}</s>{' '}
        </Show>
        <b>{plainValue(props.change.after) || 'none'}</b>
      </dd>
    </div>
  );
}

const PARTS = [
  ['weights', 'mem-weights', 'weights_gib'],
  ['KV cache', 'mem-kv', 'kv_gib'],
  ['activations', 'mem-activations', 'activations_gib'],
  ['kept free', 'mem-free', 'free_gib'],
] as const;

/** The memory of one GPU as a bar of its parts. */
function Memory(props: { memory: ImportMemory; alone: boolean }): JSX.Element {
  const shares = () => props.memory.shares;
  return (
    <div class="memory">
      <h3>
        {props.alone ? 'Memory of one GPU' : `One GPU of ${props.memory.pool}`}
        <span class="end">
          {shares().total_gib.toFixed(1)}
          {NBSP}GiB
        </span>
      </h3>
      <div class="memory-bar" aria-hidden="true">
        <For each={PARTS}>
          {([, part, field]) => (
            <span
              class={part}
              ref={(el) => createEffect(() => (el.style.flexGrow = String(Math.max(0, shares()[field]))))}
            />
          )}
        </For>
      </div>
      <dl>
        <For each={PARTS}>
          {([name, part, field]) => (
            <div>
              <dt>
                <span class={`memory-key ${part}`} aria-hidden="true" />
                {name}
              </dt>
              <dd>{shares()[field].toFixed(1)}</dd>
            </div>
          )}
        </For>
      </dl>
      <p classList={{ m: shares().free_gib >= 0, mi: shares().free_gib < 0 }}>{memorySaid(props.memory)}</p>
    </div>
  );
}
