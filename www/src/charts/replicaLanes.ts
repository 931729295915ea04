// The lives of replicas as lanes of a chart: from the rows of their spans to what is drawn and said.
import type { ViewColumns } from '../base/view.ts';
import type { LaneSpan, Lanes } from './timePicture.ts';

/** Most replicas whose state is said. */
const SAID = 3;
/** The columns before those of the states. */
const FIXED = ['from_s', 'to_s', 'lane', 'replica'] as const;

/**
 * The lanes of a chart; undefined if there are none. `stacked`: the first lane is at the bottom, so that the axis counts
 * them; else the lanes are in the order of the cards and have names.
 */
export function lanesOf(data: ViewColumns | undefined, stacked: boolean, focus: number | undefined): Lanes | undefined {
  const [from, to, lane, replica] = FIXED.map((name) => data?.columns[data.names.indexOf(name)]);
  if (!data || !from?.length || !to || !lane || !replica) return undefined;
  const states = data.names.flatMap((name, column) => (column < FIXED.length ? [] : [{ name, column }]));
  const spans = Array.from(
    from,
    (fromS, i): LaneSpan => ({
      fromS,
      toS: to[i] ?? fromS,
      lane: lane[i] ?? 0,
      replica: replica[i] ?? 0,
      state: states.find(({ column }) => data.columns[column]?.[i] === 1)?.name ?? '',
    }),
  );
  return { spans, count: Math.max(...lane) + 1, stacked, focus };
}

/** What replicas are at an instant that do not simply serve: `r2 down`. */
export function statesAt(lanes: Lanes | undefined, timeS: number): readonly (readonly [name: string, state: string])[] {
  const there = lanes?.spans.filter(({ fromS, toS, state }) => fromS <= timeS && timeS < toS && state !== 'serving');
  return (there ?? []).slice(0, SAID).map(({ replica, state }) => [`r${replica}`, state.replace('-', ' ')]);
}
