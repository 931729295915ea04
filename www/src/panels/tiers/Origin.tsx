// Where the blocks of the selected prompt came from.
import { For, type JSX, Show } from 'solid-js';
import { count, DASH, durationUs, sig3, text } from '../../base/units.ts';
import type { PromptOrigin } from '../../generated/boundary.ts';
import { originWords, placeWords } from './tierWords.ts';

export function Origin(props: { of: PromptOrigin | undefined; request: number | undefined }): JSX.Element {
  return (
    <section class="tier-origin" aria-label="Where the blocks of the prompt came from">
      <Show
        when={props.of}
        fallback={
          <p class="m">
            {props.request === undefined
              ? 'Select a request to see where the blocks of its prompt came from.'
              : `Where the blocks of #${props.request} came from is not known: it has not joined a batch yet, or 512 others have since.`}
          </p>
        }
      >
        {(of) => (
          <>
            <div>
              <h3>#{of().request}</h3>
              <p>{originWords(of())}</p>
              <div class="origin-bar" role="presentation">
                <For each={of().parts}>
                  {(part, i) => (
                    <span
                      class={part.tier === 'computed' ? 'computed' : `step${Math.min(i(), 4)}`}
                      style={{ 'flex-grow': part.blocks }}
                    />
                  )}
                </For>
              </div>
            </div>
            <table>
              <thead>
                <tr>
                  <th>from</th>
                  <th>of {count(of().blocks)} blocks</th>
                  <th>GB/s</th>
                  <th>took</th>
                </tr>
              </thead>
              <tbody>
                <For each={of().parts}>
                  {(part, i) => (
                    <tr>
                      <td>
                        <span class={`mark ${part.tier === 'computed' ? 'computed' : `step${Math.min(i(), 4)}`}`} />
                        {placeWords(part, of().replica)}
                      </td>
                      <td>{count(part.blocks)}</td>
                      <td>{part.gb_per_s === null ? DASH : sig3(part.gb_per_s)}</td>
                      <td>{part.took_us === null ? DASH : text(durationUs(part.took_us))}</td>
                    </tr>
                  )}
                </For>
              </tbody>
            </table>
          </>
        )}
      </Show>
    </section>
  );
}
