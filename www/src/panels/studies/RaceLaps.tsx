// The small pictures of a race: TTFT p99 over each run, on one log scale, with the part above the objective filled.
import { createUniqueId, type JSX, Show } from 'solid-js';
import { DASH, durationMs, percent, text } from '../../base/units.ts';
import type { Lap } from '../../state/studies/race.ts';
import { logRange } from './StudyFigure.tsx';

/** The width in the units of the picture; it is as wide as its column. */
const W = 100;

export type LapScale = { readonly low: number; readonly high: number; readonly height: number };

/** One scale for all pictures: from the least to the largest value of the race, the objective included. */
export function lapScale(laps: readonly Lap[], objectiveMs: number, height: number): LapScale {
  const values = laps.flatMap((lap) => [...lap.ttft]);
  const [low, high] = logRange([...values, objectiveMs], [10, 1000]);
  return { low, high, height };
}

/** The y of a time. */
export function lapY(ms: number, { low, high, height }: LapScale): number {
  const share = Math.log(Math.max(ms, low) / low) / Math.log(high / low);
  return height - 2 - Math.min(1, share) * (height - 4);
}

/** The line of a run and the area below it, stretch by stretch: a time without values is a gap. */
export function lapPaths({ t, ttft }: Pick<Lap, 't' | 'ttft'>, scale: LapScale): { line: string; area: string } {
  const end = t.at(-1) ?? 1;
  let [line, area] = ['', ''];
  let last: string | undefined;
  t.forEach((s, i) => {
    const v = ttft[i] ?? Number.NaN;
    const x = ((s / (end || 1)) * W).toFixed(1);
    if (Number.isFinite(v) && v > 0) {
      const at = `${x} ${lapY(v, scale).toFixed(1)}`;
      line += `${last === undefined ? 'M' : 'L'}${at}`;
      area += last === undefined ? `M${x} ${scale.height}L${at}` : `L${at}`;
      last = x;
    } else if (last !== undefined) {
      area += `V${scale.height}Z`;
      last = undefined;
    }
  });
  return { line, area: last === undefined ? area : `${area}V${scale.height}Z` };
}

/** The picture of a run; without one, a place for it. */
export function LapPicture(props: {
  lap: Lap | undefined;
  seed: string;
  scale: LapScale;
  objectiveMs: number;
}): JSX.Element {
  const clip = createUniqueId();
  const limit = (): number => lapY(props.objectiveMs, props.scale);
  const said = (): string => {
    const row = props.lap?.row;
    if (!row) return `Seed ${props.seed}: not run yet`;
    const p99 = row.ttft_p99_ms === null ? DASH : text(durationMs(row.ttft_p99_ms));
    const met = row.met_share === null ? DASH : text(percent(row.met_share, 1));
    return `Seed ${props.seed}: TTFT p99 ${p99}, ${met} of objectives met`;
  };
  return (
    <svg
      class="lap"
      classList={{ missing: !props.lap }}
      height={props.scale.height}
      viewBox={`0 0 ${W} ${props.scale.height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={said()}
    >
      <title>{said()}</title>
      <rect class="ground" width={W} height={props.scale.height} />
      <Show when={props.lap}>
        {(lap) => {
          const d = () => lapPaths(lap(), props.scale);
          return (
            <>
              <Show when={props.objectiveMs > 0}>
                <clipPath id={clip}>
                  <rect width={W} height={limit()} />
                </clipPath>
                <path class="over" clip-path={`url(#${clip})`} d={d().area} />
                <path class="limit" d={`M0 ${limit()}H${W}`} />
              </Show>
              <path class="line" d={d().line} />
            </>
          );
        }}
      </Show>
    </svg>
  );
}
