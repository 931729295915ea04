// The fields that a search of the form finds. Loaded with the first search.
import { createMemo, For, type JSX, Show } from 'solid-js';
import type { App } from '../../state/app.ts';
import { sameList, search } from '../parts/formFields.ts';
import { Seed } from '../parts/Seed.tsx';
import { FieldRow } from './FieldRow.tsx';

/** The most fields that a search shows. */
const MOST_FOUND = 40;

/** The matching fields, each under the name of its section and of its client or pool. */
export default function FoundFields(props: {
  app: Pick<App, 'transport' | 'document' | 'dialogs' | 'links'>;
  query: string;
}): JSX.Element {
  const app = props.app;
  const found = createMemo(() => search(app.document.schema, app.document.inForce(), props.query, MOST_FOUND));
  const ids = createMemo(() => found().map((f) => f.field.id), [], { equals: sameList });
  /** The seed is a row of its own. */
  const seed = (): boolean =>
    props.query
      .toLowerCase()
      .trim()
      .split(/\s+/)
      .every((word) => 'run seed random'.includes(word));
  const count = (): number => found().length + (seed() ? 1 : 0);
  return (
    <section class="sec" aria-label="Found">
      <p class="empty" role="status">
        {count() === 0
          ? 'No field has these words in its name or help.'
          : `${found().length === MOST_FOUND ? 'the first ' : ''}${count()} field${count() === 1 ? '' : 's'}`}
      </p>
      <Show when={seed()}>
        <p class="found-in">Run</p>
        <Seed app={app} />
      </Show>
      <For each={ids()}>
        {(id) => {
          const own = createMemo(
            (old: ReturnType<typeof found>[number] | undefined) => found().find((f) => f.field.id === id) ?? old,
            undefined,
          );
          return (
            <Show when={own()}>
              {(f) => (
                <>
                  <p class="found-in">{[f().section.title, f().field.within].filter((s) => s !== '').join(' · ')}</p>
                  <FieldRow app={app} field={f().field} help={false} />
                </>
              )}
            </Show>
          );
        }}
      </For>
    </section>
  );
}
