// Several things in order: by drag, by buttons, or by keys.

import { createSignal, For, type JSX, Show } from 'solid-js';
import { rangeText, unitText } from '../../../base/lessonUnits.ts';
import { Icon } from '../../../draw/glyphs.tsx';
import type { Guess, OrderQuestion, StepVerdict } from '../../../generated/boundary.ts';
import { TableHead } from '../../parts/TableHead.tsx';
import { Outcome, RightSign } from './Outcome.tsx';

/** The order with the entry at `from` moved to `to`. */
export function movedTo(order: readonly number[], from: number, to: number): readonly number[] {
  const next = [...order];
  const [item] = next.splice(from, 1);
  if (item === undefined) return order;
  next.splice(Math.min(order.length - 1, Math.max(0, to)), 0, item);
  return next;
}

export function AskOrder(props: {
  readonly ask: OrderQuestion;
  readonly onGuess: (guess: Guess) => void;
}): JSX.Element {
  let list: HTMLOListElement | undefined;
  const [order, setOrder] = createSignal<readonly number[]>(props.ask.items.map((_, i) => i));
  const [said, setSaid] = createSignal('');
  const [dragged, setDragged] = createSignal<number>();
  const label = (item: number): string => props.ask.items[item]?.label ?? '';
  const move = (item: number, to: number): void => {
    const from = order().indexOf(item);
    if (to < 0 || to >= order().length || to === from) return;
    const focused = document.activeElement;
    setOrder(movedTo(order(), from, to));
    // Moving an element takes the focus from it.
    if (focused instanceof HTMLElement && list?.contains(focused)) focused.focus();
    setSaid(`${label(item)}: place ${to + 1} of ${order().length}`);
  };
  const rowAt = (y: number): number =>
    [...(list?.children ?? [])].findIndex((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return y >= top && y < bottom;
    });
  const key = (event: KeyboardEvent, item: number): void => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move(item, order().indexOf(item) + by);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        props.onGuess({ order: [...order()] });
      }}
    >
      <p class="ask-ends">smallest first</p>
      {/* The list has the pointer during a drag: its rows move, which would end it. */}
      <ol
        class="ask-order"
        ref={list}
        onPointerMove={(event) => {
          const item = dragged();
          if (item !== undefined) move(item, rowAt(event.clientY));
        }}
        onPointerUp={() => setDragged(undefined)}
        onPointerCancel={() => setDragged(undefined)}
        onLostPointerCapture={() => setDragged(undefined)}
      >
        <For each={order()}>
          {(item, i) => (
            <li classList={{ dragged: dragged() === item }}>
              <button
                type="button"
                class="ask-grip"
                onKeyDown={(event) => key(event, item)}
                onPointerDown={(event) => {
                  list?.setPointerCapture(event.pointerId);
                  setDragged(item);
                }}
              >
                <b>{i() + 1}</b> <span>{label(item)}</span>
                <i class="visually-hidden">
                  , place {i() + 1} of {order().length}; arrow keys move it
                </i>
              </button>
              <button
                type="button"
                class="btn sq slim"
                aria-label={`Move ${label(item)} up`}
                disabled={i() === 0}
                onClick={() => move(item, i() - 1)}
              >
                <Icon name="up" />
              </button>
              <button
                type="button"
                class="btn sq slim"
                aria-label={`Move ${label(item)} down`}
                disabled={i() === order().length - 1}
                onClick={() => move(item, i() + 1)}
              >
                <Icon name="down" />
              </button>
            </li>
          )}
        </For>
      </ol>
      <p class="visually-hidden" role="status">
        {said()}
      </p>
      <button type="submit" class="btn pri">
        That is my guess
      </button>
    </form>
  );
}

export function CameOrder(props: {
  readonly ask: OrderQuestion;
  readonly guess: Guess | undefined;
  readonly verdict: StepVerdict | undefined;
}): JSX.Element {
  const mine = (): readonly number[] => (props.guess && 'order' in props.guess ? props.guess.order : []);
  const label = (item: number): string => props.ask.items[item]?.label ?? '';
  return (
    <Show
      when={props.verdict}
      fallback={
        <ol class="ask-order still">
          <For each={mine()}>
            {(item, i) => (
              <li>
                <b>{i() + 1}</b>
                <span>{label(item)}</span>
              </li>
            )}
          </For>
        </ol>
      }
    >
      {(found) => (
        <>
          <table class="guess-table">
            <caption class="visually-hidden">The engine’s order and yours</caption>
            <TableHead names={['engine’s order', 'mean', '95 %', 'your place']} />
            <tbody>
              <For each={found().order}>
                {(item, i) => (
                  <tr>
                    <th scope="row">
                      {i() + 1}. {label(item)}
                    </th>
                    <td class="engine">{unitText(found().items[item]?.mean, props.ask.unit)}</td>
                    <td class="band">{rangeText(found().items[item]?.lo, found().items[item]?.hi, props.ask.unit)}</td>
                    <td class="mine">
                      <span class="ask-place">
                        <RightSign right={mine()[i()] === item} />
                        {mine().indexOf(item) + 1}
                      </span>
                    </td>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
          <Outcome right={found().guess?.right}>
            <b>{found().guess?.right ? 'Right.' : 'Not right.'}</b> {found().guess?.in_place ?? 0} of{' '}
            {props.ask.items.length} stand where the engine puts them.
          </Outcome>
        </>
      )}
    </Show>
  );
}
