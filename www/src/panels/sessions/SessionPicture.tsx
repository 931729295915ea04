// Rows of sessions: turns, what is kept in pauses, what directives want and what is fetched back.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { count, short } from '../../base/units.ts';
import type { SessionRows } from '../../generated/boundary.ts';
import { KEPT, KeptPattern } from '../parts/KeptPattern.tsx';
import { wholeTicks } from '../parts/ticks.ts';
import { type Block, planSessions, type RowMark, type TurnMark, timeScale, type Wedge } from './sessionLayout.ts';

export function SessionPicture(props: {
  of: SessionRows;
  width: number;
  chosen: number | undefined;
  onSelect: (request: number) => void;
}): JSX.Element {
  const plan = createMemo(() => planSessions(props.of, props.width));
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
      <TimeTicks of={props.of} width={props.width} left={plan().left} right={plan().right} y={plan().height - 6} />
    </svg>
  );
}

/** Instants below a picture. */
export function TimeTicks(props: {
  of: { from_us: number; to_us: number };
  width: number;
  left: number;
  right: number;
  y: number;
}): JSX.Element {
  const x = createMemo(() => timeScale(props.of, props.left, props.right));
  const ticks = createMemo(() => {
    const { from_us: from, to_us: to } = props.of;
    const most = Math.max(2, Math.floor(props.width / 120));
    return wholeTicks(to / 1e6, Math.ceil((most * to) / Math.max(1, to - from))).filter((s) => s * 1e6 >= from);
  });
  return (
    <For each={ticks()}>
      {(s) => (
        <text x={x()(s * 1e6)} y={props.y} text-anchor={x()(s * 1e6) > props.width - 20 ? 'end' : 'middle'}>
          {s} s
        </text>
      )}
    </For>
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
  // Above turns, so that what came just before one is seen.
  const wedges = (): readonly Wedge[] => [
    ...row().pauses.flatMap((pause) => pause.fetched),
    ...row().turns.flatMap((mark) => mark.loaded ?? []),
  ];
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
            <Show when={pause.wanted}>
              <path class="wanted" d={pause.wanted} />
            </Show>
          </>
        )}
      </For>
      <For each={row().turns}>
        {(mark) => <Turn mark={mark} chosen={props.chosen === mark.turn.request} onSelect={props.onSelect} />}
      </For>
      <For each={wedges()}>
        {(wedge) => (
          <path class="fetched" d={wedge.d}>
            <title>{wedge.words}</title>
          </path>
        )}
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
