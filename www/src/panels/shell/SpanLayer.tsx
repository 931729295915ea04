// A span of time selected on the charts: dragged with the pointer, moved with the arrow keys, shaded on every chart.
// Loaded when its button is pressed.
import { createEffect, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { plain } from '../../base/units.ts';
import type { AccountedTime } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { timeWindow } from '../../state/view/closeup.ts';
import { type SelectedSpan, setAccountDue, setAccountOpen, setSpan, span, spanBetween } from '../../state/view/span.ts';
import { setSpanShown, spanShown } from '../../state/view/spanShown.ts';
import './span.css';

/** A pointer that moves less than this counts as a click. */
const DRAGGED_FROM = 4;
/** Width in pixels that the bar of a span needs left of its end; with less, the bar goes right of the playhead. */
const BAR_ROOM = 160;
/** The span selected first: this part of the axis (one in ten) before now. */
const FIRST_SHARE = 10;

type Limit = 'fromS' | 'toS';

/** Drags a span with the pointer: a new one from the press on a chart, or an edge of the selected one. */
function createDrag(
  /** The instant below a pointer. */
  at: (event: PointerEvent) => number,
  select: (a: number, b: number, of: AccountedTime) => void,
) {
  /** What the pointer drags: the fixed end of the span, and where the drag began. */
  let held:
    | { readonly anchorS: number; readonly fromX: number; readonly of: AccountedTime; moved: boolean }
    | undefined;
  const take = (event: PointerEvent): void => {
    const [target, now] = [event.target, span()];
    if (!(target instanceof Element) || event.button !== 0 || !event.isPrimary) return;
    const edge = target.closest('.span-edge');
    const plot = target.closest('.plot');
    if (edge && now) {
      const anchorS = edge.matches('.to') ? now.fromS : now.toS;
      held = { anchorS, fromX: event.clientX, of: now.of, moved: true };
    } else if (plot) {
      const isTtft = plot.parentElement?.querySelector('b')?.textContent === 'TTFT';
      held = { anchorS: at(event), fromX: event.clientX, of: isTtft ? 'ttft' : 'e2e', moved: false };
    }
  };
  const drag = (event: PointerEvent & { currentTarget: EventTarget | null }): void => {
    if (!held || event.buttons === 0) return;
    if (!held.moved && Math.abs(event.clientX - held.fromX) < DRAGGED_FROM) return;
    if (event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId);
    held.moved = true;
    select(held.anchorS, at(event), held.of);
  };
  const release = (): void => {
    const moved = held?.moved;
    held = undefined;
    if (!moved) return;
    // Otherwise the click that ends a drag would seek.
    const swallow = (event: Event): void => event.stopPropagation();
    window.addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => window.removeEventListener('click', swallow, { capture: true }));
  };
  return { take, drag, release };
}

export default function SpanLayer(props: { app: Pick<App, 'transport' | 'selection' | 'dialogs'> }): JSX.Element {
  const app = props.app;
  const close = (): void => void setSpanShown(false);
  let layer: HTMLDivElement | undefined;
  const endS = (): number => Math.max(1e-6, (app.transport.frame()?.axis_end_us ?? 0) / 1e6);
  const nowS = (): number => (app.transport.frame()?.now_us ?? 0) / 1e6;
  const select = (a: number, b: number, of: AccountedTime): void => {
    setSpan(spanBetween(a, b, nowS(), endS(), of));
  };
  const shown = (): { readonly fromS: number; readonly toS: number } => timeWindow() ?? { fromS: 0, toS: endS() };
  const share = (s: number): number => {
    const { fromS, toS } = shown();
    return (100 * (Math.min(toS, Math.max(fromS, s)) - fromS)) / (toS - fromS);
  };
  const says = (s: SelectedSpan): string => `${plain(s.fromS)} to ${plain(s.toS)} s`;
  /** The instant below a pointer. */
  const at = (event: PointerEvent): number => {
    const box = layer?.getBoundingClientRect();
    const { fromS, toS } = shown();
    return box ? fromS + ((event.clientX - box.left) / Math.max(1, box.width)) * (toS - fromS) : 0;
  };

  const { take, drag, release } = createDrag(at, select);
  const leave = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented || app.dialogs.covered() || app.dialogs.notice()) return;
    if (event.target instanceof Element && event.target.closest('input, select, textarea, [popover]')) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  onMount(() => {
    const times = layer?.parentElement;
    if (!times) return;
    const heard = [
      ['pointerdown', take],
      ['pointermove', drag],
      ['pointerup', release],
      ['pointercancel', release],
    ] as const;
    for (const [name, does] of heard) times.addEventListener(name, does);
    window.addEventListener('keydown', leave, true);
    onCleanup(() => {
      for (const [name, does] of heard) times.removeEventListener(name, does);
      window.removeEventListener('keydown', leave, true);
    });
    if (nowS() > 0 && !span()) select(nowS() - endS() / FIRST_SHARE, nowS(), 'e2e');
  });
  // It stays while another view is shown in the place of the charts.
  onCleanup(() => {
    if (!spanShown()) setSpan(undefined);
  });

  const move = (limit: Limit) => (event: KeyboardEvent) => {
    const now = span();
    const step = endS() / (event.shiftKey ? 20 : 200);
    const by = { ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step }[event.key];
    const to = { Home: 0, End: nowS() }[event.key];
    if (!now || (by === undefined && to === undefined)) return;
    event.preventDefault();
    event.stopPropagation();
    // A limit cannot cross the other one.
    const next = to ?? now[limit] + (by ?? 0);
    if (limit === 'fromS') select(Math.min(next, now.toS), now.toS, now.of);
    else select(now.fromS, Math.max(next, now.fromS), now.of);
  };
  const explain = (): void => {
    app.transport.pause();
    setAccountOpen(true);
    setAccountDue(true);
    app.selection.setRightTab('run');
    app.selection.setDrawer(true);
    app.selection.setPhoneTab('inspector');
  };
  const Edge = (edge: { limit: Limit; name: string }): JSX.Element => (
    <div
      class={`span-edge ${edge.limit === 'toS' ? 'to' : 'from'}`}
      role="slider"
      tabIndex={0}
      aria-label={edge.name}
      aria-valuemin={0}
      aria-valuemax={nowS()}
      aria-valuenow={span()?.[edge.limit]}
      aria-valuetext={`${plain(span()?.[edge.limit] ?? 0)} s`}
      onKeyDown={move(edge.limit)}
    />
  );

  const placeBar = (el: HTMLElement): void => {
    const end = el.clientWidth * (share(span()?.toS ?? endS()) / 100);
    el.dataset.bar = end < BAR_ROOM ? 'after' : 'before';
    coverTicks(el);
  };
  /** Hides the times on the axis that the bar covers, even partly. */
  const coverTicks = (el: HTMLElement | undefined): void => {
    const bar = el?.querySelector('.span-bar')?.getBoundingClientRect();
    for (const tick of layer?.parentElement?.querySelectorAll<HTMLElement>(
      '.time-axis > span:not(.now-chip, .cursor-chip)',
    ) ?? []) {
      const box = tick.getBoundingClientRect();
      const covered = bar !== undefined && box.right > bar.left - 4 && box.left < bar.right + 4;
      tick.style.visibility = covered ? 'hidden' : '';
    }
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only keeps clicks on the span from the charts below it
    // biome-ignore lint/a11y/useKeyWithClickEvents: its edges and buttons have the keys
    <div
      class="span-layer"
      ref={(el) => {
        layer = el;
        createEffect(() => {
          el.style.setProperty('--from', `${share(span()?.fromS ?? 0)}%`);
          el.style.setProperty('--to', `${share(span()?.toS ?? endS())}%`);
          el.style.setProperty('--now', `${share(nowS())}%`);
          placeBar(el);
        });
        const sized = new ResizeObserver(() => placeBar(el));
        sized.observe(el);
        onCleanup(() => {
          sized.disconnect();
          coverTicks(undefined);
        });
      }}
      onClick={(event) => event.stopPropagation()}
    >
      <Show when={span()} fallback={<p class="span-bar">Run the simulation, then drag over a chart.</p>}>
        {(now) => (
          <>
            <div class="span-band">
              <Edge limit="fromS" name="Start of the selected span" />
              <Edge limit="toS" name="End of the selected span" />
            </div>
            <div class="span-bar">
              <span>{says(now())}</span>
              <button type="button" onClick={explain}>
                Explain
              </button>
              <button type="button" aria-label="Clear the selected span" onClick={close}>
                ×
              </button>
            </div>
          </>
        )}
      </Show>
    </div>
  );
}
