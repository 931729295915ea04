// The latest events, optionally of one kind or request. Only the visible rows are in the document.
import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from 'solid-js';
import { sentence } from '../../base/keyWords.ts';
import { isPhone } from '../../base/media.ts';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { clock, count } from '../../base/units.ts';
import {
  EVENT_KINDS,
  type EventKind,
  type EventRow,
  type EventRows,
  type EventsQuery,
} from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import './log.css';

/** A line has room for two rows of text, and on a phone for a finger. */
const ROW = isPhone() ? 40 : 36;
const LIMIT = 2000;

/** A kind in a word that fits its column. */
const kindName = (kind: EventKind): string => (kind === 'gateway-queue' ? 'gateway' : kind.replaceAll('-', ' '));

export default function EventLog(props: { app: Pick<App, 'transport' | 'selection'> }): JSX.Element {
  const app = props.app;
  const [kind, setKind] = createSignal<EventKind>();
  const [request, setRequest] = createSignal('');
  const [answer, setAnswer] = createSignal<EventRows>({ rows: [], total: 0, lost: 0 });
  const [top, setTop] = createSignal(0);
  const [height, setHeight] = createSignal(400);
  const [follows, setFollows] = createSignal(true);
  /** The line shown in full below the list. */
  const [read, setRead] = createSignal<EventRow>();
  let box: HTMLElement | undefined;

  const ask = oneAtATime(async () => {
    const wanted = Number(request());
    const query: EventsQuery = {
      kinds: EVENT_KINDS.filter((k) => k === kind()),
      limit: LIMIT,
      ...(request() !== '' && Number.isInteger(wanted) ? { request: wanted } : {}),
    };
    const found = await app.selection.events(query);
    setAnswer(found);
    if (follows() && box) box.scrollTop = found.rows.length * ROW;
  });
  createEffect(on([app.transport.refreshTick, kind, request], ask));

  const rows = (): readonly EventRow[] => answer().rows;
  /** How many lines match, and of how many. */
  const matches = (): string => {
    const { rows: found, total } = answer();
    if (kind() === undefined && request() === '') return `${count(total)} lines`;
    return found.length === LIMIT ? `the latest ${count(LIMIT)}` : `${count(found.length)} of ${count(total)} lines`;
  };
  const first = createMemo(() => Math.max(0, Math.floor(top() / ROW) - 4));
  const inSight = createMemo(() => rows().slice(first(), first() + Math.ceil(height() / ROW) + 8));
  const scrolled = (): void => {
    if (!box) return;
    setTop(box.scrollTop);
    setHeight(box.clientHeight);
    setFollows(box.scrollTop + box.clientHeight >= rows().length * ROW - ROW);
  };
  const open = (row: EventRow): void => {
    if (row.request === undefined && row.replica === undefined) return;
    app.selection.select({ request: row.request, replica: row.request === undefined ? row.replica : undefined });
  };
  return (
    <div class="log">
      <div class="log-bar">
        <label>
          <span class="visually-hidden">Kind of event</span>
          <select
            class="in"
            value={kind() ?? ''}
            onChange={(event) => setKind(EVENT_KINDS.find((k) => k === event.currentTarget.value))}
          >
            <option value="">All kinds</option>
            <For each={EVENT_KINDS}>{(k) => <option value={k}>{sentence(kindName(k))}</option>}</For>
          </select>
        </label>
        <label class="in">
          <i>#</i>
          <span class="visually-hidden">Request number</span>
          <input
            inputmode="numeric"
            size="6"
            placeholder="request"
            value={request()}
            onInput={(event) => setRequest(event.currentTarget.value.replace(/\D/g, ''))}
          />
        </label>
        <span class="grow" />
        <span class="m" role="status">
          {matches()}
        </span>
      </div>
      <Show
        when={rows().length > 0}
        fallback={
          <p class="say pad">
            {app.transport.frame()?.events ? 'No event matches.' : 'Press Play: every event is listed here.'}
          </p>
        }
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard */}
        <section class="log-box" ref={box} onScroll={scrolled} tabIndex={0} aria-label="Events, oldest first">
          <ul class="log-list" style={{ height: `${rows().length * ROW}px` }}>
            <For each={inSight()}>
              {(row, i) => (
                <li style={{ top: `${(first() + i()) * ROW}px` }}>
                  <button
                    type="button"
                    class="log-at link"
                    aria-label={`Go to ${clock(row.at_us)} s`}
                    title={`Go to ${clock(row.at_us)} s`}
                    onClick={() => void app.transport.seek(row.at_us / 1e6)}
                  >
                    {clock(row.at_us)}
                  </button>
                  <button
                    type="button"
                    class="log-row"
                    classList={{ pick: row.request !== undefined && row.request === app.selection.selected().request }}
                    onPointerEnter={() => setRead(row)}
                    onFocus={() => setRead(row)}
                    onClick={(event) => {
                      setRead(row);
                      // Touch has no hover: a tap selects the line, the button below opens it.
                      if (!(event instanceof PointerEvent) || event.pointerType !== 'touch') open(row);
                    }}
                  >
                    <span class={`kind ${row.kind}`}>{kindName(row.kind)}</span>
                    <span class="txt">
                      <Named row={row} /> {row.text}
                    </span>
                  </button>
                </li>
              )}
            </For>
          </ul>
        </section>
      </Show>
      <div class="log-read">
        <Show
          when={read()}
          fallback={<p class="m">Point at a line, or move to it with Tab, to read it in full here.</p>}
        >
          {(row) => (
            <>
              <p>
                <span class="m">{clock(row().at_us)} s</span> {kindName(row().kind)} <Named row={row()} /> {row().text}
              </p>
              <span class="log-ways">
                <Show when={row().request !== undefined || row().replica !== undefined}>
                  <button type="button" class="btn box" onClick={() => open(row())}>
                    Open {row().request === undefined ? `r${row().replica}` : `#${row().request}`}
                  </button>
                </Show>
                <button type="button" class="btn box" onClick={() => void app.transport.seek(row().at_us / 1e6)}>
                  Go to {clock(row().at_us)} s
                </button>
              </span>
            </>
          )}
        </Show>
      </div>
      <Show when={answer().lost > 0}>
        <p class="m log-foot">{count(answer().lost)} older events are no longer kept.</p>
      </Show>
    </div>
  );
}

/** Request and replica of a line. */
function Named(props: { row: EventRow }): JSX.Element {
  return (
    <>
      <Show when={props.row.request !== undefined}>
        <span class="rq-no">#{props.row.request}</span>{' '}
      </Show>
      {/* The text of a routed request already names its replica. */}
      <Show when={props.row.replica !== undefined && props.row.kind !== 'routed'}>
        <span class="rp-no">r{props.row.replica}</span>
      </Show>
    </>
  );
}
