// The policy for the KV of sessions: which one the run has now, and an edit for another one.
import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from 'solid-js';
import type { Json } from '../../base/json.ts';
import { writeDocument } from '../../base/text.ts';
import { trust } from '../../base/trust.ts';
import type { KvPolicyChoice } from '../../generated/boundary.ts';
import type { Asking } from '../../sim/asking.ts';
import type { App } from '../../state/app.ts';

/** Where problems of such an edit are shown. */
const PATH = 'cluster.pools[0].kv.eviction_order';

/** The policies for the scenario in force; empty until they are known. */
export function createPolicies(app: Pick<App, 'document'>, thread: Asking<'compare'>) {
  const [policies, setPolicies] = createSignal<readonly KvPolicyChoice[]>([]);
  const scenario = createMemo(() => writeDocument(app.document.inForce()));
  createEffect(
    on(scenario, (text) => {
      const stays = (): boolean => text === scenario();
      thread.ask('kv-policies', text).then(
        (found) => stays() && setPolicies(found),
        () => stays() && setPolicies([]),
      );
    }),
  );
  return policies;
}

const isNow = (choice: KvPolicyChoice): boolean => Object.keys(choice.set).length === 0;

export function PolicyChoice(props: { app: Pick<App, 'document'>; policies: readonly KvPolicyChoice[] }): JSX.Element {
  const buttons: HTMLButtonElement[] = [];
  const [focused, setFocused] = createSignal<number>();
  const now = (): number => props.policies.findIndex(isNow);
  const stop = (): number => focused() ?? Math.max(0, now());
  const move = (event: KeyboardEvent): void => {
    const count = props.policies.length;
    const to = { ArrowRight: stop() + 1, ArrowDown: stop() + 1, ArrowLeft: stop() - 1, ArrowUp: stop() - 1 };
    const numbered = props.policies[Number(event.key) - 1];
    const next = numbered ? props.policies.indexOf(numbered) : { ...to, Home: 0, End: count - 1 }[event.key];
    if (next === undefined || count === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const at = (next + count) % count;
    setFocused(at);
    buttons[at]?.focus();
    if (numbered) choose(numbered);
  };
  const choose = (choice: KvPolicyChoice): void => {
    if (isNow(choice) || choice.refused !== null) return;
    void props.app.document.applyEdit({ set: trust<Readonly<Record<string, Json>>>(choice.set) }, PATH);
  };
  return (
    <div class="session-policy">
      <span
        class="seg"
        role="radiogroup"
        aria-label="What is kept in pauses"
        onKeyDown={move}
        onFocusOut={() => setFocused(undefined)}
      >
        <For each={props.policies}>
          {(choice, i) => (
            // biome-ignore lint/a11y/useSemanticElements: arrows move the focus, and only a press makes an edit
            <button
              type="button"
              role="radio"
              ref={(element) => {
                buttons[i()] = element;
              }}
              aria-checked={isNow(choice)}
              aria-disabled={choice.refused !== null}
              tabindex={stop() === i() ? 0 : -1}
              title={choice.refused === null ? choice.words : `Not here: ${choice.refused}`}
              onFocus={() => setFocused(i())}
              onClick={() => choose(choice)}
            >
              {choice.name}
            </button>
          )}
        </For>
      </span>
      <span class="session-policy-words" aria-live="polite">
        <Show when={props.policies.length > 0}>
          {props.policies[now()]?.words ?? 'Other: this scenario keeps contexts in a way of its own.'}
        </Show>
      </span>
    </div>
  );
}
