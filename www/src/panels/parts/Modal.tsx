// A dialog over the page, in the browser's top layer: nothing else can be reached until it is closed. Escape closes it, and so does a
// click beside its content unless `stays`.
import { type JSX, onCleanup, onMount } from 'solid-js';
import { Portal } from 'solid-js/web';
import { Icon } from '../../draw/glyphs.tsx';

export function Modal(props: {
  /** Of the element that covers the window and places the content. */
  class: string;
  label: string;
  onClose: () => void;
  /** What has the focus first; without it the first control. */
  first?: () => HTMLElement | null | undefined;
  /** What has the focus afterwards; without it what had it before. */
  last?: () => HTMLElement | null;
  stays?: boolean;
  children: JSX.Element;
}): JSX.Element {
  let box: HTMLDialogElement | undefined;
  let ended = false;
  const opener = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  onMount(() => {
    box?.showModal();
    // A box that scrolls would be first for the browser.
    (props.first?.() ?? box?.querySelector<HTMLElement>('a[href], button, input, select, textarea'))?.focus();
  });
  onCleanup(() => {
    ended = true;
    // Later: the key that closes it is not meant for what has the focus then.
    setTimeout(() => {
      if (document.activeElement === document.body || props.last) (props.last?.() ?? opener)?.focus();
    });
  });
  /** At once: the event `close` comes later, and a key pressed before it would be lost. */
  const shut = (): void => {
    box?.close();
    if (!ended) props.onClose();
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    if (event.defaultPrevented || box?.querySelector('[popover=auto]:popover-open')) return;
    // A search field would empty itself first.
    event.preventDefault();
    shut();
  };
  return (
    <Portal>
      <dialog
        ref={box}
        class={`modal ${props.class}`}
        aria-label={props.label}
        on:close={() => !ended && props.onClose()}
        onKeyDown={key}
        on:pointerdown={(event) => event.target === box && !props.stays && shut()}
      >
        {props.children}
      </dialog>
    </Portal>
  );
}

/** Closes the dialog that it is in. */
export function CloseButton(): JSX.Element {
  return (
    <button
      type="button"
      class="btn sq"
      aria-label="Close"
      onClick={(event) => event.currentTarget.closest('dialog')?.close()}
    >
      <Icon name="close" />
    </button>
  );
}
