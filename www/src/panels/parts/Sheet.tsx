// The frame of every dialog: a title, a close button, the content.
import { Dialog } from '@ark-ui/solid/dialog';
import { type JSX, Show } from 'solid-js';
import { Portal } from 'solid-js/web';
import { Icon } from '../../draw/glyphs.tsx';

export function Sheet(props: {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Content beside the title. */
  aside?: string;
  large?: boolean;
  children: JSX.Element;
}): JSX.Element {
  return (
    <Dialog.Root open={props.open} onOpenChange={({ open }) => !open && props.onClose()} lazyMount unmountOnExit>
      <Portal>
        <Dialog.Backdrop class="veil" />
        <Dialog.Positioner class="sheet-place">
          <Dialog.Content class="sheet" classList={{ large: props.large ?? false }}>
            <div class="sheet-head">
              <Dialog.Title class="sheet-title">{props.title}</Dialog.Title>
              <Show when={props.aside}>{(aside) => <span class="s sheet-aside">{aside()}</span>}</Show>
              <span class="grow" />
              <Dialog.CloseTrigger class="btn sq" aria-label="Close">
                <Icon name="close" />
              </Dialog.CloseTrigger>
            </div>
            {props.children}
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}
