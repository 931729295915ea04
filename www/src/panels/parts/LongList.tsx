// A list of choices; a long one has a search field, and its options are under the headings of their groups. It stays inside the
// window, beside what opened it.
import { createEffect, createMemo, createSignal, For, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { Portal } from 'solid-js/web';
import { byLetter, grouped, matching, type Offered, roomFor, SHORT, stepIn } from './longLists.ts';
import './longList.css';

export default function LongList(props: {
  id: string;
  label: string;
  options: readonly Offered[];
  current: string;
  /** What opened it. */
  at: HTMLElement;
  onChoose: (tag: string) => void;
  onClose: () => void;
}): JSX.Element {
  const [query, setQuery] = createSignal('');
  const found = createMemo(() => matching(props.options, query()));
  const [active, setActive] = createSignal(props.current);
  /** The option that Enter chooses. */
  const on = (): string => (found().some((o) => o.tag === active()) ? active() : (found()[0]?.tag ?? ''));
  const idOf = (tag: string): string => `${props.id}-${tag.replaceAll(/[^\w-]/g, '-')}`;
  const short = (): boolean => props.options.length <= SHORT;
  let box: HTMLDivElement | undefined;
  let field: HTMLInputElement | undefined;
  let list: HTMLDivElement | undefined;
  const outside = (event: PointerEvent): void => {
    const target = event.target instanceof Node ? event.target : null;
    if (!box?.contains(target) && !props.at.contains(target)) props.onClose();
  };
  const place = (): void => {
    if (!box) return;
    const { left, top, maxHeight } = roomFor(props.at.getBoundingClientRect(), {
      width: innerWidth,
      height: innerHeight,
      ...(short() ? { tall: box.scrollHeight } : {}),
    });
    box.style.setProperty('left', `${left}px`);
    box.style.setProperty('top', `${top}px`);
    box.style.setProperty('max-height', `${maxHeight}px`);
  };
  onMount(() => {
    place();
    // A keyboard on the screen would cover the list.
    if (short()) list?.focus({ preventScroll: true });
    else if (!matchMedia('(pointer: coarse)').matches) field?.focus({ preventScroll: true });
    document.addEventListener('pointerdown', outside, true);
    addEventListener('resize', props.onClose);
    onCleanup(() => {
      document.removeEventListener('pointerdown', outside, true);
      removeEventListener('resize', props.onClose);
    });
  });
  createEffect(() => document.getElementById(idOf(on()))?.scrollIntoView({ block: 'nearest' }));
  const keys = (event: KeyboardEvent): void => {
    const next = stepIn(found(), on(), event.key) ?? (short() ? byLetter(found(), on(), event.key) : undefined);
    if (next !== undefined) setActive(next);
    else if ((event.key === 'Enter' || (short() && event.key === ' ')) && on() !== '' && found().length > 0)
      props.onChoose(on());
    else if (event.key === 'Escape' || event.key === 'Tab') props.onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Portal>
      <div class="menu long-list" ref={box}>
        <Show when={!short()}>
          <input
            ref={field}
            type="search"
            class="in"
            aria-label={`Search: ${props.label}`}
            placeholder="Search"
            aria-controls={props.id}
            aria-activedescendant={found().length > 0 ? idOf(on()) : undefined}
            value={query()}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={keys}
          />
        </Show>
        <div
          ref={list}
          class="long-list-box"
          id={props.id}
          role="listbox"
          aria-label={props.label}
          tabIndex={short() ? 0 : -1}
          aria-activedescendant={short() ? idOf(on()) : undefined}
          onKeyDown={keys}
        >
          <For each={grouped(found())}>
            {([group, options]) => (
              // biome-ignore lint/a11y/useSemanticElements: options of a listbox are grouped by role
              <div role="group" aria-label={group === '' ? 'Others' : group}>
                <Show when={group !== '' && !short()}>
                  <p class="menu-head" aria-hidden="true">
                    {group}
                  </p>
                </Show>
                <For each={options}>
                  {(option) => (
                    // biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus and names the option
                    // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the search field
                    <div
                      role="option"
                      class="menu-item tall"
                      id={idOf(option.tag)}
                      aria-selected={option.tag === props.current}
                      data-highlighted={option.tag === on() ? '' : undefined}
                      data-state={option.tag === props.current ? 'checked' : 'unchecked'}
                      onPointerMove={() => setActive(option.tag)}
                      onClick={() => props.onChoose(option.tag)}
                    >
                      <b>{option.label}</b>
                      <span class="s">{option.description}</span>
                    </div>
                  )}
                </For>
              </div>
            )}
          </For>
        </div>
        <Show when={found().length === 0}>
          <p class="empty" role="status">
            No entry has these words.
          </p>
        </Show>
      </div>
    </Portal>
  );
}
