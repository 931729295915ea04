// What caches of any size could find again, with the sizes of today.
import { For, type JSX, Show } from 'solid-js';
import { count, DASH, percent, short, sig3, text } from '../../base/units.ts';
import type { Reuse, ReuseCurve } from '../../generated/boundary.ts';
import { ChartBox, FOOT, LEFT, Lines, RIGHT } from '../parts/ChartBox.tsx';
import { tierNames } from '../parts/tierNames.ts';

const HEIGHT = 200;

export function ReuseBySize(props: { of: Reuse | undefined }): JSX.Element {
  return (
    <section class="tier-reuse" aria-label="Hit share by size of the cache">
      <Show when={props.of} fallback={<p class="m">No prompt has come yet, or replicas keep no prefixes.</p>}>
        {(of) => <Chart of={of()} />}
      </Show>
    </section>
  );
}

function Chart(props: { of: Reuse }): JSX.Element {
  const points = () => props.of.curves[0]?.points ?? [];
  const from = (): number => Math.log2(Math.max(1, points()[0]?.tokens ?? 1));
  const to = (): number => Math.max(from() + 1, Math.log2(points().at(-1)?.tokens ?? 2));
  const top = (): number => Math.max(props.of.ceiling, props.of.found, 0.01);
  const y = (share: number): number => HEIGHT - FOOT - (share / top()) * (HEIGHT - FOOT - 22);
  const x = (tokens: number, width: number): number =>
    LEFT +
    Math.max(0, Math.min(1, (Math.log2(Math.max(1, tokens)) - from()) / (to() - from()))) * (width - LEFT - RIGHT);
  const line = (curve: ReuseCurve, width: number): string =>
    curve.points.map(({ tokens, share }, i) => `${i === 0 ? 'M' : 'L'}${x(tokens, width)} ${y(share)}`).join('');
  const ticks = (width: number): readonly number[] => {
    const every = Math.ceil(((to() - from()) * 52) / Math.max(1, width - LEFT - RIGHT));
    return Array.from({ length: Math.floor((to() - from()) / every) + 1 }, (_, i) => 2 ** (from() + i * every));
  };
  return (
    <>
      <ChartBox
        title="Hit share by size of the cache"
        unit={`% of the tokens of the latest ${count(props.of.requests)} prompts, by tokens that a cache holds`}
        height={HEIGHT}
        label={`No cache finds more than ${sig3(props.of.ceiling * 100)} %; they found ${sig3(props.of.found * 100)} %`}
        figures={
          <>
            every repeat <b>{text(percent(props.of.ceiling, 1))}</b> these requests found{' '}
            <b>{text(percent(props.of.found, 1))}</b>
          </>
        }
      >
        {(width) => (
          <>
            <Lines at={[0, top() / 2, top()]} y={y} say={(v) => sig3(v * 100)} width={width} />
            <For each={ticks(width)}>
              {(tokens) => (
                <text x={x(tokens, width)} y={HEIGHT - 4} text-anchor="middle">
                  {short(tokens)}
                </text>
              )}
            </For>
            <path class="reuse-ceiling" d={`M${LEFT} ${y(props.of.ceiling)}H${width - RIGHT}`} />
            <path class="reuse-found" d={`M${LEFT} ${y(props.of.found)}H${width - RIGHT}`} />
            <For each={props.of.curves}>
              {(curve, i) => (
                <>
                  <path class="reuse-line" classList={{ own: i() > 0 }} d={line(curve, width)} />
                  <path
                    class="reuse-knee"
                    d={`M${x(curve.knee_tokens, width)} ${y(curve.knee_share) - 6}l6 6-6 6-6-6z`}
                  />
                </>
              )}
            </For>
            <For each={props.of.marks}>
              {(mark) => (
                <Show when={mark.tokens}>
                  {(tokens) => (
                    <>
                      <path class="reuse-today" d={`M${x(tokens(), width)} ${y(mark.share)}V${HEIGHT - FOOT}`} />
                      <circle class="reuse-knob" cx={x(tokens(), width)} cy={y(mark.share)} r="5" />
                    </>
                  )}
                </Show>
              )}
            </For>
          </>
        )}
      </ChartBox>
      <Sizes of={props.of} />
    </>
  );
}

/** Today's sizes and the sizes that would be enough. */
function Sizes(props: { of: Reuse }): JSX.Element {
  const curveName = (curve: ReuseCurve): string =>
    curve.caches === 1 ? 'One cache for all' : `A cache on each of ${count(curve.caches)} replicas, as routed`;
  return (
    <table>
      <thead>
        <tr>
          <th>
            <span class="mark knob" /> today
          </th>
          <th>tokens</th>
          <th>could find</th>
        </tr>
      </thead>
      <tbody>
        <For each={props.of.marks}>
          {(mark) => (
            <tr>
              <td>{tierNames(mark.tier).long}</td>
              <td>{mark.tokens === null ? 'no end' : short(mark.tokens)}</td>
              <td>{text(percent(mark.share, 1))}</td>
            </tr>
          )}
        </For>
        <For each={props.of.curves}>
          {(curve, i) => (
            <tr>
              <td>
                <span class="mark knee" classList={{ own: i() > 0 }} /> {curveName(curve)}: 99 % of all it can find
              </td>
              <td>{curve.knee_tokens > 0 ? short(curve.knee_tokens) : DASH}</td>
              <td>{text(percent(curve.knee_share, 1))}</td>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}
