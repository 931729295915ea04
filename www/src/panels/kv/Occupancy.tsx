// The share of blocks in use over the run, on the page's clock, and what is used and cached at the playhead.
import { createMemo, type JSX, Show } from 'solid-js';
import { plain } from '../../base/units.ts';
import type { Blocks } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';

const HIGH = 40;
const WIDE = 1000;

export function Occupancy(props: { app: Pick<App, 'transport'>; blocks: Blocks }): JSX.Element {
  const endS = createMemo(() => (props.app.transport.frame()?.axis_end_us ?? 1e6) / 1e6);
  const x = (s: number): number => (WIDE * s) / Math.max(1e-6, endS());
  const nowS = (): number => props.blocks.now_us / 1e6;
  const share = (of: 0 | 1 | 2): string => String(Math.round(props.blocks.percent[of]));
  const y = (percent: number): number => HIGH - (HIGH * percent) / 100;
  const line = createMemo(() => {
    const [ends, percents] = props.blocks.over_time;
    const points = ends.map((s, i): readonly [number, number] => [x(s), y(percents[i] ?? 0)]);
    const all = [[0, y(0)] as const, ...points, [x(nowS()), y(props.blocks.percent[0])] as const];
    return all.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${plainer(px)} ${plainer(py)}`).join('');
  });
  const said = (): string =>
    `Blocks in use up to ${plain(nowS())} s: now ${share(0)} percent, ${share(1)} percent cached`;
  return (
    <figure class="kv-occupancy">
      <figcaption>
        <b>Blocks in use</b> <i>% of all</i>
        <span class="m">
          used {share(0)} · cached {share(1)} · free {share(2)}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label={said()}>
        <rect class="past" x="0" y="0" width={x(nowS())} height={HIGH} />
        <path class="area" d={`${line()}L${plainer(x(nowS()))} ${HIGH}L0 ${HIGH}Z`} />
        <path class="line" d={line()} />
        <Show when={props.blocks.caching}>
          <rect
            class="cached"
            x={Math.max(0, x(nowS()) - 5)}
            y={y(props.blocks.percent[0] + props.blocks.percent[1])}
            width="5"
            height={(HIGH * props.blocks.percent[1]) / 100}
          />
        </Show>
        <path class="now" d={`M${plainer(x(nowS()))} 0V${HIGH}`} />
      </svg>
      <div class="kv-axis m" aria-hidden="true">
        <span>0</span>
        <span>{plain(Math.round(endS() / 2))}</span>
        <span>{plain(Math.round(endS()))} s</span>
      </div>
    </figure>
  );
}

const plainer = (n: number): string => n.toFixed(1);
