// A button with a flyout above or below it, in the browser's top layer. Escape or a click elsewhere closes it.
import { createSignal, createUniqueId, type JSX, onMount, Show } from 'solid-js';

/** Distance from the button and from the edges of the window. */
const GAP = 6;

export function Flyout(props: {
  /** The name of the flyout for screen readers. */
  label: string;
  /** The accessible name of the button, if it differs from its text; it begins with that text. */
  name?: string;
  class: string;
  title?: string;
  /** The id of what describes the button. */
  describedBy?: string | undefined;
  /** Whether it opens below the button. */
  below?: boolean;
  trigger: JSX.Element;
  /** Opens the flyout from elsewhere, such as by a key. */
  ref?: (open: () => void) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  children: (close: () => void) => JSX.Element;
}): JSX.Element {
  const id = createUniqueId();
  let button: HTMLButtonElement | undefined;
  let box: HTMLDivElement | undefined;
  const [open, setOpen] = createSignal(false);
  const place = (): void => {
    if (!button || !box) return;
    const at = button.getBoundingClientRect();
    const wide = box.offsetWidth;
    box.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - wide - GAP))}px`;
    if (props.below) {
      box.style.top = `${at.bottom + GAP}px`;
      box.style.maxHeight = `${innerHeight - at.bottom - 2 * GAP}px`;
      return;
    }
    box.style.bottom = `${innerHeight - at.top + GAP}px`;
    box.style.maxHeight = `${at.top - 2 * GAP}px`;
  };
  /** Stays with the button, which moves with whatever changes on the page. */
  const follow = (): void => {
    if (!box?.matches(':popover-open')) return;
    place();
    requestAnimationFrame(follow);
  };
  onMount(() => props.ref?.(() => box?.showPopover()));
  return (
    <>
      <button
        type="button"
        class={props.class}
        ref={button}
        popovertarget={id}
        aria-haspopup="dialog"
        aria-expanded={open()}
        aria-label={props.name ?? props.label}
        aria-describedby={props.describedBy}
        title={props.title ?? props.label}
        onKeyDown={(event) => props.onKeyDown?.(event)}
      >
        {props.trigger}
      </button>
      <div
        id={id}
        ref={box}
        class="flyout"
        role="dialog"
        aria-label={props.label}
        popover="auto"
        onToggle={(event) => {
          const now = box?.matches(':popover-open') ?? false;
          if (event.target !== box) return;
          setOpen(now);
          if (!now) return;
          follow();
          box?.querySelector<HTMLElement>('[autofocus], input, button')?.focus();
        }}
      >
        <Show when={open()}>{props.children(() => box?.hidePopover())}</Show>
      </div>
    </>
  );
}
