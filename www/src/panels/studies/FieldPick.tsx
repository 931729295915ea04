// The choice of the field that a sweep varies: a list by section, with a search.
import { createMemo, createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';
import { Icon } from '../../draw/glyphs.tsx';
import { foundFields, TRAFFIC, type Varied } from './sweepFields.ts';

export function FieldPick(props: {
  fields: readonly Varied[];
  path: string;
  onPath: (path: string) => void;
}): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const [query, setQuery] = createSignal('');
  const id = createUniqueId();
  let button: HTMLButtonElement | undefined;
  const chosen = (): Varied => props.fields.find((f) => f.path === props.path) ?? TRAFFIC;
  const found = createMemo(() => foundFields(props.fields, query()));
  const groups = createMemo(() => [...new Set(found().map((f) => f.group))]);
  const close = (): void => {
    setOpen(false);
    setQuery('');
    button?.focus();
  };
  const choose = (path: string): void => {
    props.onPath(path);
    close();
  };
  return (
    <fieldset
      aria-labelledby={`${id}-label`}
      class="field-pick"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open()) return;
        // The view over the page stays.
        event.stopPropagation();
        close();
      }}
    >
      <span id={`${id}-label`}>Varied field</span>
      <button
        type="button"
        class="in w pick"
        ref={button}
        aria-expanded={open()}
        aria-controls={`${id}-list`}
        aria-labelledby={`${id}-label ${id}-now`}
        onClick={() => setOpen(!open())}
      >
        <span class="pick-text" id={`${id}-now`}>
          {chosen().title}
        </span>
        <Icon name="down" />
      </button>
      <Show when={open()}>
        <div class="field-list" id={`${id}-list`}>
          <input
            class="in"
            type="search"
            aria-label="Search the fields"
            placeholder="Search"
            ref={(input) => queueMicrotask(() => input.focus())}
            value={query()}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={(event) => {
              const [first] = found();
              if (event.key === 'Enter' && first) choose(first.path);
            }}
          />
          <For each={groups()} fallback={<p class="say">No field has these words in its name.</p>}>
            {(group) => (
              <fieldset>
                <legend>{group === '' ? 'All clients' : group}</legend>
                <For each={found().filter((f) => f.group === group)}>
                  {(f) => (
                    <button
                      type="button"
                      class="btn"
                      aria-pressed={f.path === props.path}
                      onClick={() => choose(f.path)}
                    >
                      {f.label || f.title}
                      <span class="s">{f.unit}</span>
                    </button>
                  )}
                </For>
              </fieldset>
            )}
          </For>
        </div>
      </Show>
    </fieldset>
  );
}
