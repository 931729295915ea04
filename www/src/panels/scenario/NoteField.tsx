// The note of the run as a field, in its place, and a field for one more mark at the playhead. Loaded when one is
// opened.
import { createSignal, For, type JSX, onMount, Show } from 'solid-js';
import { annotationsOf, MARK_CHARS, MOST_MARKS, withAnnotation, withoutLine } from '../../base/annotations.ts';
import { getAt } from '../../base/json.ts';
import { clock, plain } from '../../base/units.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { noteEdited, setNoteEdited } from '../../state/view/noteEdited.ts';
import './noteField.css';

/** Most characters of a note. */
const NOTE_CHARS = 20_000;

export default function NoteField(props: { app: Pick<App, 'transport' | 'document'> }): JSX.Element {
  const { app } = props;
  const note = (): string => String(getAt(app.document.current(), 'note') ?? '');
  const close = (): void => void setNoteEdited(undefined);
  return (
    <Show
      when={noteEdited() === 'mark'}
      fallback={<NoteArea note={note()} onSave={(text) => app.document.rename('note', text)} onDone={close} />}
    >
      <MarkField
        note={note()}
        nowUs={app.transport.frame()?.now_us ?? 0}
        onSave={(text) => app.document.rename('note', text)}
        onDone={close}
      />
    </Show>
  );
}

function NoteArea(props: { note: string; onSave: (text: string) => void; onDone: () => void }): JSX.Element {
  let area: HTMLTextAreaElement | undefined;
  onMount(() => area?.focus());
  const save = (): void => {
    if (area) props.onSave(area.value.trim());
    props.onDone();
  };
  return (
    <form
      class="note-field"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') props.onDone();
        else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <textarea ref={area} class="in" aria-label="Note" rows="8" maxLength={NOTE_CHARS} value={props.note} />
      <p class="s">
        “at 61.9 s” and “#123” become links, “[words](t=60;select=request:74)” too. A line that begins with “at 61.9 s:”
        is a mark on the timeline. The run goes on: words change no result.
      </p>
      <div class="note-acts">
        <button type="submit" class="btn pri" title="Save (Ctrl + Enter)">
          Save
        </button>
        <button type="button" class="btn box" onClick={() => props.onDone()}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** One more mark at the playhead, and the list of those that are there. */
function MarkField(props: {
  note: string;
  nowUs: number;
  onSave: (text: string) => void;
  onDone: () => void;
}): JSX.Element {
  let field: HTMLInputElement | undefined;
  // The instant stays while the run plays on.
  const atUs = props.nowUs;
  const [empty, setEmpty] = createSignal(false);
  const marks = () => annotationsOf(props.note);
  onMount(() => field?.focus());
  const add = (): void => {
    const text = field?.value.trim() ?? '';
    setEmpty(text === '');
    if (text === '') return;
    props.onSave(withAnnotation(props.note, atUs, text));
    props.onDone();
  };
  return (
    <form
      class="note-field"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        props.onDone();
      }}
    >
      <Show when={marks().length < MOST_MARKS} fallback={<p class="s">A note has at most {MOST_MARKS} marks.</p>}>
        <label>
          <span class="s">Mark at {plain(atUs / 1e6)} s</span>
          <input
            ref={field}
            class="in"
            aria-invalid={empty()}
            maxLength={MARK_CHARS}
            placeholder={empty() ? 'a text is missing' : 'what happens here'}
          />
        </label>
      </Show>
      <div class="note-acts">
        <button type="submit" class="btn pri" disabled={marks().length >= MOST_MARKS}>
          Add the mark
        </button>
        <button type="button" class="btn box" onClick={() => props.onDone()}>
          Cancel
        </button>
      </div>
      <Show when={marks().length > 0}>
        <ul class="note-marks" aria-label="Marks">
          <For each={marks()}>
            {(mark) => (
              <li>
                <span>
                  <b>{clock(mark.atUs)} s</b> {mark.text}
                </span>
                <button
                  type="button"
                  class="btn sq"
                  aria-label={`Remove the mark at ${plain(mark.atUs / 1e6)} s`}
                  onClick={() => props.onSave(withoutLine(props.note, mark.line))}
                >
                  <Icon name="close" />
                </button>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </form>
  );
}
