// The button of a chart's title that opens its tools: its table, and what the page does with all charts.
import type { JSX } from 'solid-js';

/** What tools are asked for: a chart by its title, its table, and the button beside which they open. */
export type ToolsAsked = { readonly title: string; readonly onTable: () => void; readonly button: HTMLElement };
export type OnTools = (asked: ToolsAsked) => void;

/** Opens the tools of its chart. */
export function ToolsButton(props: {
  readonly title: string;
  readonly onTable: () => void;
  readonly onTools: OnTools;
}): JSX.Element {
  return (
    <button
      type="button"
      class="chart-more"
      aria-label={`Tools of ${props.title}`}
      aria-haspopup="dialog"
      title="Table, law, span, zoom, other charts, files"
      onClick={(event) => {
        // A click on a chart goes to its instant.
        event.stopPropagation();
        props.onTools({ title: props.title, onTable: props.onTable, button: event.currentTarget });
      }}
    >
      <svg width="14" height="4" viewBox="0 0 14 4" aria-hidden="true">
        <path d="M1 1h2v2H1zM6 1h2v2H6zM11 1h2v2h-2z" />
      </svg>
    </button>
  );
}
