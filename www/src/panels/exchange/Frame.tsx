// The frame of the large dialogs: a head with a title, the content, a foot.
import type { JSX } from 'solid-js';
import { CloseButton, Modal } from '../parts/Modal.tsx';
import './exchange.css';

export function Frame(props: {
  class: string;
  title: string;
  aside: string;
  onClose: () => void;
  /** Controls beside the button that closes it. */
  tools?: JSX.Element;
  onKeyDown: (event: KeyboardEvent) => void;
  onPaste?: (event: ClipboardEvent) => void;
  /** Takes the files of a drop. */
  onFiles?: (files: readonly File[]) => void;
  /** What has the focus first. */
  first: () => HTMLElement | null;
  ref?: (el: HTMLDivElement) => void;
  foot: JSX.Element;
  children: JSX.Element;
}): JSX.Element {
  const key = (event: KeyboardEvent): void => {
    props.onKeyDown(event);
    // The shortcuts of the page are not those of the dialog.
    event.stopPropagation();
  };
  const dropped = (event: DragEvent): void => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!props.onFiles || files.length === 0) return;
    event.preventDefault();
    props.onFiles(files);
  };
  return (
    <Modal class="sheet-place exchange-place" label={props.title} onClose={props.onClose} first={props.first} stays>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: files and texts can be dropped and pasted anywhere in it */}
      <div
        class={`exchange ${props.class}`}
        ref={(el: HTMLDivElement) => props.ref?.(el)}
        onKeyDown={key}
        onPaste={(event: ClipboardEvent) => props.onPaste?.(event)}
        onDragOver={(event: DragEvent) => event.preventDefault()}
        onDrop={dropped}
      >
        <header class="exchange-head">
          <h2 class="sheet-title">{props.title}</h2>
          <span class="m exchange-aside" role="status">
            {props.aside}
          </span>
          <span class="grow" />
          {props.tools}
          <CloseButton />
        </header>
        {props.children}
        <footer class="exchange-foot">{props.foot}</footer>
      </div>
    </Modal>
  );
}
