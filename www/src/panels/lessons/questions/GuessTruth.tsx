// The engine's curve over the guess: its points with their intervals, the knee, where it leaves the chart, and how far it is from
// the guess where both differ most.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { axisText, placeText, unitText } from '../../../base/lessonUnits.ts';
import { sig3 } from '../../../base/units.ts';
import type { DrawQuestion, StepVerdict } from '../../../generated/boundary.ts';
import { farthest, type Plot, truthOf } from './guessScale.ts';

type TruthProps = {
  readonly plot: Plot;
  readonly ask: DrawQuestion;
  readonly verdict: StepVerdict;
  /** How much of it has grown, 0 to 1. */
  readonly grown: number;
  /** The present value of the field that varies. */
  readonly now: number | undefined;
};

export function Truth(props: TruthProps): JSX.Element {
  const truth = createMemo(() => truthOf(props.verdict.curve?.points ?? [], props.plot, props.ask.y));
  const box = () => props.plot.box;
  const partial = (): boolean => props.verdict.seeds < props.verdict.of;
  return (
    <>
      <clipPath id="guess-grown">
        <rect
          x="0"
          y="0"
          width={box().left + (box().right - box().left + 20) * props.grown}
          height={box().bottom + 8}
        />
      </clipPath>
      <g clip-path="url(#guess-grown)">
        <path class="truth-line" d={truth().path} />
        <For each={truth().points}>
          {(at) => (
            <>
              <Show when={at.low !== undefined}>
                <path
                  class="truth-bar"
                  classList={{ partial: partial() }}
                  d={`M${at.x} ${at.low}V${at.high}M${at.x - 3} ${at.low}h6M${at.x - 3} ${at.high}h6`}
                />
              </Show>
              <circle class="truth-point" cx={at.x} cy={at.y} r="3.5" />
            </>
          )}
        </For>
        <Leaves {...props} leaves={truth().leaves} />
      </g>
      <Show when={props.grown >= 1}>
        <Knee {...props} />
        <Apart {...props} />
        <Show when={truth().leaves === undefined && truth().points.at(-1)}>
          {(last) => (
            <text class="truth-name" x={last().x + 4} y={Math.max(box().top + 10, last().y - 10)} text-anchor="end">
              engine
            </text>
          )}
        </Show>
      </Show>
    </>
  );
}

/** The arrow through the ceiling, with the value of the first point beyond. */
function Leaves(props: TruthProps & { readonly leaves: ReturnType<typeof truthOf>['leaves'] }): JSX.Element {
  const left = (px: number): boolean => px > (props.plot.box.left + props.plot.box.right) / 2;
  return (
    <Show when={props.leaves}>
      {(at) => (
        <>
          <path class="truth-arrow" d={`M${at().px - 4} ${props.plot.box.top + 1}l4 -7 4 7`} />
          <text
            class="truth-name"
            x={at().px + (left(at().px) ? -14 : 14)}
            y={props.plot.box.top + 6}
            text-anchor={left(at().px) ? 'end' : 'start'}
          >
            engine
          </text>
          <text
            class="truth-say"
            x={at().px + (left(at().px) ? -14 : 14)}
            y={props.plot.box.top + 20}
            text-anchor={left(at().px) ? 'end' : 'start'}
          >
            {unitText(at().y, props.ask.y.unit)} at {placeText(at().x, props.ask.x.unit)}
          </text>
        </>
      )}
    </Show>
  );
}

/** ◇ where the curve becomes steeper than the slope of the question. */
function Knee(props: TruthProps): JSX.Element {
  const at = createMemo(() => {
    const { knee = null, points = [] } = props.verdict.curve ?? {};
    if (knee === null) return undefined;
    const after = points.findIndex((p) => p.x >= knee);
    const [a, b] = [points[Math.max(0, after - 1)], points[after]];
    if (!a || !b || a.y.mean === null || b.y.mean === null) return undefined;
    const share = b.x === a.x ? 0 : (knee - a.x) / (b.x - a.x);
    const { x, y, box } = props.plot;
    const [low, high] = [y.at(Math.min(a.y.mean, props.ask.y.to)), y.at(Math.min(b.y.mean, props.ask.y.to))];
    return { px: x.at(knee), py: Math.max(box.top, low + share * (high - low)), knee };
  });
  const atEdge = (px: number): boolean => px > props.plot.box.right - 70;
  return (
    <Show when={at()}>
      {(found) => (
        <>
          <path class="guess-knee" d={`M${found().px} ${found().py - 7}l7 7-7 7-7-7z`} />
          <text
            class="truth-name"
            x={found().px + (atEdge(found().px) ? -10 : 8)}
            y={Math.min(props.plot.box.bottom - 4, found().py + 18)}
            text-anchor={atEdge(found().px) ? 'end' : 'start'}
          >
            knee {axisText(Number(found().knee.toPrecision(3)), props.ask.x.unit)}
          </text>
        </>
      )}
    </Show>
  );
}

/** The dimension line between guess and engine where they differ most. */
function Apart(props: TruthProps): JSX.Element {
  const at = createMemo(() => {
    const row = farthest(props.verdict.guess);
    if (!row || row.guess === null || row.engine === null) return undefined;
    const { x, y, box } = props.plot;
    const inside = (v: number): number => Math.min(box.bottom, Math.max(box.top, y.at(v)));
    return {
      x: x.at(row.x),
      guess: inside(row.guess),
      engine: inside(row.engine),
      beyond: row.engine > props.ask.y.to,
    };
  });
  const left = (): boolean => (at()?.x ?? 0) > props.plot.box.right - 120;
  /** On the other side of the guess than the engine, where no line is. */
  const nameAt = ({ guess, engine }: { readonly guess: number; readonly engine: number }): number => {
    const { top, bottom } = props.plot.box;
    return Math.min(bottom - 4, Math.max(top + 10, engine < guess ? guess + 20 : guess - 12));
  };
  const side = (): number => (left() ? -8 : 8);
  return (
    <Show when={at()}>
      {(found) => (
        <>
          <path
            class="guess-apart"
            d={`M${found().x + side()} ${found().guess}V${found().engine}${found().beyond ? '' : 'm-4 0h8'}M${found().x + (left() ? -12 : 4)} ${found().guess}h8`}
          />
          <circle class="guess-mine" cx={found().x} cy={found().guess} r="4.5" />
          <Show
            when={found().beyond}
            fallback={<circle class="truth-worst" cx={found().x} cy={found().engine} r="4.5" />}
          >
            <path class="truth-arrow" d={`M${found().x + side() - 4} ${found().engine + 1}l4 -7 4 7`} />
          </Show>
          <text
            class="truth-name"
            x={found().x + (left() ? 4 : -4)}
            y={nameAt(found())}
            text-anchor={left() ? 'end' : 'start'}
          >
            {sig3(props.verdict.guess?.factor ?? Number.NaN)} × your guess
          </text>
        </>
      )}
    </Show>
  );
}
