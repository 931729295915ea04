// Simulated against measured: one mark for each stage, on logarithmic axes.

import { createMemo, createSignal, For, type JSX, onCleanup, onMount } from 'solid-js';
import { durationMs, NBSP, plain, text } from '../../base/units.ts';
import { Segments } from '../parts/Segments.tsx';
import { type Experiment, figureName, type MeasuredPage, type Stage } from './measuredData.ts';

const WIDEST = 740;
const NARROWEST = 280;
const H = 300;
const EDGE = { left: 52, right: 24, top: 12, bottom: 30 } as const;
const FIGURES = ['e2e_ms mean', 'tpot_ms mean', 'ttft_ms mean'] as const;

/** A decade of milliseconds. */
function tick(ms: number): string {
  return ms < 1000 ? `${plain(ms)}${NBSP}ms` : `${plain(ms / 1000)}${NBSP}s`;
}

type Point = { readonly e: Experiment; readonly stage: Stage; readonly measured: number; readonly simulated: number };

export function StageScatter(props: {
  data: MeasuredPage;
  chosen: string | undefined;
  onChoose: (e: Experiment) => void;
}): JSX.Element {
  const [figure, setFigure] = createSignal<string>('e2e_ms mean');
  const [width, setWidth] = createSignal(WIDEST);
  let host: SVGSVGElement | undefined;
  // Drawn at the available width, so that its text keeps its size.
  onMount(() => {
    const sized = new ResizeObserver(([entry]) =>
      setWidth(Math.max(NARROWEST, Math.min(WIDEST, Math.round(entry?.contentRect.width ?? WIDEST)))),
    );
    if (host) sized.observe(host);
    onCleanup(() => sized.disconnect());
  });
  const points = createMemo(() =>
    props.data.experiments.flatMap((e) =>
      e.stages.flatMap((stage): Point[] => {
        const found = stage.figures[figure()];
        if (!found || found[0] <= 0 || found[1] <= 0) return [];
        return [{ e, stage, measured: found[0], simulated: found[1] }];
      }),
    ),
  );
  const range = createMemo(() => {
    const all = points().flatMap((p) => [p.measured, p.simulated]);
    const low = Math.floor(Math.log10(Math.min(1e5, ...all)));
    return { low, high: Math.max(low + 1, Math.ceil(Math.log10(Math.max(1, ...all)))) };
  });
  const share = (v: number): number => (Math.log10(v) - range().low) / (range().high - range().low);
  const x = (v: number): number => EDGE.left + share(v) * (width() - EDGE.left - EDGE.right);
  const y = (v: number): number => H - EDGE.bottom - share(v) * (H - EDGE.top - EDGE.bottom);
  const ticks = createMemo(() =>
    Array.from({ length: range().high - range().low + 1 }, (_, i) => 10 ** (range().low + i)),
  );
  const line = (times: number): string => {
    const [a, b] = [10 ** range().low, 10 ** range().high];
    const clamp = (v: number): number => Math.min(b, Math.max(a, v));
    return `M${x(a)} ${y(clamp(a * times))}L${x(clamp(b / Math.max(1, times)))} ${y(clamp(b * Math.min(1, times)))}`;
  };
  return (
    <figure class="truth-scatter">
      <figcaption>
        <b>Simulated against measured</b>
        <Segments
          label="Figure"
          options={FIGURES.map((name) => [name, figureName(name)] as const)}
          chosen={figure()}
          onChoose={setFigure}
        />
      </figcaption>
      <svg
        ref={host}
        viewBox={`0 0 ${width()} ${H}`}
        role="img"
        aria-label={`${figureName(figure())} of ${points().length} stages, simulated against measured; the table above has their errors`}
      >
        <For each={ticks()}>
          {(v) => (
            <>
              <path
                class="grid"
                d={`M${x(v)} ${EDGE.top}V${H - EDGE.bottom}M${EDGE.left} ${y(v)}H${width() - EDGE.right}`}
              />
              <text x={x(v)} y={H - 14} text-anchor="middle">
                {tick(v)}
              </text>
              <text x={EDGE.left - 6} y={y(v) + 4} text-anchor="end">
                {tick(v)}
              </text>
            </>
          )}
        </For>
        <path class="same" d={line(1)} />
        <path class="near" d={line(1.1)} />
        <path class="near" d={line(1 / 1.1)} />
        <For each={points()}>
          {(p) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the list of experiments is the keyboard's way to choose one
            <circle
              class="dot"
              classList={{ hollow: p.stage.fitted === true, chosen: p.e.id === props.chosen }}
              cx={x(p.measured).toFixed(1)}
              cy={y(p.simulated).toFixed(1)}
              r={p.e.id === props.chosen ? 4.5 : 2.6}
              onClick={() => props.onChoose(p.e)}
            >
              <title>{`${p.e.id} ${p.stage.stage}: measured ${text(durationMs(p.measured))}, simulated ${text(durationMs(p.simulated))}`}</title>
            </circle>
          )}
        </For>
        <text x={(width() + EDGE.left) / 2} y={H - 1} text-anchor="middle">
          measured; dashed: 10 % off
        </text>
        <text x={EDGE.left + 6} y={EDGE.top + 10}>
          simulated
        </text>
      </svg>
    </figure>
  );
}
