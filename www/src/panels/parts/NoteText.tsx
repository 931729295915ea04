// A note with its links: to instants, requests and replicas.
import { For, type JSX, Show } from 'solid-js';
import { type NoteTarget, noteParts } from '../../base/note.ts';

export function NoteText(props: { text: string; onVisit: (target: NoteTarget) => void }): JSX.Element {
  return (
    <p class="note-text">
      <For each={noteParts(props.text)}>
        {(part) => (
          <Show when={part.target} fallback={part.text}>
            {(target) => (
              <button type="button" class="note-link" onClick={() => props.onVisit(target())}>
                {part.text}
              </button>
            )}
          </Show>
        )}
      </For>
    </p>
  );
}
