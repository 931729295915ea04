// The button that opens the table behind a chart.
import type { JSX } from 'solid-js';

/** Opens the table of its chart. */
export function TableButton(props: { readonly title: string; readonly onOpen: () => void }): JSX.Element {
  return (
    <button type="button" class="table-button" aria-label={`${props.title} as a table`} onClick={() => props.onOpen()}>
      <svg width="11" height="11" viewBox="0 0 11 11" aria-hidden="true">
        <path d="M.5.5h10v10H.5zM.5 4h10M.5 7.300h10M4 .5v10" />
      </svg>
    </button>
  );
}
