// The difference of each request between two runs, over its arrival; and the time of each request in both.
import { createMemo, type JSX, Show } from 'solid-js';
import { count, durationMs, percent, plain, signed, text } from '../../base/units.ts';
import { logTicks } from '../../charts/scales.ts';
import type { PairedPart, RequestCloud } from '../../generated/boundary.ts';
import { instants } from './CompareTime.tsx';
import type { Scene } from './compareScene.ts';
import { nearest, symmetric } from './pairedDifference.ts';
import {
  Axes,
  along,
  EDGE,
  footOf,
  logRange,
  type Place,
  StudyFigure,
  type Tick,
  tickMs,
  upward,
} from './StudyFigure.tsx';
import { TimeGround, TimeLines } from './TimeMarks.tsx';

type Props = {
  readonly cloud: RequestCloud | undefined;
  readonly paired: PairedPart | undefined;
  readonly scene: Scene;
  /** The request that is open in both runs, by its number in A. */
  readonly selected: number | undefined;
  readonly onPair: (a: number, b: number) => void;
};

const HEIGHT = 172;
export function Differences(props: Props): JSX.Element {
  const diff = (): readonly number[] => props.cloud?.diff_ms ?? [];
  const most = createMemo(() => diff().reduce((high, ms) => Math.max(high, Math.abs(symmetric(ms))), 1));
  const foot = footOf(HEIGHT);
  const y = (ms: number): number => upward(0.5 + symmetric(ms) / (2 * most()), foot);
  const ticks = createMemo((): readonly Tick[] => {
    const decades = Math.floor(most());
    const [top, middle] = [10 ** decades, 10 ** Math.floor(decades / 2)];
    const all = [...new Set([top, middle, 0, -middle, -top])];
    return all.map((ms) => [ms, ms === 0 ? '0' : text(signed(wholeMs(ms)))]);
  });
  return (
    <StudyFigure
      height={HEIGHT}
      class="compare-difference"
      title={
        <>
          <b>Difference for each request</b>{' '}
          <span class="s" title="Symmetric log: each decade beyond 1 ms has the same length">
            TTFT in B − A{sampled(props.cloud)}
          </span>
          <Show when={props.paired}>
            {(p) => (
              <span class="compare-apart">
                <b class="gained">{text(percent(p().gained))}</b> gained <b class="lost">{text(percent(p().lost))}</b>{' '}
                lost
              </span>
            )}
          </Show>
        </>
      }
      label={`TTFT of each request in B minus A, over the time of arrival, ${count(diff().length)} marks; the lists beside open the largest`}
    >
      {(width) => {
        const x = (s: number): number => along(s / props.scene.endS, width);
        return (
          <>
            <TimeGround scene={props.scene} x={x} width={width} foot={foot} />
            <Axes
              width={width}
              height={HEIGHT}
              rows={ticks()}
              y={y}
              columns={instants(props.scene.endS, width)}
              x={x}
              unit="s"
            />
            <Show when={props.cloud}>
              {(cloud) => (
                <>
                  <Marks t={cloud().t_s} diff={cloud().diff_ms} x={x} y={y} />
                  <Chosen cloud={cloud()} selected={props.selected} x={x} y={y} />
                  {/* biome-ignore lint/a11y/noStaticElementInteractions: the lists of what moved most are the keyboard's way to choose one */}
                  <rect
                    class="compare-hit"
                    x={EDGE.left}
                    y={EDGE.top}
                    width={Math.max(0, width - EDGE.left - EDGE.right)}
                    height={foot - EDGE.top}
                    onClick={(event) => {
                      const i = nearest(cloud(), event.offsetX, event.offsetY, x, y);
                      if (i !== undefined) props.onPair(cloud().request_a[i] ?? 0, cloud().request_b[i] ?? 0);
                    }}
                  >
                    <title>A mark opens the request in both runs</title>
                  </rect>
                </>
              )}
            </Show>
            <text class="lost" x={EDGE.left + 4} y={EDGE.top + 11}>
              slower in B
            </text>
            <text class="gained" x={EDGE.left + 4} y={foot - 5}>
              faster in B
            </text>
            <TimeLines scene={props.scene} x={x} width={width} foot={foot} />
          </>
        );
      }}
    </StudyFigure>
  );
}

const wholeMs = (ms: number): { value: string; unit: string } =>
  Math.abs(ms) < 1000 ? { value: plain(ms), unit: 'ms' } : { value: plain(ms / 1000), unit: 's' };

const sampled = (cloud: RequestCloud | undefined): string => (cloud && cloud.every > 1 ? `; 1 in ${cloud.every}` : '');

/** Gains as dots, losses as strokes: two shapes, whatever the colours. */
function Marks(props: { t: readonly number[]; diff: readonly number[]; x: Place; y: Place }): JSX.Element {
  const d = createMemo(() => {
    const [gains, losses]: [string[], string[]] = [[], []];
    props.diff.forEach((ms, i) => {
      const [px, py] = [props.x(props.t[i] ?? 0).toFixed(1), props.y(ms)];
      if (ms < 0) gains.push(`M${px} ${py.toFixed(1)}h0`);
      else if (ms > 0) losses.push(`M${px} ${(py - 2).toFixed(1)}v4`);
    });
    return { gains: gains.join(''), losses: losses.join('') };
  });
  return (
    <>
      <path class="marks-gained" d={d().gains} />
      <path class="marks-lost" d={d().losses} />
    </>
  );
}

function Chosen(props: { cloud: RequestCloud; selected: number | undefined; x: Place; y: Place }): JSX.Element {
  const i = (): number => (props.selected === undefined ? -1 : props.cloud.request_a.indexOf(props.selected));
  const at = (): readonly [number, number] => [
    props.x(props.cloud.t_s[i()] ?? 0),
    props.y(props.cloud.diff_ms[i()] ?? 0),
  ];
  return (
    <Show when={i() >= 0}>
      <circle class="compare-chosen" cx={at()[0]} cy={at()[1]} r="6" />
      <text class="compare-chosen-name" x={at()[0] - 10} y={at()[1] + 4} text-anchor="end">
        #{props.selected} {text(signed(durationMs(props.cloud.diff_ms[i()] ?? 0)))}
      </text>
    </Show>
  );
}

const PAIRS_HEIGHT = 190;

/** TTFT of each request in B over that in A, both log. */
export function Pairs(props: { cloud: RequestCloud | undefined }): JSX.Element {
  const range = createMemo(() => logRange([...(props.cloud?.a_ms ?? []), ...(props.cloud?.b_ms ?? [])]));
  const share = (ms: number): number => {
    const [low, high] = range();
    return Math.log(Math.max(ms, low) / low) / Math.log(high / low);
  };
  const foot = footOf(PAIRS_HEIGHT);
  const y = (ms: number): number => upward(share(ms), foot);
  const ticks = (): readonly Tick[] => logTicks(...range(), 4).map((ms) => [ms, tickMs(ms)]);
  return (
    <StudyFigure
      height={PAIRS_HEIGHT}
      title={
        <>
          <b>Pairs</b> <span class="s">TTFT in B over A, log{sampled(props.cloud)}</span>
        </>
      }
      label="TTFT of each request in B over its TTFT in A; above the diagonal B is slower"
    >
      {(width) => {
        const x = (ms: number): number => along(share(ms), width);
        const d = createMemo(() => {
          const [faster, slower]: [string[], string[]] = [[], []];
          props.cloud?.a_ms.forEach((a, i) => {
            const b = props.cloud?.b_ms[i] ?? a;
            if (b < a) faster.push(`M${x(a).toFixed(1)} ${y(b).toFixed(1)}h0`);
            else if (b > a) slower.push(`M${x(a).toFixed(1)} ${(y(b) - 2).toFixed(1)}v4`);
          });
          return { faster: faster.join(''), slower: slower.join('') };
        });
        return (
          <>
            <Axes width={width} height={PAIRS_HEIGHT} rows={ticks()} y={y} columns={ticks()} x={x} />
            <path
              class="study-diagonal"
              d={`M${along(0, width)} ${upward(0, foot)}L${along(1, width)} ${upward(1, foot)}`}
            />
            <path class="marks-gained" d={d().faster} />
            <path class="marks-lost" d={d().slower} />
            <text class="lost" x={EDGE.left + 4} y={EDGE.top + 11}>
              slower in B
            </text>
            <text class="gained" x={along(1, width) - 4} y={foot - 5} text-anchor="end">
              faster in B
            </text>
          </>
        );
      }}
    </StudyFigure>
  );
}
