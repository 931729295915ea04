// A list of choices. A long one has a search field and groups, and is loaded when it is reached.
import { createListCollection, Select } from '@ark-ui/solid/select';
import { createMemo, createSignal, For, type JSX, lazy, Show, Suspense } from 'solid-js';
import { Portal } from 'solid-js/web';
import { byPointer } from '../../base/focus.ts';
import type { Json } from '../../base/json.ts';
import type { Field, Option } from '../../base/schema.ts';
import { awaitField } from '../../base/typedAhead.ts';
import { Icon } from '../../draw/glyphs.tsx';
import { sameList } from '../parts/formFields.ts';

const loadLong = () => import('../parts/LongList.tsx');
const LongList = lazy(loadLong);

/** The most options of a list without a search field. */
const SHORT = 8;

type Props = { id: string; field: Field; value: Json | undefined; onSet: (value: Json) => Promise<boolean> };

export function Choice(props: Props): JSX.Element {
  const options = (): readonly Option[] => (props.field.input.kind === 'choice' ? props.field.input.options : []);
  return (
    <Show when={options().length > SHORT} fallback={<ShortChoice {...props} />}>
      <LongChoice {...props} options={options()} />
    </Show>
  );
}

function LongChoice(props: Props & { options: readonly Option[] }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  let trigger: HTMLButtonElement | undefined;
  const current = (): string => (props.field.input.kind === 'choice' ? props.field.input.tag : '');
  const reached = (): void => void loadLong().catch(() => undefined);
  const search = (): void => {
    awaitField('.long-list input');
    setOpen(true);
  };
  const close = (): void => {
    setOpen(false);
    trigger?.focus({ preventScroll: true });
  };
  return (
    <div class="select">
      <button
        type="button"
        ref={trigger}
        class="in w pick"
        id={props.id}
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={open()}
        aria-controls={`${props.id}-list`}
        aria-labelledby={`${props.id}-label`}
        onFocus={reached}
        onPointerEnter={reached}
        onClick={() => (open() ? setOpen(false) : search())}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          search();
        }}
      >
        <span class="pick-text">{props.options.find((o) => o.tag === current())?.label ?? current()}</span>
        <Icon name="down" />
      </button>
      <Show when={open() && trigger}>
        {(at) => (
          <Suspense>
            <LongList
              id={`${props.id}-list`}
              label={props.field.label}
              options={props.options}
              current={current()}
              at={at()}
              onClose={close}
              onChoose={(tag) => {
                const chosen = props.options.find((o) => o.tag === tag);
                close();
                if (byPointer()) trigger?.blur();
                if (chosen && tag !== current()) void props.onSet(chosen.value);
              }}
            />
          </Suspense>
        )}
      </Show>
    </div>
  );
}

function ShortChoice(props: Props): JSX.Element {
  const options = createMemo(() => (props.field.input.kind === 'choice' ? props.field.input.options : []));
  const option = (tag: string) => options().find((o) => o.tag === tag);
  const tags = createMemo(() => options().map((o) => o.tag), [], { equals: sameList });
  const collection = createMemo(() =>
    createListCollection({
      items: tags(),
      itemToString: (tag) => option(tag)?.label ?? tag,
      itemToValue: (tag) => tag,
    }),
  );
  const current = (): string => (props.field.input.kind === 'choice' ? props.field.input.tag : '');
  /** Whether the pointer or focus has reached it. Its list is built then, nearly always before it opens. */
  const [reached, setReached] = createSignal(false);
  return (
    <Select.Root
      class="select"
      collection={collection()}
      value={[current()]}
      ids={{ trigger: props.id, label: `${props.id}-label` }}
      positioning={{ sameWidth: false, gutter: 4 }}
      onOpenChange={({ open }) => {
        if (open) setReached(true);
        // The list gives the focus back to the field in the next display frame.
        else if (byPointer())
          requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(props.id)?.blur()));
      }}
      onValueChange={({ value }) => {
        const chosen = option(value[0] ?? '');
        if (chosen && chosen.tag !== current()) void props.onSet(chosen.value);
      }}
    >
      <Select.Control>
        <Select.Trigger class="in w pick" onFocus={() => setReached(true)} onPointerDown={() => setReached(true)}>
          <span class="pick-text">{option(current())?.label ?? current()}</span>
          <Icon name="down" />
        </Select.Trigger>
      </Select.Control>
      <Show when={reached()}>
        <Portal>
          <Select.Positioner>
            <Select.Content class="menu">
              <For each={tags()}>
                {(tag) => (
                  <Select.Item item={tag} class="menu-item tall">
                    <Select.ItemText>
                      <b>{option(tag)?.label}</b>
                    </Select.ItemText>
                    <span class="s">{option(tag)?.description}</span>
                  </Select.Item>
                )}
              </For>
            </Select.Content>
          </Select.Positioner>
        </Portal>
      </Show>
    </Select.Root>
  );
}
