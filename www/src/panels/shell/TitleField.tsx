// The title of the run as a field, in its place in the top bar. Loaded when the title is pressed.
import { type JSX, onMount } from 'solid-js';
import { getAt } from '../../base/json.ts';
import type { App } from '../../state/app.ts';

/** Most characters of a title. */
export const TITLE_CHARS = 120;

export default function TitleField(props: { app: Pick<App, 'document'>; onDone: () => void }): JSX.Element {
  let field: HTMLInputElement | undefined;
  let left = false;
  const title = String(getAt(props.app.document.current(), 'title') ?? '');
  onMount(() => {
    field?.focus();
    field?.select();
  });
  const leave = (takes: boolean): void => {
    if (left || !field) return;
    left = true;
    if (takes) props.app.document.rename('title', field.value.trim());
    props.onDone();
  };
  return (
    <input
      ref={field}
      class="in title-field"
      aria-label="Title"
      maxLength={TITLE_CHARS}
      value={title}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        leave(event.key === 'Enter');
      }}
      onBlur={() => leave(true)}
    />
  );
}
