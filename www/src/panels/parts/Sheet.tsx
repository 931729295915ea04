// The frame of most dialogs: a title, a close button, the content.
import { type JSX, Show } from 'solid-js';
import { CloseButton, Modal } from './Modal.tsx';

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
    <Show when={props.open}>
      <Modal class="sheet-place" label={props.title} onClose={props.onClose}>
        <div class="sheet" classList={{ large: props.large ?? false }}>
          <div class="sheet-head">
            <h2 class="sheet-title">{props.title}</h2>
            <Show when={props.aside}>{(aside) => <span class="s sheet-aside">{aside()}</span>}</Show>
            <span class="grow" />
            <CloseButton />
          </div>
          {props.children}
        </div>
      </Modal>
    </Show>
  );
}
