// The cluster as it is now: a canvas for the eye and, behind it, a table that says and does the same.
import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show } from 'solid-js';
import { count } from '../base/units.ts';
import { holderOf, type StageProps } from '../base/view.ts';
import { attachSurface, type Pen, type Surface } from '../draw/canvas.ts';
import { createPalette } from '../draw/palette.ts';
import { createThrottled } from '../draw/throttled.ts';
import type { ReplicaFrame } from '../generated/boundary.ts';
import { Dots } from './dots.ts';
import { drawFleet, drawFleetHead } from './drawFleet.ts';
import { drawFlow, drawPhonePipeline } from './drawFlow.ts';
import { drawHead, drawRows } from './drawRows.ts';
import {
  contextScale,
  describeReplica,
  describeStage,
  drawOrder,
  followable,
  hasStopped,
  isStarting,
  present,
  REPLICA_COLUMNS,
  replicaCells,
} from './facts.ts';
import { Trends } from './history.ts';
import { hitTest, type StageLayout, stageLayout, stageNeeds } from './layout.ts';
import type { Scene } from './scene.ts';
import './stage.css';

/** Least time between two pictures of a stage without dots. */
const RIBBONS_MS = 25;

export function Stage(props: StageProps) {
  let host: HTMLDivElement | undefined;
  let canvas: HTMLCanvasElement | undefined;
  let surface: Surface | undefined;
  let layout: StageLayout | undefined;
  let scale = 512;
  let askedMs = 0;
  const palette = createPalette();
  const trends = new Trends();
  const dots = new Dots();
  const [table, setTable] = createSignal(false);
  const focus = createMemo(() => {
    if (props.selected.replica !== undefined) return props.selected.replica;
    const request = props.selected.request;
    return request !== undefined && props.frame ? holderOf(props.frame, request) : undefined;
  });

  const shown = (): readonly ReplicaFrame[] => present(props.frame?.replicas ?? []);
  /** Replicas that do not serve: those that start are on the stage, those that have stopped are not. */
  const away = createMemo(() => {
    const all = props.frame?.replicas ?? [];
    const said = [
      `${count(all.filter(isStarting).length)} starting`,
      `${count(all.filter(hasStopped).length)} stopped`,
    ];
    return said.filter((words) => !words.startsWith('0 ')).join(', ');
  });
  /** Height that the stage asks its panel for, where the page scrolls instead of the stage. */
  const [width, setWidth] = createSignal(0);
  const needs = createMemo(() => stageNeeds(width(), shown().length));
  const readFrame = createThrottled(() => props.frame, 250);
  const ribbons = (): boolean => props.reducedMotion || !props.frame || !followable(props.frame, props.speed);

  const draw = (pen: Pen, width: number, height: number, wallMs: number): void => {
    setWidth(width);
    const frame = props.frame;
    const p = palette();
    if (!frame) return;
    const replicas = present(frame.replicas);
    layout = stageLayout(width, height, replicas.length, frame.pools.length);
    // Bars shrink at once when a longer context comes, and grow again only when half their height is unused.
    const wanted = contextScale(frame.replicas);
    if (wanted > scale || wanted * 2 <= scale) scale = wanted;
    const scene: Scene = {
      pen,
      p,
      frame,
      replicas,
      layout,
      request: props.selected.request,
      focus: focus(),
      scale,
      trends,
      dots,
      wallMs,
      ribbons: ribbons(),
    };
    if (layout.narrow) drawPhonePipeline(scene);
    else drawFlow(scene);
    if (layout.detail === 'rows') {
      drawHead(scene);
      drawRows(scene);
    } else {
      drawFleetHead(scene);
      drawFleet(scene);
    }
    if (!scene.ribbons && dots.settle(wallMs)) surface?.request();
  };

  onMount(() => {
    if (!host || !canvas) return;
    surface = attachSurface(
      canvas,
      host,
      draw,
      (width, height) => stageLayout(width, height, shown().length, props.frame?.pools.length).height,
    );
    onCleanup(() => surface?.dispose());
  });
  createEffect(() => {
    const frame = props.frame;
    if (!frame) return;
    trends.arrivals.push(frame.now_us, frame.key.offered_per_s);
    if (frame.replicas.length <= 8) {
      for (const r of frame.replicas) if (r.ttft.count > 0) trends.replica(r.id).push(frame.now_us, r.ttft.p50_us);
    }
    if (ribbons()) dots.clear();
    else dots.take(frame.moves, frame.now_us, performance.now(), props.speed);
    // Without dots nothing moves continuously: every other display frame is enough.
    const now = performance.now();
    const apart = ribbons() && props.playing;
    if (apart && now - askedMs < RIBBONS_MS) return;
    askedMs = now;
    // In the display frame after the one that renews the numbers: both in one would take too long.
    if (apart) setTimeout(() => surface?.request());
    else surface?.request();
  });
  createEffect(() => {
    palette();
    focus();
    void props.selected.request;
    void props.reducedMotion;
    surface?.request();
  });

  const pick = (event: MouseEvent): void => {
    const frame = props.frame;
    if (!layout || !frame) return;
    const replicas = shown();
    const hit = hitTest(layout, event.offsetX, event.offsetY, (i) => replicas[i]?.batch.length ?? 0);
    const r = hit ? replicas[hit.replica] : undefined;
    if (!hit || !r) {
      props.onSelect({ request: undefined, replica: undefined });
      return;
    }
    const chip = r.queue[hit.chip];
    const bar = drawOrder(r.batch)[hit.bar];
    props.onSelect({ request: chip?.request ?? bar?.request, replica: r.id });
  };

  /** Arrow keys choose the replica before or after, Enter and Shift + Enter one of its requests; each choice is spoken. */
  const choose = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    const replicas = shown();
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const at = replicas.findIndex((r) => r.id === props.selected.replica);
    if (by !== undefined && replicas.length > 0) {
      const next = replicas[at < 0 ? 0 : Math.min(replicas.length - 1, Math.max(0, at + by))];
      if (!next) return;
      event.preventDefault();
      event.stopPropagation();
      props.onSelect({ request: undefined, replica: next.id });
      props.onSay?.(describeReplica(next));
    } else if (event.key === 'Enter') {
      const r = replicas[at];
      const all = r ? requestsOf(r) : [];
      const now = all.findIndex((entry) => entry.request === props.selected.request);
      const next = all[(now + (event.shiftKey ? all.length - 1 : 1)) % Math.max(1, all.length)];
      if (!r || !next) return;
      event.preventDefault();
      props.onSelect({ request: next.request, replica: r.id });
      props.onSay?.(`Request ${next.request}, ${next.where}`);
    }
  };

  return (
    <div class="stage-view" ref={(el) => createEffect(() => el.style.setProperty('--stage-needs', `${needs()}px`))}>
      <div class="stage-host" ref={host}>
        <div
          class="stage-sheet"
          role="application"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the stage takes arrow keys, as its name says
          tabIndex={0}
          aria-label="Stage: arrow keys choose a replica, Enter one of its requests"
          onKeyDown={choose}
        >
          {/* Every target of a click is also a control in the table. */}
          <canvas ref={canvas} role="img" aria-label={describeStage(readFrame())} onClick={pick} />
          <button type="button" class="stage-table-toggle" onClick={() => setTable(true)}>
            Show as table
          </button>
          <Show when={away()}>
            <span class="stage-stopped">{away()}</span>
          </Show>
        </div>
      </div>
      <Show when={table()}>
        <StageTable {...props} frame={readFrame()} onClose={() => setTable(false)} />
      </Show>
    </div>
  );
}

/** The replicas as a table; each row selects its replica and each queued or running request can be picked. */
function StageTable(props: StageProps & { readonly onClose: () => void }) {
  let close: HTMLButtonElement | undefined;
  onMount(() => close?.focus());
  return (
    <section
      class="stage-table"
      aria-label="Replicas"
      onKeyDown={(event) => {
        if (event.key === 'Escape') props.onClose();
      }}
    >
      <button type="button" class="stage-table-close" ref={close} onClick={() => props.onClose()}>
        Show as picture
      </button>
      <table>
        <caption>{describeStage(props.frame)}</caption>
        <thead>
          <tr>
            <th scope="col">Replica</th>
            <th scope="col">Requests</th>
            <For each={REPLICA_COLUMNS}>{(name) => <th scope="col">{name}</th>}</For>
          </tr>
        </thead>
        <tbody>
          <For each={props.frame?.replicas.map((r) => r.id) ?? []}>
            {(id, index) => {
              const replica = createMemo(() => props.frame?.replicas[index()]);
              return (
                <Show when={replica()}>
                  {(r) => (
                    <tr data-picked={props.selected.replica === id}>
                      <th scope="row">
                        <button
                          type="button"
                          aria-pressed={props.selected.replica === id}
                          aria-label={describeReplica(r())}
                          onClick={() => props.onSelect({ request: undefined, replica: id })}
                        >
                          r{id}
                        </button>
                      </th>
                      <td>
                        <RequestPicker {...props} replica={id} requests={requestsOf(r())} />
                      </td>
                      <For each={props.frame ? replicaCells(r(), props.frame.key) : []}>
                        {(cell) => <td>{cell}</td>}
                      </For>
                    </tr>
                  )}
                </Show>
              );
            }}
          </For>
        </tbody>
      </table>
    </section>
  );
}

type Entry = { readonly request: number; readonly where: string };

function requestsOf(r: NonNullable<StageProps['frame']>['replicas'][number]): Entry[] {
  return [
    ...r.batch.map((b) => ({ request: b.request, where: b.decoding ? 'decoding' : 'in prefill' })),
    ...r.queue.map((c) => ({ request: c.request, where: c.preempted ? 'waiting, preempted' : 'waiting' })),
  ];
}

/** A list to pick one of a replica's requests from: light even with hundreds of them. */
function RequestPicker(props: StageProps & { readonly replica: number; readonly requests: readonly Entry[] }) {
  return (
    <select
      aria-label={`Pick a request of r${props.replica}`}
      onChange={(event) => {
        const request = Number(event.currentTarget.value);
        if (event.currentTarget.value !== '') props.onSelect({ request, replica: props.replica });
      }}
    >
      <option value="">pick…</option>
      <For each={props.requests}>
        {(e) => (
          <option value={e.request} selected={e.request === props.selected.request}>
            #{e.request} {e.where}
          </option>
        )}
      </For>
    </select>
  );
}
