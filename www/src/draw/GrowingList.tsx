// A list that can grow with a run: the first entries, and how many more there are.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { count } from '../base/units.ts';

/** Entries of such a list: more would be neither read nor drawn in time. */
export const MOST_LISTED = 120;

/** `rest` wraps the words on the entries that are left out, for lists whose entries are not paragraphs. */
export function Listed<T>(props: {
  each: readonly T[] | undefined;
  rest?: (said: string) => JSX.Element;
  children: (entry: T) => JSX.Element;
}): JSX.Element {
  const shown = createMemo(() => props.each?.slice(0, MOST_LISTED) ?? []);
  const more = (): number => (props.each?.length ?? 0) - shown().length;
  const said = (): string => `and ${count(more())} more`;
  return (
    <>
      <For each={shown()}>{(entry) => props.children(entry)}</For>
      <Show when={more() > 0}>{props.rest?.(said()) ?? <p class="m">{said()}</p>}</Show>
    </>
  );
}

/** The words on what is left out, as a row of a table. */
export const restOfTable = (said: string): JSX.Element => (
  <tr>
    <td class="m" colspan="99">
      {said}
    </td>
  </tr>
);

/** The same as an entry of a list. */
export const restOfList = (said: string): JSX.Element => <li class="m">{said}</li>;

/** The same as a term of a list of definitions. */
export const restOfTerms = (said: string): JSX.Element => (
  <div>
    <dt class="m">{said}</dt>
  </div>
);
