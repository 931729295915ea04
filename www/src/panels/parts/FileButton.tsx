// A button that opens the browser's chooser of files.
import type { JSX } from 'solid-js';

export function FileButton(props: {
  readonly class: string;
  /** The button's accessible name, if its content is not enough. */
  readonly label?: string;
  /** The kind of file to choose, such as "Benchmark result". */
  readonly takes: string;
  readonly accept?: string;
  readonly onFile: (file: File) => void;
  readonly children: JSX.Element;
}): JSX.Element {
  let chooser: HTMLInputElement | undefined;
  return (
    <>
      <button type="button" class={props.class} aria-label={props.label} onClick={() => chooser?.click()}>
        {props.children}
      </button>
      <input
        ref={chooser}
        class="visually-hidden"
        type="file"
        tabIndex={-1}
        aria-label={props.takes}
        accept={props.accept}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = '';
          if (file) props.onFile(file);
        }}
      />
    </>
  );
}
