// What a hand on the stage can change, for those who use no pointer: blocks, arrivals, the ratio of roles, and where a request goes.
// Each is the edit of the form; arrow keys change a value, Enter applies it.
import { createMemo, createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';
import { amountText, stepped } from '../../base/pulls.ts';
import type { Amount } from '../../base/view.ts';
import type { Frame } from '../../generated/boundary.ts';
import { ignoreLost } from '../../sim/client.ts';
import type { App } from '../../state/app.ts';
import { sendAsked } from '../../state/studies/sendElsewhere.ts';
import { amountOf, type Pulled, setAmount } from '../parts/handAmounts.ts';

type Page = Pick<App, 'transport' | 'selection' | 'document' | 'studies' | 'links' | 'dialogs'>;
/** The most replicas that a request is offered. */
const MOST = 16;

export function HandItems(props: {
  app: Page;
  replica: number | undefined;
  request: number | undefined;
  /** The name of the open item; empty for none. */
  open: string;
  onOpen: (name: string) => void;
  onDone: () => void;
}): JSX.Element {
  // The same items while the run plays, so that the focus stays on one of them.
  const pulled = createMemo<readonly Pulled[]>(
    () => {
      const clients = props.app.transport.frame()?.clients.length ?? 0;
      const lanes = clients > 1 && clients <= MOST ? Array.from({ length: clients }, (_, client) => client) : [];
      return [
        ...(props.replica === undefined ? [] : [{ on: 'kv', replica: props.replica } as const]),
        ...[undefined, ...lanes].map((client) => ({ on: 'rate', client }) as const),
        { on: 'ratio' } as const,
      ];
    },
    [],
    { equals: (a, b) => JSON.stringify(a) === JSON.stringify(b) },
  );
  /** Enter presses what has the focus, and nothing else of the menu. */
  const keep = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') event.stopPropagation();
  };
  const others = (): readonly number[] => othersOf(props.app.transport.frame(), props.request);
  return (
    <div class="hand-items" on:keydown={keep}>
      <Show when={props.request !== undefined && others().length > 0}>
        <HandItem
          name={`Send #${props.request} to`}
          says="another replica, as run B"
          open={props.open}
          onOpen={props.onOpen}
        >
          <For each={others()}>
            {(to) => (
              <button
                type="button"
                class="btn box"
                aria-label={`Send it to r${to}`}
                onClick={() => {
                  // What is asked for is gone once the menu is closed.
                  const sent = sendAsked(props.app, props.request ?? 0, to);
                  props.onDone();
                  void sent.catch(ignoreLost);
                }}
              >
                r{to}
              </button>
            )}
          </For>
        </HandItem>
      </Show>
      <For each={pulled()}>
        {(one) => (
          <Show when={amountOf(props.app, one)}>
            {(amount) => (
              <HandItem
                name={amount().name}
                says={`${amountText(amount(), amount().now)} ${amount().unit}`}
                open={props.open}
                onOpen={props.onOpen}
              >
                <AmountField
                  amount={amount()}
                  onSet={(value) => {
                    const set = setAmount(props.app, one, value);
                    props.onDone();
                    void set.catch(ignoreLost);
                  }}
                />
              </HandItem>
            )}
          </Show>
        )}
      </For>
    </div>
  );
}

/** The serving replicas that do not have the request, as many as can be offered. */
function othersOf(frame: Frame | undefined, request: number | undefined): readonly number[] {
  const holds = (r: Frame['replicas'][number]): boolean =>
    r.batch.requests.includes(request ?? -1) || r.queue.some((chip) => chip.request === request);
  const able = (frame?.replicas ?? []).filter((r) => r.serving && r.split?.role !== 'prefill' && !holds(r));
  return able.slice(0, MOST).map((r) => r.id);
}

/** An item: a click or Enter opens it, and goes on to its field. */
function HandItem(props: {
  name: string;
  says: string;
  open: string;
  onOpen: (name: string) => void;
  children: JSX.Element;
}): JSX.Element {
  let settings: HTMLDivElement | undefined;
  const open = (): boolean => props.open === props.name;
  const enter = (): void => {
    props.onOpen(props.name);
    settings?.querySelector<HTMLElement>('input, button')?.focus();
  };
  return (
    <div class="break-item" classList={{ on: open() }}>
      <button type="button" class="menu-item" data-hand={props.name} aria-expanded={open()} onClick={enter}>
        <b>{props.name}…</b> <span class="s">{props.says}</span>
      </button>
      <Show when={open()}>
        <div class="break-settings" ref={settings}>
          {props.children}
        </div>
      </Show>
    </div>
  );
}

/** A value with its old one before it. Arrow keys make it a tenth more or less. */
function AmountField(props: { amount: Amount; onSet: (value: number) => void }): JSX.Element {
  const id = createUniqueId();
  const [value, setValue] = createSignal(props.amount.now);
  const apply = (): void => {
    if (Number.isFinite(value()) && value() !== props.amount.now) props.onSet(value());
  };
  const key = (event: KeyboardEvent): void => {
    const by = ({ ArrowUp: 1, ArrowDown: -1 } as const)[event.key as 'ArrowUp'];
    if (by !== undefined) setValue(stepped(props.amount, value(), by));
    else if (event.key === 'Enter') apply();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <label for={id} title="↑ and ↓ change it by a tenth; Enter applies it">
        {amountText(props.amount, props.amount.now)} →
      </label>
      <input
        id={id}
        type="number"
        class="in"
        aria-label={`${props.amount.name}${props.amount.unit === '' ? ', prefill replicas' : `, ${props.amount.unit}`}`}
        min={props.amount.least}
        max={props.amount.most}
        step="any"
        value={value()}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => setValue(event.currentTarget.valueAsNumber)}
        on:keydown={key}
      />
      <span class="m">{props.amount.unit}</span>
      <button type="button" class="btn pri break-apply" onClick={apply}>
        Apply
      </button>
    </>
  );
}
