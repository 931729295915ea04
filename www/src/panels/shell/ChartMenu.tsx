// The tools of the charts, at the title of one of them: its table, a law and a span over all, the window of time, which charts there
// are, and files of them. Loaded when it is opened.
import { createSignal, type JSX, lazy, Match, onCleanup, onMount, Show, Suspense, Switch } from 'solid-js';
import { type ChartedRun, chartedRun } from '../../base/chartList.ts';
import { zoomed } from '../../charts/zoom.ts';
import type { App } from '../../state/app.ts';
import { isScaled } from '../../state/edits/scaledPools.ts';
import type { ChartMenuAsked } from '../../state/view/chartMenu.ts';
import { setTimeWindow, timeWindow } from '../../state/view/closeup.ts';
import { setSpanShown, spanShown } from '../../state/view/spanShown.ts';
import { setTheoryLaw, theoryLaw } from '../../state/view/theoryLaw.ts';
import './chartTools.css';

const SaveCharts = lazy(() => import('./SaveCharts.tsx'));
const ChartChooser = lazy(() => import('./ChartChooser.tsx'));

/** Distance from the button and from the edges of the window. */
const GAP = 4;
/** What one press zooms by. */
const STEP = 2;

const LABELS = { tools: 'Tools of the charts', choose: 'Charts to show', save: 'Save charts' } as const;

type Props = {
  app: Pick<App, 'transport' | 'document'>;
  asked: ChartMenuAsked;
  /** Whether all tools are offered; a run within another page has no account of slow requests, and its charts are given. */
  whole: boolean;
  onClose: () => void;
};

export default function ChartMenu(props: Props): JSX.Element {
  let box: HTMLDivElement | undefined;
  const [part, setPart] = createSignal(props.asked.part);
  const run = (): ChartedRun =>
    chartedRun(props.app.transport.throttledFrame(), isScaled(props.app.document.current()));
  const show = (next: 'choose' | 'save'): void => {
    setPart(next);
    box?.focus();
  };
  onMount(() => box && standBeside(box, props));
  return (
    <div class="flyout chart-menu" role="dialog" aria-label={LABELS[part()]} tabindex="-1" popover="manual" ref={box}>
      <Suspense>
        <Switch>
          <Match when={part() === 'tools'}>
            <Tools {...props} onPart={show} />
          </Match>
          <Match when={part() === 'choose'}>
            <ChartChooser run={run()} />
          </Match>
          <Match when={part() === 'save'}>
            <SaveCharts app={props.app} />
          </Match>
        </Switch>
      </Suspense>
    </div>
  );
}

/** Places the box at its button while it is open, and closes it at Escape and at a press or focus elsewhere. */
function standBeside(box: HTMLElement, { asked, onClose }: Props): void {
  const before = document.activeElement;
  const place = (): void => {
    if (!box.isConnected) return;
    const at = (asked.button?.isConnected ? asked.button : box.parentElement)?.getBoundingClientRect();
    const [wide, high] = [box.offsetWidth, box.offsetHeight];
    // Below the button, or else as low as it fits.
    const top = Math.min((at?.top ?? 0) + (asked.button ? (at?.height ?? 0) + GAP : 0), innerHeight - high - GAP);
    box.style.top = `${Math.max(GAP, top)}px`;
    box.style.left = `${Math.max(GAP, Math.min(at?.left ?? 0, innerWidth - wide - GAP))}px`;
    box.style.maxHeight = `${innerHeight - 2 * GAP}px`;
    requestAnimationFrame(place);
  };
  const leaves = (to: EventTarget | null): void => {
    if (to instanceof Node && !box.contains(to) && !asked.button?.contains(to)) onClose();
  };
  const away = (event: PointerEvent): void => leaves(event.target);
  const key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  box.showPopover();
  place();
  (box.querySelector<HTMLElement>('button, input') ?? box).focus();
  asked.button?.setAttribute('aria-expanded', 'true');
  addEventListener('pointerdown', away);
  box.addEventListener('focusout', (event) => leaves(event.relatedTarget));
  addEventListener('keydown', key, true);
  onCleanup(() => {
    removeEventListener('pointerdown', away);
    removeEventListener('keydown', key, true);
    asked.button?.removeAttribute('aria-expanded');
    // The focus goes back, unless something else has taken it.
    const back = asked.button ?? before;
    if (box.contains(document.activeElement) && back instanceof HTMLElement) back.focus({ preventScroll: true });
  });
}

/** The list of tools. */
function Tools(props: Props & { onPart: (part: 'choose' | 'save') => void }): JSX.Element {
  const then = (act: () => void) => (): void => {
    props.onClose();
    act();
  };
  const walk = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('button:enabled')];
    all.at((all.findIndex((one) => one === document.activeElement) + by) % all.length)?.focus();
  };
  const frame = () => props.app.transport.frame();
  const by = (factor: number): void => {
    const endS = (frame()?.axis_end_us ?? 0) / 1e6;
    const now = timeWindow() ?? { fromS: 0, toS: endS };
    const nowS = (frame()?.now_us ?? 0) / 1e6;
    const around = nowS >= now.fromS && nowS <= now.toS ? nowS : (now.fromS + now.toS) / 2;
    setTimeWindow(zoomed(now, endS, around, factor));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the buttons in it
    <div class="chart-list" onKeyDown={walk}>
      <Show when={props.asked.onTable}>
        {(open) => (
          <button type="button" class="btn" aria-label={`${props.asked.title} as a table`} onClick={then(open())}>
            As a table
          </button>
        )}
      </Show>
      <button
        type="button"
        class="btn"
        aria-pressed={theoryLaw() !== undefined}
        title="A law of queueing theory beside the run"
        onClick={then(() => setTheoryLaw(theoryLaw() === undefined ? '' : undefined))}
      >
        Theory
      </button>
      <Show when={props.whole}>
        <button
          type="button"
          class="btn"
          aria-pressed={spanShown()}
          title="Select a span of time: drag over a chart"
          onClick={then(() => setSpanShown(!spanShown()))}
        >
          Span
        </button>
      </Show>
      <hr />
      <button type="button" class="btn" title="Ctrl and the wheel over a chart do too" onClick={() => by(STEP)}>
        Zoom in <kbd>+</kbd>
      </button>
      <button type="button" class="btn" disabled={!timeWindow()} onClick={() => by(1 / STEP)}>
        Zoom out <kbd>−</kbd>
      </button>
      <Show when={props.whole}>
        <hr />
        <button
          type="button"
          class="btn"
          title="Which charts are shown, and their order"
          onClick={() => props.onPart('choose')}
        >
          Choose charts
        </button>
        <button
          type="button"
          class="btn"
          title="The charts on screen as PNG, SVG or CSV"
          onClick={() => props.onPart('save')}
        >
          Save charts
        </button>
      </Show>
    </div>
  );
}
