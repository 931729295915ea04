// A choice of one of a few values, as buttons in a row.
import { For, type JSX } from 'solid-js';

/** A value with its name; a text is its own name. */
type Option<T extends string> = T | readonly [T, string];

type Props<T extends string> = {
  /** What is chosen, for assistive technology. */
  readonly label: string;
  readonly options: readonly Option<T>[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
  /** A further class of the row. */
  readonly class?: string;
};

export function Segments<T extends string>(props: Props<T>): JSX.Element {
  return (
    <fieldset class={props.class ? `seg ${props.class}` : 'seg'} aria-label={props.label}>
      <For each={props.options}>
        {(option) => {
          const [value, name] = typeof option === 'string' ? [option, option] : option;
          return (
            <button type="button" aria-pressed={props.chosen === value} onClick={() => props.onChoose(value)}>
              {name}
            </button>
          );
        }}
      </For>
    </fieldset>
  );
}
