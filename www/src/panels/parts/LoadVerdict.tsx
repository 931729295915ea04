// The verdict on the load of a run: whether its percentiles belong to a steady run.
import { type JSX, Show } from 'solid-js';
import type { RunVerdict } from '../../generated/boundary.ts';
import { LOAD_WORDS } from './loadWords.ts';

/** The verdict with its sentence. */
export function LoadVerdict(props: { verdict: RunVerdict | undefined }): JSX.Element {
  return (
    <Show when={props.verdict}>
      {(verdict) => (
        <div class="blk">
          <div class="blk-head">
            <h2>Load</h2>
            <span class={`load-${LOAD_WORDS[verdict().state].tone}`}>
              <span aria-hidden="true">{LOAD_WORDS[verdict().state].shape}</span> {LOAD_WORDS[verdict().state].word}
            </span>
          </div>
          <p class="m">{verdict().text}</p>
        </div>
      )}
    </Show>
  );
}
