// The description of the scenario beside the run: what to look at, with links to the instants of scheduled edits.
import { createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';
import { getAt } from '../../base/json.ts';
import { opening } from '../../base/note.ts';
import { plain } from '../../base/units.ts';
import type { App } from '../../state/app.ts';
import { tooltip } from '../../state/commands/shortcuts.ts';
import { noteEdited, setNoteEdited } from '../../state/view/noteEdited.ts';
import { isSectionOpen, setSectionOpen } from '../../state/view/openSections.ts';
import { Disclosure } from '../parts/Disclosure.tsx';
import { flagSaid } from '../parts/formFields.ts';
import { LazyPart } from '../parts/LazyPart.tsx';
import { NoteText } from '../parts/NoteText.tsx';

/** A link to a scheduled edit leads to a little before it. */
const BEFORE_US = 5_000_000;

const loadNoteField = () => import('./NoteField.tsx');

const TITLE = 'What to look at';

export function Story(props: { app: Pick<App, 'transport' | 'document'> }): JSX.Element {
  const app = props.app;
  const open = (): boolean => isSectionOpen(TITLE) || noteEdited() !== undefined;
  /** Whether a long note is shown to its end. */
  const [whole, setWhole] = createSignal(false);
  const body = createUniqueId();
  const note = (): string => String(getAt(app.document.current(), 'note') ?? '');
  const editNote = (what: 'note' | 'mark'): void => {
    setSectionOpen(TITLE, true, 'for now');
    setNoteEdited(what);
  };
  /** The instants of scheduled edits, each with its edits. */
  const scheduled = () => [
    ...Map.groupBy(
      app.document.listed().filter((e) => e.scheduled),
      (e) => e.atUs,
    ),
  ];
  return (
    <Show
      when={note() !== '' || noteEdited() !== undefined}
      fallback={
        <button type="button" class="btn note-add" onClick={() => setNoteEdited('note')}>
          Add a note…
        </button>
      }
    >
      <section class="sec story" classList={{ shut: !open() }}>
        <h2>
          <button
            type="button"
            class="sec-head"
            aria-expanded={open()}
            aria-controls={body}
            onClick={() => setSectionOpen(TITLE, !open(), 'kept')}
          >
            <Disclosure open={open()} />
            {TITLE}
          </button>
          <Show when={open() && noteEdited() === undefined}>
            <button type="button" class="btn" onClick={() => editNote('note')}>
              Edit
            </button>
            <button
              type="button"
              class="btn"
              aria-label="Mark this instant"
              title={tooltip('Mark this instant in the note', 'mark')}
              onClick={() => editNote('mark')}
            >
              Mark
            </button>
          </Show>
        </h2>
        <div id={body} hidden={!open()}>
          <Show
            when={noteEdited() === undefined}
            fallback={<LazyPart app={app} what="The field of the note" load={loadNoteField} />}
          >
            <NoteText
              text={whole() ? note() : opening(note())}
              onVisit={(target) => void app.transport.visit(target)}
            />
            <Show when={opening(note()) !== note()}>
              <button type="button" class="btn quiet rest" aria-expanded={whole()} onClick={() => setWhole(!whole())}>
                {whole() ? 'Less' : 'More'}
              </button>
            </Show>
          </Show>
          <Show when={scheduled().length > 0}>
            <p class="moments">
              <For each={scheduled().slice(0, 6)}>
                {([atUs, [edit, ...more]]) => (
                  <button
                    type="button"
                    class="btn box"
                    onClick={() => void app.transport.seek(Math.max(0, atUs - BEFORE_US) / 1e6)}
                  >
                    {plain(Math.max(0, atUs - BEFORE_US) / 1e6)} s: before {edit ? flagSaid(app, edit.edit) : ''}
                    {more.length > 0 ? ` and ${more.length} more` : ''}
                  </button>
                )}
              </For>
            </p>
          </Show>
        </div>
      </section>
    </Show>
  );
}
