// Tokens computed again over time, of the run and of the runs with each policy.
import { createMemo, For, type JSX } from 'solid-js';
import { clock, count, short } from '../../base/units.ts';
import { seriesDash } from '../../draw/looks.ts';
import type { KvPolicy, KvPolicyRegret, SessionRows } from '../../generated/boundary.ts';
import { PLOT, planAgain } from './againLayout.ts';
import { TimeTicks } from './SessionPicture.tsx';
import { SIDES } from './sessionLayout.ts';

/** The dash of a policy: its place among lines of one kind. */
const DASH_OF: Readonly<Record<KvPolicy, number>> = { lru: 0, ttl: 1, prefetch: 2, hint: 3, oracle: 2 };

export function AgainCurve(props: {
  of: SessionRows;
  runs: readonly KvPolicyRegret[];
  /** The policy that the run has. */
  now: string | undefined;
  width: number;
}): JSX.Element {
  const plan = createMemo(() => planAgain(props.of, props.runs, props.now, props.width));
  const values = (): string =>
    plan()
      .lines.map((line) => `${line.name} ${count(line.tokens)}`)
      .join(', ');
  return (
    <figure class="session-again">
      <figcaption>
        <b>Tokens computed again</b>{' '}
        <span class="m">since 0 s{props.runs.length > 0 ? ', the same draws under each policy' : ''}</span>
      </figcaption>
      <svg
        class="session-rows"
        width={props.width}
        height={PLOT.height}
        viewBox={`0 0 ${props.width} ${PLOT.height}`}
        role="img"
        aria-label={`Tokens computed again up to ${clock(props.of.to_us)} s: ${values()}`}
      >
        <For each={plan().ticks}>
          {(tick) => (
            <>
              <path class="ground" d={`M${SIDES.left} ${tick.y + 0.5}H${props.width - SIDES.right}`} />
              <text x={SIDES.left - 8} y={tick.y + 4} text-anchor="end">
                {short(tick.tokens)}
              </text>
            </>
          )}
        </For>
        <For each={plan().lines}>
          {(line) => (
            <g class="line" classList={{ now: line.isNow }}>
              <path
                d={line.d}
                stroke-dasharray={line.policy ? seriesDash(DASH_OF[line.policy]).join(' ') : undefined}
              />
              <text x={props.width - SIDES.right + 6} y={line.labelY}>
                {line.name}
              </text>
            </g>
          )}
        </For>
        <TimeTicks
          of={props.of}
          width={props.width}
          left={SIDES.left}
          right={props.width - SIDES.right}
          y={PLOT.height - 4}
        />
      </svg>
    </figure>
  );
}
