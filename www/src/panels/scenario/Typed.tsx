// The field of a number or a text, with a slider for weights.
import { createSignal, type JSX, Show } from 'solid-js';
import type { Json } from '../../base/json.ts';
import type { Field } from '../../base/schema.ts';
import { inDocument, inUnit, plainText, typedText, ungrouped } from '../parts/formFields.ts';

/** The least weight of the slider; smaller ones can be typed. */
const LEAST = 0.5;

/** A number or a text. Refused input stays in the field. */
export function Typed(props: {
  id: string;
  field: Field;
  value: Json | undefined;
  was: number | undefined;
  help: string | undefined;
  invalid: boolean;
  onSet: (value: Json) => Promise<boolean>;
}): JSX.Element {
  const numeric = (): boolean => props.field.input.kind === 'number';
  const shown = (): string => typedText(inUnit(props.field, props.value));
  const commit = (text: string): Promise<boolean> => {
    const trimmed = ungrouped(text);
    const number = numeric() && trimmed !== '' && !Number.isNaN(Number(trimmed));
    return props.onSet(number ? inDocument(props.field, Number(trimmed)) : trimmed);
  };
  /** The value set by arrow keys that is not in force yet. */
  const [nudged, setNudged] = createSignal<string>();
  let wanted: string | undefined;
  let committing = false;
  /** Edits run one after the other, each with the latest value: keys come faster than answers, and each key counts. */
  const follow = async (): Promise<void> => {
    if (committing) return;
    committing = true;
    let done = true;
    while (wanted !== undefined) {
      const text = wanted;
      wanted = undefined;
      done = await commit(text);
    }
    committing = false;
    // Refused input stays, to be corrected.
    if (done) setNudged(undefined);
  };
  const nudge = (event: KeyboardEvent & { currentTarget: HTMLInputElement }): void => {
    const way = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    const now = Number(ungrouped(event.currentTarget.value));
    if (way === 0 || !numeric() || Number.isNaN(now)) return;
    event.preventDefault();
    const { input } = props.field;
    const [least, most] = input.kind === 'number' ? [input.min ?? 0, input.max ?? Infinity] : [0, Infinity];
    const { times } = props.field;
    const next = Number((now + way * (Number.isInteger(now) ? 1 : 0.1)).toFixed(6));
    wanted = String(Math.min(most / times, Math.max(least / times, next)));
    setNudged(wanted);
    void follow();
  };
  /** Escape restores the value in force. */
  const restore = (event: KeyboardEvent & { currentTarget: HTMLInputElement }): void => {
    const inForce = shown();
    if (event.key !== 'Escape' || event.currentTarget.value === inForce) return;
    event.preventDefault();
    setNudged(undefined);
    event.currentTarget.value = inForce;
    void commit(inForce);
  };
  /** The value of the slider while it is dragged; releasing it makes the edit. */
  const [dragged, setDragged] = createSignal<string>();
  const weight = (): boolean => numeric() && props.field.path.endsWith('.weight');
  const most = (): number => Math.max(10, Number(props.value), props.was ?? 0);
  const place = (x: number): string => String(Math.min(1, Math.max(0, (x - LEAST) / (most() - LEAST))));
  return (
    <>
      <Show when={weight()}>
        <span class="weigh-box" style={{ '--now': place(Number(dragged() ?? props.value)) }}>
          <input
            class="weigh"
            type="range"
            min={LEAST}
            max={most()}
            step="0.5"
            value={Number(props.value)}
            aria-label={`${props.field.label}, as a slider`}
            onInput={(event) => setDragged(event.currentTarget.value)}
            onChange={(event) => {
              setDragged(undefined);
              void commit(event.currentTarget.value);
            }}
          />
          <Show when={props.was}>{(was) => <i class="tick" style={{ '--was': place(was()) }} />}</Show>
        </span>
      </Show>
      <span class="in" classList={{ w: !numeric() }}>
        <input
          id={props.id}
          type="text"
          inputmode={numeric() ? 'decimal' : 'text'}
          spellcheck={false}
          autocomplete="off"
          placeholder="–"
          size={numeric() ? Math.max(3, shown().length) : 14}
          value={dragged() ?? nudged() ?? shown()}
          data-value={plainText(inUnit(props.field, props.value))}
          aria-describedby={props.help}
          aria-invalid={props.invalid}
          onInput={() => setNudged(undefined)}
          onChange={(event) => void commit(event.currentTarget.value)}
          onKeyDown={(event) => {
            nudge(event);
            restore(event);
          }}
        />
        <Show when={props.field.unit}>
          <i>{props.field.unit}</i>
        </Show>
      </span>
    </>
  );
}
