// Sessions over time: turns, what each found of what was known, and what is kept in pauses. Loaded when it is opened.
import { createMemo, For, type JSX, onCleanup, Show } from 'solid-js';
import { writeDocument } from '../../base/text.ts';
import { count, DASH, durationUs, percent, short, text } from '../../base/units.ts';
import type { SessionRow, SessionRows, SessionTurn } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import type { App } from '../../state/app.ts';
import { createKvRegret } from '../../state/studies/kvRegret.ts';
import { timeWindow } from '../../state/view/closeup.ts';
import { createAnswer, createWidth } from '../parts/following.ts';
import { KEPT, KeptPattern, KeyMark } from '../parts/KeptPattern.tsx';
import { ToolRow } from '../parts/ToolRow.tsx';
import { wholeTicks } from '../parts/ticks.ts';
import { createPolicies, PolicyChoice } from './PolicyChoice.tsx';
import { Regret } from './Regret.tsx';
import { type Block, planSessions, type RowMark, type TurnMark, timeScale } from './sessionLayout.ts';
import './sessions.css';

/** An answer at most this often, in milliseconds. */
const EVERY_MS = 500;

export default function Sessions(props: { app: App }): JSX.Element {
  const app = props.app;
  const { width, ref } = createWidth();
  const answer = createAnswer(
    app,
    EVERY_MS,
    () => {
      const shown = timeWindow();
      const [from, to] = shown ? [shown.fromS, shown.toS] : [0, 0];
      return app.selection.closeUp('sessions', { from_us: Math.round(from * 1e6), to_us: Math.round(to * 1e6) });
    },
    timeWindow,
  );
  const thread = new Asking('compare');
  onCleanup(() => thread.end());
  const policies = createPolicies(app, thread);
  const regret = createKvRegret(thread);
  const scenario = createMemo(() => writeDocument(app.document.current()));
  const isKept = (): boolean => (answer()?.rows.length ?? 0) > 0;
  const select = (request: number): void => app.selection.select({ request, replica: undefined });
  return (
    <section class="closeup" aria-label="Sessions">
      <ToolRow>
        <KeyMark look="turn">turn</KeyMark>
        <KeyMark look="kept">kept on the GPU</KeyMark>
        <KeyMark look="below">kept below it</KeyMark>
        <KeyMark look="evicted">evicted</KeyMark>
        <KeyMark look="computed">computed</KeyMark>
        <span class="grow" />
      </ToolRow>
      <div class="sessions" classList={{ plain: !isKept() }}>
        <Show when={isKept()}>
          <PolicyChoice app={app} policies={policies()} />
        </Show>
        <Show when={answer()} fallback={<p class="empty">The sessions are on their way…</p>}>
          {(rows) => (
            <Show when={rows().rows.length > 0}>
              <Sums of={rows()} />
            </Show>
          )}
        </Show>
        <section class="sessions-host" aria-label="Rows of sessions" tabindex={0} ref={ref}>
          <Show when={answer() && width() > 0 && answer()}>
            {(rows) => (
              <Show
                when={rows().rows.length > 0}
                fallback={
                  <p class="empty">
                    No request of this run belongs to a session. Clients with <code>conversation</code> or{' '}
                    <code>agent</code>, and traces that name sessions, have them.
                  </p>
                }
              >
                <Picture of={rows()} width={width()} chosen={app.selection.selected().request} onSelect={select} />
              </Show>
            )}
          </Show>
        </section>
        <Chosen rows={answer()} request={app.selection.selected().request} />
        <Show when={isKept()}>
          <Regret
            of={regret}
            scenario={scenario()}
            now={policies().find((choice) => Object.keys(choice.set).length === 0)?.name}
          />
        </Show>
      </div>
    </section>
  );
}

/** The sums of all sessions. */
function Sums(props: { of: SessionRows }): JSX.Element {
  const share = (): string => {
    const { known_tokens: known, again_tokens: again } = props.of;
    return known > 0 ? text(percent((known - again) / known, 1)) : DASH;
  };
  return (
    <p class="session-sums">
      <b>{short(props.of.again_tokens)}</b> tokens computed again, <b>{share()}</b> of {short(props.of.known_tokens)}{' '}
      known tokens found, <b>{count(props.of.returns)}</b> returns of {count(props.of.sessions)} sessions
      <Show when={props.of.more > 0}>; {count(props.of.more)} of them are not drawn</Show>
    </p>
  );
}

function Picture(props: {
  of: SessionRows;
  width: number;
  chosen: number | undefined;
  onSelect: (request: number) => void;
}): JSX.Element {
  const plan = createMemo(() => planSessions(props.of, props.width));
  const x = createMemo(() => timeScale(props.of, plan().left, plan().right));
  const ticks = createMemo(() => {
    const { from_us: from, to_us: to } = props.of;
    const most = Math.max(2, Math.floor(props.width / 120));
    return wholeTicks(to / 1e6, Math.ceil((most * to) / Math.max(1, to - from))).filter((s) => s * 1e6 >= from);
  });
  return (
    <svg
      class="session-rows"
      classList={{ low: plan().isLow }}
      width={props.width}
      height={plan().height}
      viewBox={`0 0 ${props.width} ${plan().height}`}
      role="img"
      aria-label={`${count(props.of.rows.length)} sessions; ${count(props.of.again_tokens)} tokens computed again`}
    >
      <KeptPattern />
      <Show when={!plan().isLow}>
        <text x="4" y="12">
          session
        </text>
        <text x={props.width - 4} y="12" text-anchor="end">
          computed again
        </text>
      </Show>
      <For each={plan().rows}>
        {(row) => <Row row={row} plan={plan()} chosen={props.chosen} onSelect={props.onSelect} />}
      </For>
      <For each={ticks()}>
        {(s) => (
          <text x={x()(s * 1e6)} y={plan().height - 6} text-anchor={x()(s * 1e6) > props.width - 20 ? 'end' : 'middle'}>
            {s} s
          </text>
        )}
      </For>
    </svg>
  );
}

const Rect = (props: { of: Block; class?: string; fill?: string }): JSX.Element => (
  <rect class={props.class} fill={props.fill} x={props.of.x} y={props.of.y} width={props.of.w} height={props.of.h} />
);

function Row(props: {
  row: RowMark;
  plan: ReturnType<typeof planSessions>;
  chosen: number | undefined;
  onSelect: (request: number) => void;
}): JSX.Element {
  const row = () => props.row;
  return (
    <g>
      <path class="ground" d={`M${props.plan.left} ${row().base + 0.5}H${props.plan.right}`} />
      <Show when={!props.plan.isLow}>
        <text class="name" x="4" y={row().base - 6}>
          {row().row.number}
        </text>
        <text x={props.plan.right + 8} y={row().base - 6}>
          {short(row().row.again_tokens)}
        </text>
      </Show>
      <For each={row().pauses}>
        {(pause) => (
          <>
            <Rect of={pause.context} class="context" />
            <Show when={pause.kept}>
              {(kept) => (
                <>
                  <path class="below" d={kept().all} />
                  <path d={kept().gpu} fill={KEPT} />
                  <path class="falls" d={kept().falls} />
                </>
              )}
            </Show>
          </>
        )}
      </For>
      <For each={row().turns}>
        {(mark) => <Turn mark={mark} chosen={props.chosen === mark.turn.request} onSelect={props.onSelect} />}
      </For>
    </g>
  );
}

function Turn(props: { mark: TurnMark; chosen: boolean; onSelect: (request: number) => void }): JSX.Element {
  const mark = () => props.mark;
  const whole = (): Block => {
    const { body, again, waits } = mark();
    const all = [body, again, waits].filter((block) => block !== undefined);
    const left = Math.min(...all.map((block) => block.x));
    const top = Math.min(...all.map((block) => block.y));
    const right = Math.max(...all.map((block) => block.x + block.w));
    return { x: left - 3, y: top - 3, w: right - left + 6, h: body.y + body.h - top + 6 };
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: J and K go from request to request
    <g class="session-turn" onClick={() => props.onSelect(mark().turn.request)}>
      <Show when={mark().waits}>{(waits) => <Rect of={waits()} class="waits" />}</Show>
      <Show when={mark().found}>{(found) => <Rect of={found()} fill={KEPT} />}</Show>
      <Show when={mark().again}>{(again) => <Rect of={again()} class="again" />}</Show>
      <Rect of={mark().body} class="turn" />
      <Show when={props.chosen}>
        <Rect of={whole()} class="chosen" />
      </Show>
    </g>
  );
}

/** What the selected turn found. */
function Chosen(props: { rows: SessionRows | undefined; request: number | undefined }): JSX.Element {
  const found = createMemo(() => {
    for (const row of props.rows?.rows ?? []) {
      const at = row.turns.findIndex((turn) => turn.request === props.request);
      if (at >= 0) return { row, turn: row.turns[at], before: row.turns[at - 1] };
    }
    return undefined;
  });
  return (
    <p class="session-chosen" aria-live="polite">
      <Show when={found()} fallback={<span class="m">Select a turn to see what it found.</span>}>
        {(of) => <Show when={of().turn}>{(turn) => words(of().row, turn(), of().before)}</Show>}
      </Show>
    </p>
  );
}

function words(row: SessionRow, turn: SessionTurn, before: SessionTurn | undefined): string {
  const name = `${row.client}, session ${row.number}, #${turn.request}`;
  const end = before?.end_us ?? undefined;
  const paused =
    end !== undefined && turn.from_us > end ? ` after a pause of ${text(durationUs(turn.from_us - end))}` : '';
  if (turn.found_tokens === null) return `${name}${paused}: it has not joined a batch yet.`;
  const all = `of ${count(turn.prompt_tokens)} prompt tokens ${count(turn.found_tokens)} were found`;
  if (turn.known_tokens === 0) return `${name}${paused}: ${all}. Nothing of it was known before.`;
  return `${name}${paused}: ${all}; of ${count(turn.known_tokens)} known tokens ${count(turn.again_tokens ?? 0)} were computed again.`;
}
