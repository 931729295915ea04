// Measured series over time beside the simulated ones, at the same instants.
import { createMemo, For, type JSX } from 'solid-js';
import type { SeriesCompared } from '../../generated/boundary.ts';
import { errorText, figureName } from './measuredData.ts';
import { shown } from './SideBySide.tsx';

const W = 300;
const H = 96;
const EDGE = { left: 4, right: 4, top: 8, bottom: 18 } as const;

export function SeriesComparison(props: { series: readonly SeriesCompared[] }): JSX.Element {
  return <For each={props.series}>{(series) => <OneSeries series={series} />}</For>;
}

/** A line of points; it breaks where a value is missing. */
function path(points: readonly (readonly [number, number | null])[]): string {
  let open = false;
  return points
    .map(([x, y]) => {
      if (y === null) {
        open = false;
        return '';
      }
      const command = open ? 'L' : 'M';
      open = true;
      return `${command}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}

function OneSeries(props: { series: SeriesCompared }): JSX.Element {
  const s = (): SeriesCompared => props.series;
  const scale = createMemo(() => {
    const all = [...s().measured, ...s().simulated.filter((v) => v !== null)];
    const [first, last] = [s().times_s[0] ?? 0, s().times_s.at(-1) ?? 1];
    return { most: Math.max(...all, 1e-9), first, span: Math.max(last - first, 1e-9), last };
  });
  const line = (values: readonly (number | null)[]): string =>
    path(
      values.map((v, i) => [
        EDGE.left + ((W - EDGE.left - EDGE.right) * ((s().times_s[i] ?? 0) - scale().first)) / scale().span,
        v === null ? null : H - EDGE.bottom - ((H - EDGE.top - EDGE.bottom) * v) / scale().most,
      ]),
    );
  const mean = (value: number): string => shown(s().metric, value);
  return (
    <figure class="series-beside">
      <figcaption>
        {figureName(s().metric)}: mean measured {mean(s().measured_mean)}, simulated {mean(s().simulated_mean)}
        {s().error === undefined ? '' : ` (${errorText(s().error)})`}, {mean(s().distance)} apart at {s().instants}{' '}
        instants
      </figcaption>
      <svg
        viewBox={`0 0 ${W} ${H}`}
        role="img"
        aria-label={`${figureName(s().metric)} over time, measured and simulated`}
      >
        <path class="series-simulated" d={line(s().simulated)} />
        <path class="series-measured" d={line(s().measured)} />
        <text x={EDGE.left} y={H - 5}>
          {scale().first} s
        </text>
        <text x={W - EDGE.right} y={H - 5} text-anchor="end">
          {scale().last} s
        </text>
      </svg>
    </figure>
  );
}
