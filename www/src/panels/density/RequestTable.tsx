// The requests of the view: those of the brush, else all of the span on screen. Sorted by any column; only the rows in sight are in the
// document.

import { createVirtualizer } from '@tanstack/solid-virtual';
import { createEffect, createMemo, createSignal, For, type JSX, on, onMount, Show, untrack } from 'solid-js';
import { LATENCIES } from '../../base/latencies.ts';
import { isPhone } from '../../base/media.ts';
import { count, DASH, durationUs, text } from '../../base/units.ts';
import { ClientShape } from '../../draw/shapes.tsx';
import type { RequestRow, SortKey } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { boxes, measure, setBoxes } from '../../state/view/closeup.ts';
import { answers, setSorting, sorting } from '../../state/view/density.ts';
import { setSpan, span } from '../../state/view/span.ts';
import { PAGE_ROWS } from './answers.ts';
import { copyRows } from './copyRows.ts';
import { boxWords, STATES, timeWords } from './words.ts';

/** Height of a row; a finger needs more. */
const ROW = isPhone() ? 40 : 26;
const HEAD = isPhone() ? 40 : 28;

/** `by`: what a press on its head sorts by. */
type ColumnHead = { readonly by: SortKey | undefined; readonly name: string; readonly class: string };
type Column = ColumnHead & { readonly cell: (row: RequestRow) => JSX.Element };
const COLUMNS: readonly Column[] = [
  { by: 'request', name: 'request', class: '', cell: (row) => <b>#{row.request}</b> },
  {
    by: 'client',
    name: 'client',
    class: '',
    cell: (row) => (
      <>
        <ClientShape client={row.client} /> {row.client_name === '' ? DASH : row.client_name}
      </>
    ),
  },
  { by: 'class', name: 'class', class: 'wide', cell: (row) => row.class },
  { by: 'replica', name: 'replica', class: '', cell: (row) => (row.replica === null ? DASH : `r${row.replica}`) },
  { by: 'state', name: 'state', class: '', cell: (row) => <State row={row} /> },
  // Its order is that of the numbers.
  { by: undefined, name: 'arrived', class: 'num', cell: (row) => arrivedAt(row.arrival_us) },
  { by: 'prompt', name: 'prompt', class: 'num', cell: (row) => count(row.prompt_tokens) },
];

export function RequestTable(props: {
  app: Pick<App, 'transport' | 'selection' | 'dialogs'>;
  onFirstRow: (row: number) => void;
}): JSX.Element {
  const app = props.app;
  let grid: HTMLDivElement | undefined;
  // Known once it is in the document: before that the list could not observe its size.
  const [box, setBox] = createSignal<HTMLDivElement>();
  onMount(() => setBox(grid));
  const [active, setActive] = createSignal(0);
  const matching = (): number => answers()?.rows.matching ?? 0;
  const rowAt = (index: number): RequestRow | undefined => {
    const found = answers();
    return found?.rows.rows[index - found.offset];
  };
  const list = createVirtualizer({
    get count() {
      return matching();
    },
    getScrollElement: () => box() ?? null,
    estimateSize: () => ROW,
    scrollMargin: HEAD,
    scrollPaddingStart: HEAD,
    overscan: 6,
  });
  // The rows around those in sight are asked for before they are reached.
  createEffect(() => {
    const first = list.getVirtualItems()[0]?.index ?? 0;
    const offset = untrack(() => answers()?.offset ?? 0);
    if (first < offset + 6 || first > offset + PAGE_ROWS - 60) props.onFirstRow(first);
  });
  createEffect(
    on([boxes, sorting, span], () => {
      setActive(0);
      box()?.scrollTo({ top: 0 });
      props.onFirstRow(0);
    }),
  );
  /** Of all rows asked for, so that bars compare. */
  const longest = createMemo(() => (answers()?.rows.rows ?? []).reduce((us, r) => Math.max(us, ttftOf(r)), 1));
  const open = (index: number): void => {
    const row = rowAt(index);
    setActive(index);
    if (row) app.selection.select({ request: row.request, replica: undefined });
  };
  const move = (to: number): void => {
    const index = Math.max(0, Math.min(matching() - 1, to));
    setActive(index);
    list.scrollToIndex(index);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const by = { j: 1, J: 1, ArrowDown: 1, k: -1, K: -1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (by !== undefined) move(active() + by);
    else if (event.key === 'Home') move(0);
    else if (event.key === 'End') move(matching() - 1);
    else if (event.key === 'Enter') open(active());
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section class="request-table" aria-label="Requests">
      <Head app={app} />
      {/* biome-ignore lint/a11y/useSemanticElements: a table whose rows are in the document only while they are in sight */}
      <div
        class="rows-box"
        classList={{ high: isPhone() }}
        ref={grid}
        role="grid"
        tabIndex={0}
        aria-label="Requests; J and K move, Enter opens"
        aria-rowcount={matching() + 1}
        aria-activedescendant={matching() > 0 ? `request-row-${active()}` : undefined}
        onKeyDown={press}
      >
        <SortHeads />
        {/* biome-ignore lint/a11y/useSemanticElements: as the grid around it */}
        <div
          role="rowgroup"
          class="rows-all"
          ref={(el) => createEffect(() => (el.style.height = `${list.getTotalSize()}px`))}
        >
          <For each={list.getVirtualItems()}>
            {(item) => (
              <Row
                index={item.index}
                top={item.start - HEAD}
                row={rowAt(item.index)}
                active={active() === item.index}
                picked={rowAt(item.index)?.request === app.selection.selected().request}
                longest={longest()}
                sloUs={answers()?.rows.slo_ttft_us ?? 0}
                onOpen={() => open(item.index)}
              />
            )}
          </For>
        </div>
      </div>
      <p class="rows-foot">
        <Show when={measure() === 'ttft'}>
          <span class="bar-key hollow" aria-hidden="true" /> queue <span class="bar-key solid" aria-hidden="true" />{' '}
          prefill
          <span class="bar-key slo" aria-hidden="true" /> SLO
        </Show>
        <span class="grow" />
        <kbd>J</kbd>
        <kbd>K</kbd> row <kbd>Enter</kbd> open
      </p>
    </section>
  );
}

/** Seconds after the start, as many decimals as fit the column. */
const arrivedAt = (us: number): string => (us < 1e9 ? (us / 1e6).toFixed(2) : (us / 1e6).toFixed(0));
const ttftOf = (row: RequestRow): number => row.queue_us + row.prefill_us;

/** What filters the rows, how many there are, and the button that copies them. */
function Head(props: { app: Pick<App, 'selection' | 'dialogs'> }): JSX.Element {
  const rows = () => answers()?.rows;
  return (
    <header class="rows-head">
      <b>Requests</b>
      <Show when={span()}>
        {(shown) => <span class="rows-pill">{timeWords(shown().fromS * 1e6, shown().toS * 1e6)}</span>}
      </Show>
      <For each={boxes().slice(0, 2)}>{(box) => <span class="rows-pill">{boxWords(box)}</span>}</For>
      <Show when={boxes().length > 2}>
        <span class="rows-pill">{boxes().length - 2} more</span>
      </Show>
      <Show when={boxes().length > 0 || span()}>
        <button
          type="button"
          class="btn"
          onClick={() => {
            setBoxes([]);
            setSpan(undefined);
          }}
        >
          Clear
        </button>
      </Show>
      <span class="grow" />
      <span class="rows-count" role="status">
        <Show when={rows()?.matching !== 0 || boxes().length === 0} fallback="no request here">
          {count(rows()?.matching ?? 0)} of {count(rows()?.arrived ?? 0)}
        </Show>
      </span>
      <button type="button" class="btn box" disabled={!rows()?.matching} onClick={() => void copyRows(props.app)}>
        Copy CSV
      </button>
    </header>
  );
}

/** The heads of the columns, each a button that sorts by it. */
function SortHeads(): JSX.Element {
  const last = (): ColumnHead => {
    const { column, ofRequest } = LATENCIES[measure()];
    return { by: column, name: ofRequest, class: 'last' };
  };
  const sortBy = (by: SortKey): void => {
    const now = sorting();
    // Latencies begin with the largest.
    const first = ['ttft', 'tpot', 'e2e', 'prompt', 'preemptions'].includes(by);
    setSorting({ by, descending: now.by === by ? !now.descending : first });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: as the grid around it
    // biome-ignore lint/a11y/useFocusableInteractive: the focus is on the grid
    <div role="row" class="rows-row rows-heads" aria-rowindex={1}>
      <For each={[...COLUMNS, last()]}>
        {(column) => (
          // biome-ignore lint/a11y/useSemanticElements: as the grid around it
          // biome-ignore lint/a11y/useFocusableInteractive: its button has the focus
          <span
            role="columnheader"
            class={column.class}
            aria-sort={sorting().by !== column.by ? 'none' : sorting().descending ? 'descending' : 'ascending'}
          >
            <Show when={column.by} fallback={<i>{column.name}</i>}>
              {(by) => (
                <button type="button" onClick={() => sortBy(by())}>
                  {column.name}
                  <Show when={sorting().by === by()}>{sorting().descending ? ' ▾' : ' ▴'}</Show>
                </button>
              )}
            </Show>
          </span>
        )}
      </For>
    </div>
  );
}

type RowProps = {
  index: number;
  top: number;
  row: RequestRow | undefined;
  active: boolean;
  picked: boolean;
  longest: number;
  sloUs: number;
  onOpen: () => void;
};

function Row(props: RowProps): JSX.Element {
  const value = (): number | null => {
    const row = props.row;
    return row ? { ttft: row.ttft_us, itl: row.tpot_us, e2e: row.e2e_us }[measure()] : null;
  };
  const cells = (): readonly (readonly [string, JSX.Element])[] => {
    const row = props.row;
    return row ? COLUMNS.map((column) => [column.class, column.cell(row)]) : [['', '…']];
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: as the grid around it
    // biome-ignore lint/a11y/useFocusableInteractive: the focus is on the grid
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the grid's
    <div
      role="row"
      id={`request-row-${props.index}`}
      class="rows-row"
      classList={{ active: props.active, pick: props.picked }}
      aria-rowindex={props.index + 2}
      aria-selected={props.picked}
      ref={(el) => createEffect(() => (el.style.transform = `translateY(${props.top}px)`))}
      onClick={() => props.onOpen()}
    >
      <For each={cells()}>
        {([name, content]) => (
          // biome-ignore lint/a11y/useSemanticElements: as the grid around it
          // biome-ignore lint/a11y/useFocusableInteractive: the focus is on the grid
          <span role="gridcell" class={name}>
            {content}
          </span>
        )}
      </For>
      <Show when={props.row}>
        {(row) => (
          // biome-ignore lint/a11y/useSemanticElements: as the grid around it
          // biome-ignore lint/a11y/useFocusableInteractive: the focus is on the grid
          <span role="gridcell" class="last">
            <Show when={measure() === 'ttft'} fallback={<i />}>
              <Bar
                queueUs={row().queue_us}
                prefillUs={row().prefill_us}
                longestUs={props.longest}
                sloUs={props.sloUs}
              />
            </Show>
            <span classList={{ missed: measure() === 'ttft' && row().ttft_missed === true }}>
              {value() === null ? DASH : text(durationUs(value() ?? 0))}
            </span>
          </span>
        )}
      </Show>
    </div>
  );
}

function State(props: { row: RequestRow }): JSX.Element {
  const preempted = (): boolean => props.row.state === 'queued' && props.row.preemptions > 0;
  return (
    <>
      <i class={`state-mark ${preempted() ? 'preempted' : props.row.state}`} aria-hidden="true" />
      {preempted() ? 'preempted' : STATES[props.row.state]}
    </>
  );
}

/** TTFT so far: hollow while it waited, solid from its first step on, and a tick at the objective. */
export function Bar(props: { queueUs: number; prefillUs: number; longestUs: number; sloUs: number }): JSX.Element {
  const W = 48;
  const at = (us: number): number => (W * Math.min(us, props.longestUs)) / Math.max(1, props.longestUs);
  return (
    <svg class="ttft-bar" width={W} height="12" viewBox={`0 0 ${W} 12`} aria-hidden="true">
      <rect class="queue" x="0.5" y="2.5" width={Math.max(0, at(props.queueUs) - 1)} height="7" rx="1" />
      <rect class="prefill" x={at(props.queueUs)} y="2" width={at(props.prefillUs)} height="8" rx="1" />
      <Show when={props.sloUs > 0 && props.sloUs < props.longestUs}>
        <path class="slo" d={`M${at(props.sloUs)} 0v12`} />
      </Show>
    </svg>
  );
}
