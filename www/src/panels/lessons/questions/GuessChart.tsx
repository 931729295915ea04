// The chart of a guess: the reader draws a curve, and the engine's appears over it once the guess is handed in. Before that,
// nothing of the engine's is in the page.
import { createEffect, createMemo, createSignal, For, type JSX, on, onCleanup, onMount, Show } from 'solid-js';
import { getAt } from '../../../base/json.ts';
import { placeText, unitText } from '../../../base/lessonUnits.ts';
import { TableButton } from '../../../charts/TableButton.tsx';
import type { DrawQuestion, StepVerdict } from '../../../generated/boundary.ts';
import type { App } from '../../../state/app.ts';
import { verdicts } from '../../../state/lessons/lesson.ts';
import {
  draftOf,
  guessAgain,
  handedIn,
  isOpen,
  isRevealed,
  keysAsked,
  ordinal,
} from '../../../state/lessons/lessonGuess.ts';
import { stepRuns } from '../../../state/lessons/lessonRuns.ts';
import { Axes, Invite } from './GuessAxes.tsx';
import { GuessLine, KeyPoint, Now, objectiveOf, shownLine } from './GuessLine.tsx';
import { GuessTable } from './GuessTable.tsx';
import { DimensionLine, Knee, TruthLine } from './GuessTruth.tsx';
import { createHand, handInCurve, isCovered } from './guessHand.ts';
import { labelsOf } from './guessLabels.ts';
import { apartOf, type Box, kneeOf, type Plot, plotOf, truthOf } from './guessScale.ts';
import { guessWords, inSentence } from './guessWords.ts';
import './questions.css';

const EDGE = { left: 44, right: 20, top: 12, bottom: 36 } as const;

export type GuessChartProps = {
  readonly app: Pick<App, 'document' | 'transport'>;
  readonly step: number;
  readonly ask: DrawQuestion;
};

export function GuessChart(props: GuessChartProps & { readonly onBuilt?: (el: HTMLElement) => void }): JSX.Element {
  const [table, setTable] = createSignal(false);
  const open = (): boolean => isOpen(props.step) && !isRevealed(props.step);
  const revealed = (): boolean => isRevealed(props.step);
  const verdict = (): StepVerdict | undefined => (revealed() ? verdicts()[props.step] : undefined);
  return (
    <section
      class="guess-chart"
      aria-label={`${props.ask.y.label}: your guess`}
      ref={(el) => onMount(() => props.onBuilt?.(el))}
    >
      <Head {...props} open={open()} verdict={verdict()} onTable={() => setTable(true)} />
      <Drawing {...props} open={open()} verdict={verdict()} />
      <Show when={table()}>
        <section
          class="chart-table"
          aria-label={`${props.ask.y.label} as a table`}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.stopPropagation();
            setTable(false);
          }}
        >
          <header>
            <b>{props.ask.y.label}</b>
            <button type="button" ref={(el) => onMount(() => el.focus())} onClick={() => setTable(false)}>
              Close table
            </button>
          </header>
          <GuessTable ask={props.ask} verdict={verdict()} draft={draftOf(props.step)} />
        </section>
      </Show>
    </section>
  );
}

type Shown = GuessChartProps & { readonly open: boolean; readonly verdict: StepVerdict | undefined };

/** The title, the knee and what can be done. */
function Head(props: Shown & { readonly onTable: () => void }): JSX.Element {
  const seeds = (): string => {
    const found = props.verdict;
    if (!found || found.seeds === 0) return '';
    const of = found.seeds < found.of ? `${found.seeds} of ${found.of}` : `${found.of}`;
    return ` · bars 95 % of ${of} seeds`;
  };
  const unit = (): string => (props.ask.y.unit === '' ? '' : `${props.ask.y.unit} `);
  const trouble = (): string => (props.open ? '' : (stepRuns()[props.step]?.trouble ?? ''));
  return (
    <header class="guess-head">
      <h2>{props.ask.y.label}</h2>
      <span class="guess-about">
        {unit()}against {inSentence(props.ask.x.label)}
        {seeds()}
      </span>
      <Show
        when={props.open}
        fallback={
          <button type="button" class="btn" onClick={() => guessAgain(props.step)}>
            Draw again
          </button>
        }
      >
        <button
          type="button"
          class="btn pri"
          disabled={!isCovered(draftOf(props.step), props.ask)}
          onClick={() => handInCurve(props.step, props.ask)}
        >
          That is my guess
        </button>
      </Show>
      <TableButton title={props.ask.y.label} onOpen={props.onTable} />
      <p class="guess-legend">
        <Show when={props.verdict && props.verdict.seeds > 0 && props.ask.knee > 0}>
          <svg width="11" height="11" viewBox="0 0 11 11" aria-hidden="true">
            <path class="guess-knee" d="M5.5 1l4.5 4.5-4.5 4.5L1 5.5z" />
          </svg>
          <Show when={props.verdict?.curve?.knee !== null} fallback="no knee on this chart">
            knee: from here +1{props.ask.x.unit === '' ? '' : ` ${props.ask.x.unit}`} costs over{' '}
            {placeText(props.ask.knee, props.ask.y.unit)}
          </Show>
        </Show>
        <Show when={!props.open && !props.verdict?.seeds}>
          <span role="status">{trouble() || 'The engine runs…'}</span>
        </Show>
        <Show when={props.open}>
          <span>Draw with the mouse or a finger; with keys: G, then ← → and ↑ ↓, Enter</span>
        </Show>
      </p>
    </header>
  );
}

/** The part of the curve that is shown: it grows from the left, at once with reduced motion. */
function createGrowth(shown: () => boolean, still: () => boolean): () => number {
  const [share, setShare] = createSignal(0);
  let asked = 0;
  createEffect(
    on(shown, (now) => {
      cancelAnimationFrame(asked);
      if (!now || still()) {
        setShare(now ? 1 : 0);
        return;
      }
      const began = performance.now();
      const grow = (): void => {
        const next = Math.min(1, (performance.now() - began) / 900);
        setShare(next);
        if (next < 1) asked = requestAnimationFrame(grow);
      };
      asked = requestAnimationFrame(grow);
    }),
  );
  onCleanup(() => cancelAnimationFrame(asked));
  return share;
}

function Drawing(props: Shown): JSX.Element {
  let host: HTMLDivElement | undefined;
  const [size, setSize] = createSignal({ width: 0, height: 0 });
  onMount(() => {
    if (!host) return;
    const watch = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {};
      if (width > 0) setSize({ width: Math.floor(width), height: Math.floor(height) });
    });
    watch.observe(host);
    onCleanup(() => watch.disconnect());
  });
  const box = createMemo(
    (): Box => ({
      left: EDGE.left,
      right: Math.max(EDGE.left + 40, size().width - EDGE.right),
      top: EDGE.top,
      bottom: Math.max(EDGE.top + 40, size().height - EDGE.bottom),
    }),
  );
  const plot = createMemo((): Plot => plotOf(props.ask, box()));
  const hand = createHand(
    () => props,
    plot,
    () => props.open,
  );
  createEffect(
    on(
      keysAsked,
      () => {
        if (!props.open || !host?.offsetParent) return;
        host.focus();
        hand.begin();
      },
      { defer: true },
    ),
  );
  const nowX = createMemo(() => {
    const value = getAt(props.app.document.inForce(), props.ask.path);
    const { from, to } = props.ask.x;
    return typeof value === 'number' && value >= from && value <= to ? value : undefined;
  });
  const grown = createGrowth(
    () => props.verdict?.curve !== undefined && props.verdict.curve !== null,
    props.app.transport.reducedMotion,
  );
  const line = createMemo(() => shownLine(props.step));
  const slo = createMemo(() =>
    objectiveOf(props.ask, plot(), props.app.transport.figuresFrame()?.key.slo_ttft_us ?? 0),
  );
  const partial = (): boolean => (props.verdict?.seeds ?? 0) < (props.verdict?.of ?? 0);
  const truth = createMemo(() => props.verdict?.curve && truthOf(props.verdict.curve.points, plot(), props.ask.y));
  const knee = createMemo(() => kneeOf(props.verdict?.curve ?? null, plot(), props.ask.y));
  const apart = createMemo(() => apartOf(props.verdict?.guess, plot(), props.ask.y));
  const name = (): string => {
    if (props.open) return '';
    return (handedIn()[props.step] ?? 1) > 1
      ? `your ${ordinal(props.step)} guess`
      : 'your guess, drawn before the answer';
  };
  const labels = createMemo(() => {
    const found = { truth: truth() ?? undefined, knee: knee(), apart: apart() };
    const { ask, verdict } = props;
    return labelsOf({ plot: plot(), ask, line: line(), guessName: name(), slo: slo(), now: nowX(), verdict, ...found });
  });
  const words = createMemo(() => guessWords(props.ask, draftOf(props.step), props.verdict));
  const pointText = (): string => {
    const x = props.ask.values[hand.at() ?? 0];
    const y = draftOf(props.step).find(([at]) => at === x)?.[1];
    return `${placeText(x, props.ask.x.unit)}: ${y === undefined ? 'no guess' : unitText(y, props.ask.y.unit)}`;
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: the values belong to the slider that it is while the guess is open */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it is a slider while the guess is open, and takes no event otherwise */}
      <div
        class="guess-plot"
        classList={{ open: props.open }}
        ref={host}
        role={props.open ? 'slider' : 'img'}
        tabIndex={props.open ? 0 : undefined}
        aria-label={props.open ? `Your guess of ${props.ask.y.label}` : words()}
        aria-valuemin={props.open ? props.ask.y.from : undefined}
        aria-valuemax={props.open ? props.ask.y.to : undefined}
        aria-valuenow={
          props.open
            ? (draftOf(props.step).find(([x]) => x === props.ask.values[hand.at() ?? 0])?.[1] ?? props.ask.y.from)
            : undefined
        }
        aria-valuetext={props.open ? pointText() : undefined}
        onKeyDown={hand.key}
        onPointerDown={hand.down}
        onPointerMove={hand.move}
        onPointerUp={hand.up}
        onPointerCancel={hand.up}
      >
        <Show when={size().width > 0}>
          <svg width={size().width} height={size().height} aria-hidden="true">
            <Axes plot={plot()} ask={props.ask} empty={props.open && draftOf(props.step).length === 0} />
            <Show when={slo()}>{(at) => <path class="guess-slo" d={`M${box().left} ${at().y}H${box().right}`} />}</Show>
            <Now plot={plot()} unit={props.ask.x.unit} value={nowX()} />
            <GuessLine plot={plot()} step={props.step} line={line()} />
            <Show when={props.open && draftOf(props.step).length === 0}>
              <Invite plot={plot()} />
            </Show>
            <Show when={props.open && hand.at() !== undefined}>
              <KeyPoint plot={plot()} step={props.step} x={props.ask.values[hand.at() ?? 0]} unit={props.ask.y.unit} />
            </Show>
            <Show when={truth()}>
              {(found) => <TruthLine plot={plot()} truth={found()} partial={partial()} grown={grown()} />}
            </Show>
            <Show when={grown() >= 1}>
              <Show when={knee()}>{(at) => <Knee px={at().px} py={at().py} />}</Show>
              <Show when={apart()}>{(found) => <DimensionLine apart={found()} />}</Show>
            </Show>
            <For each={labels().filter((label) => grown() >= 1 || label.class !== 'truth-name')}>
              {(label) => (
                <text class={label.class} x={label.x} y={label.y} text-anchor={label.anchor}>
                  {label.text}
                </text>
              )}
            </For>
          </svg>
        </Show>
      </div>
      <p class="guess-said" role="status">
        {hand.said()}
      </p>
    </>
  );
}
