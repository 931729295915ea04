// The difference of an entrant to the first of a race: an interval over zero, with a tick for each seed below it.
import { For, type JSX, Show } from 'solid-js';
import type { Difference } from '../../generated/boundary.ts';

const H = 22;
const BAR = 8;

/** The differences of all rows on one axis; zero is the first entrant. */
export type DifferenceScale = { readonly from: number; readonly to: number; readonly width: number };

/** The axis from the least to the largest end of all intervals and ticks, zero included. */
export function differenceScale(rows: readonly DifferenceRow[], width: number): DifferenceScale {
  const all = rows.flatMap(({ of, bySeed }) => [of?.lo, of?.hi, of?.diff, ...bySeed]);
  const known = all.filter((v): v is number => typeof v === 'number' && Number.isFinite(v));
  const [from, to] = [Math.min(0, ...known), Math.max(0, ...known)];
  return from < to ? { from, to, width } : { from: -1, to: 1, width };
}

export type DifferenceRow = { readonly of: Difference | null | undefined; readonly bySeed: readonly number[] };

export function differenceX(v: number, { from, to, width }: DifferenceScale): number {
  return 4 + ((v - from) / (to - from)) * (width - 8);
}

export function IntervalOfSeeds(props: {
  row: DifferenceRow;
  scale: DifferenceScale;
  /** Whether seeds are missing. */
  partial: boolean;
  /** Whether it is the first itself: a dot at zero. */
  reference?: boolean;
}): JSX.Element {
  const x = (v: number): number => differenceX(v, props.scale);
  const ends = (): readonly [number, number] | undefined => {
    const of = props.row.of;
    return of && of.lo !== null && of.hi !== null ? [of.lo, of.hi] : undefined;
  };
  return (
    <svg
      class="interval-bar race-interval"
      width={props.scale.width}
      height={H}
      viewBox={`0 0 ${props.scale.width} ${H}`}
      aria-hidden="true"
    >
      <path class="zero" d={`M${x(0)} 0v${H}`} />
      <Show when={props.reference}>
        <circle class="reference" cx={x(0)} cy={H / 2} r="3" />
      </Show>
      <Show when={ends()}>
        {(range) => (
          <rect
            class={props.row.of?.verdict}
            classList={{ partial: props.partial }}
            x={x(range()[0])}
            y={BAR - 5}
            width={Math.max(2, x(range()[1]) - x(range()[0]))}
            height="6"
          />
        )}
      </Show>
      <Show when={props.row.of && props.row.of.diff !== null}>
        <path class="at" d={`M${x(props.row.of?.diff ?? 0)} ${BAR - 7}v10`} />
      </Show>
      <For each={props.row.bySeed}>{(d) => <path class="tick" d={`M${x(d)} ${H - 6}v5`} />}</For>
    </svg>
  );
}
