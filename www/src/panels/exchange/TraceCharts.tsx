// The charts of the trace inspector: rate with the window, lengths with their caps, reuse by cache size, sessions.
import { For, type JSX, Show } from 'solid-js';
import { count, short, sig3 } from '../../base/units.ts';
import type { TraceBin, TraceChanges, TraceInspection, TraceLengths } from '../../sim/traceTypes.ts';
import { ChartBox, FOOT, LEFT, Lines, RIGHT } from '../parts/ChartBox.tsx';
import { instantText, lengthText, moved, timeTicks } from './traceWords.ts';

type Window = TraceChanges['window'];

/** Requests per second over the whole trace. A drag, or keys, set the window. */
export function RateChart(props: {
  trace: TraceInspection;
  window: Window;
  onWindow: (window: Window) => void;
}): JSX.Element {
  const HEIGHT = 150;
  const rate = () => props.trace.rate;
  const lasts = (): number => Math.max(props.trace.summary.duration_s, rate().bucket_s);
  const y = (v: number): number => HEIGHT - FOOT - (v / Math.max(rate().peak_per_s, 1e-9)) * (HEIGHT - FOOT - 12);
  const x = (s: number, width: number): number => LEFT + (s / lasts()) * (width - LEFT - RIGHT);
  const line = (width: number): string =>
    rate()
      .requests.map(
        (n, i) => `${i === 0 ? 'M' : 'L'}${x((i + 0.5) * rate().bucket_s, width)} ${y(n / rate().bucket_s)}`,
      )
      .join('');
  let from: number | undefined;
  const second = (event: PointerEvent & { currentTarget: HTMLElement }): number => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
    return Math.max(0, Math.min(1, share)) * lasts();
  };
  const drag = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    if (from === undefined) return;
    // With Shift whole hours.
    const step = event.shiftKey ? 3600 : 0.1;
    const [a, b] = [from, second(event)].toSorted((p, q) => p - q).map((s) => Math.round(s / step) * step);
    if (a !== undefined && b !== undefined && b - a > lasts() / 200)
      props.onWindow({ start_s: a, length_s: Math.min(b, lasts()) - a });
  };
  const key = (event: KeyboardEvent): void => {
    const now = props.window ?? { start_s: 0, length_s: lasts() / 4 };
    const next = moved(now, event.key, lasts());
    if (next === now) return;
    event.preventDefault();
    event.stopPropagation();
    props.onWindow(props.window ? next : now);
  };
  const said = (): string =>
    props.window
      ? `${lengthText(props.window.length_s)} from ${instantText(props.window.start_s)}`
      : 'the whole trace; drag or use the arrow keys for a window';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a chart whose window is set by pointer and keys
    <div
      class="trace-rate"
      role="group"
      aria-label={`Window: ${said()}`}
      tabindex={0}
      onKeyDown={key}
      onPointerDown={(event) => {
        from = second(event);
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onPointerUp={() => {
        from = undefined;
      }}
    >
      <ChartBox
        title="Rate"
        unit={`req/s, ${lengthText(rate().bucket_s)}`}
        height={HEIGHT}
        label={`Requests per second, mean ${sig3(rate().mean_per_s)}, at most ${sig3(rate().peak_per_s)}`}
        figures={
          <>
            mean <b>{sig3(rate().mean_per_s)}</b> peak <b>{sig3(rate().peak_per_s)}</b>
          </>
        }
      >
        {(width) => (
          <>
            <Lines at={[0, rate().peak_per_s / 2, rate().peak_per_s]} y={y} say={sig3} width={width} />
            <For each={timeTicks(lasts())}>
              {(s) => (
                <text x={x(s, width)} y={HEIGHT - 4} text-anchor={x(s, width) > width - 40 ? 'end' : 'middle'}>
                  {instantText(s)}
                </text>
              )}
            </For>
            <path class="trace-line" d={line(width)} />
            <Show when={props.window}>
              {(window) => (
                <>
                  <rect
                    class="trace-window"
                    x={x(window().start_s, width)}
                    y="4"
                    width={Math.max(2, x(window().start_s + window().length_s, width) - x(window().start_s, width))}
                    height={HEIGHT - FOOT - 4}
                  />
                  <text
                    class="window-name"
                    x={Math.min(x(window().start_s + window().length_s, width) + 6, width - RIGHT)}
                    y="14"
                    text-anchor={x(window().start_s + window().length_s, width) > width - 160 ? 'end' : 'start'}
                  >
                    {said()}
                  </text>
                </>
              )}
            </Show>
          </>
        )}
      </ChartBox>
    </div>
  );
}

/** How many prompts or answers have which length, and where they are cut. */
export function LengthChart(props: { title: string; of: TraceLengths; most: number | undefined }): JSX.Element {
  const HEIGHT = 150;
  const all = (): number =>
    Math.max(
      1,
      props.of.bins.reduce((sum, bin) => sum + bin.count, 0),
    );
  const top = (): number => Math.max(...props.of.bins.map((bin) => bin.count), 1) / all();
  const y = (share: number): number => HEIGHT - FOOT - (share / top()) * (HEIGHT - FOOT - 16);
  const step = (width: number): number => (width - LEFT - RIGHT) / Math.max(1, props.of.bins.length);
  const isCut = (bin: TraceBin): boolean => props.most !== undefined && props.most > 0 && bin.from > props.most;
  const cutAt = (): number => {
    const i = props.of.bins.findIndex(isCut);
    return i < 0 ? props.of.bins.length : i;
  };
  const every = (width: number): number => Math.ceil(40 / Math.max(1, step(width)));
  return (
    <ChartBox
      title={props.title}
      unit="tokens, % of requests"
      height={HEIGHT}
      label={`${props.title}: mean ${count(props.of.mean)}, p50 ${count(props.of.p50)}, p99 ${count(props.of.p99)}, longest ${count(props.of.max)} tokens`}
      figures={
        <>
          p50 <b>{count(props.of.p50)}</b> p99 <b>{count(props.of.p99)}</b>
        </>
      }
    >
      {(width) => (
        <>
          <Lines at={[0, top() / 2, top()]} y={y} say={(v) => sig3(v * 100)} width={width} />
          <For each={props.of.bins}>
            {(bin, i) => (
              <>
                <rect
                  class="trace-bar"
                  classList={{ 'trace-cut': isCut(bin) }}
                  x={LEFT + i() * step(width) + 1}
                  y={y(bin.count / all())}
                  width={Math.max(1, step(width) - 2)}
                  height={Math.max(0, HEIGHT - FOOT - y(bin.count / all()))}
                />
                <Show when={i() % every(width) === 0}>
                  <text x={LEFT + i() * step(width)} y={HEIGHT - 4} text-anchor="middle">
                    {short(bin.from)}
                  </text>
                </Show>
              </>
            )}
          </For>
          <Show when={props.most}>
            <path
              class="trace-cap"
              d={`M${LEFT + cutAt() * step(width)} 14V${HEIGHT - FOOT}m-5-${HEIGHT - FOOT - 8}h10l-5 6z`}
            />
          </Show>
        </>
      )}
    </ChartBox>
  );
}

/** The share of prompt tokens that an ideal cache of a size finds. */
export function ReuseChart(props: { of: NonNullable<TraceInspection['reuse']> }): JSX.Element {
  const HEIGHT = 190;
  const top = (): number => Math.max(props.of.unbounded, 0.01);
  const y = (share: number): number => HEIGHT - FOOT - (share / top()) * (HEIGHT - FOOT - 16);
  const from = (): number => Math.log2(Math.max(1, props.of.points[0]?.tokens ?? 1));
  const to = (): number => Math.max(from() + 1, Math.log2(props.of.points.at(-1)?.tokens ?? 2));
  const x = (tokens: number, width: number): number =>
    LEFT + ((Math.log2(Math.max(1, tokens)) - from()) / (to() - from())) * (width - LEFT - RIGHT);
  const line = (width: number): string =>
    props.of.points.map(({ tokens, share }, i) => `${i === 0 ? 'M' : 'L'}${x(tokens, width)} ${y(share)}`).join('');
  const every = (width: number): number => Math.ceil((48 * props.of.points.length) / Math.max(1, width - LEFT - RIGHT));
  return (
    <ChartBox
      title="Prefix reuse"
      unit="% of prompt tokens, by cache size"
      height={HEIGHT}
      label={`Prefix reuse: ${sig3(props.of.unbounded * 100)} % with a cache without a bound`}
      figures={
        <>
          at ∞ <b>{sig3(props.of.unbounded * 100)} %</b>
        </>
      }
    >
      {(width) => (
        <>
          <Lines at={[0, top() / 2, top()]} y={y} say={(v) => sig3(v * 100)} width={width} />
          <For each={props.of.points}>
            {({ tokens }, i) => (
              <Show when={i() % every(width) === 0}>
                <text x={x(tokens, width)} y={HEIGHT - 4} text-anchor="middle">
                  {short(tokens)}
                </text>
              </Show>
            )}
          </For>
          <path class="trace-line strong" d={line(width)} />
        </>
      )}
    </ChartBox>
  );
}

/** Sessions by their number of requests. */
export function SessionChart(props: { of: NonNullable<TraceInspection['sessions']> }): JSX.Element {
  const ROW = 22;
  const top = (): number => Math.max(...props.of.bins.map((bin) => bin.count), 1);
  const name = ({ from, to }: TraceBin): string =>
    from === to ? String(from) : to >= 2 ** 32 - 1 ? `over ${from - 1}` : `${from} – ${to}`;
  const gap = (): string => (props.of.gap_p50_s === null ? '' : ` gap p50 ${lengthText(props.of.gap_p50_s)}`);
  return (
    <ChartBox
      title="Sessions"
      unit="by requests"
      height={props.of.bins.length * ROW + 8}
      label={`${count(props.of.sessions)} sessions, ${sig3(props.of.mean_requests)} requests each in the mean`}
      figures={
        <>
          mean <b>{sig3(props.of.mean_requests)}</b>
          {gap()}
        </>
      }
    >
      {(width) => (
        <For each={props.of.bins}>
          {(bin, i) => (
            <>
              <text x={62} y={i() * ROW + 18} text-anchor="end">
                {name(bin)}
              </text>
              <rect
                class="trace-bar"
                x={68}
                y={i() * ROW + 5}
                width={Math.max(1, (bin.count / top()) * Math.max(1, width - 68 - 60))}
                height={ROW - 6}
              />
              <text class="trace-value" x={74 + (bin.count / top()) * Math.max(1, width - 68 - 60)} y={i() * ROW + 18}>
                {count(bin.count)}
              </text>
            </>
          )}
        </For>
      )}
    </ChartBox>
  );
}
