// The value of a key figure at the instant of the last edit, grey beside the value now.
import { type JSX, Show } from 'solid-js';
import { NBSP, plain } from '../../base/units.ts';

/** A value before an edit, in words. */
export type Was = { readonly said: string; readonly atS: number };

export function BeforeEdit(props: { was: Was | undefined; leads?: boolean }): JSX.Element {
  return (
    <Show when={props.was}>
      {(was) => (
        <small class="figure-was" title={`Before the edit at ${plain(was().atS)}${NBSP}s`}>
          <span class="visually-hidden">before the edit at {plain(was().atS)} s: </span>
          {props.leads ? `${was().said} →` : `← ${was().said}`}
        </small>
      )}
    </Show>
  );
}
