// Little's law of the system or of one replica, exact at every instant: L = λ W over the run so far.
import { createEffect, createMemo, createSignal, type JSX, on, Show } from 'solid-js';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { count, durationMs, text } from '../../base/units.ts';
import type { App } from '../../state/app.ts';
import { Block, NameValues, type Row } from '../parts/Block.tsx';
import { littleShapes } from './littlePicture.ts';
import './little.css';

/** Words say whether both sides are equal; more digits would not help. */
const digits = (x: number): string =>
  Number.isFinite(x) ? x.toLocaleString('en', { maximumSignificantDigits: 4 }) : '–';

const verdict = (difference: number): string =>
  difference === 0 ? 'L = λW holds exactly.' : `L and λW differ by ${count(difference)} request-µs.`;

export function Little(props: { app: Pick<App, 'transport' | 'studies'>; replica?: number }): JSX.Element {
  const app = props.app;
  const [row, setRow] = createSignal<(name: string) => number>();
  const ask = oneAtATime(async () => {
    const [found] = await app.studies.columns(['little']).catch(() => []);
    const at = props.replica === undefined ? 0 : props.replica + 1;
    const of = (column: Float64Array | undefined): number => column?.[at] ?? Number.NaN;
    setRow(() => found && ((name: string) => of(found.columns[found.names.indexOf(name)])));
  });
  createEffect(on([app.transport.refreshTick, app.transport.playing, () => props.replica], ask));
  const rows = (of: (name: string) => number): readonly Row[] => [
    ['L: inside on average', digits(of('mean_number'))],
    ['λ: arrivals', `${digits(of('rate_per_s'))} req/s`],
    ['W: time inside on average', of('arrived') > 0 ? text(durationMs(of('time_ms'))) : '–'],
    ['λ W', digits(of('product'))],
  ];
  return (
    <Block title="Little’s law" remark={props.replica === undefined ? 'the whole system' : 'this replica'}>
      <Show when={row()} fallback={<p class="say">Not known yet.</p>}>
        {(r) => (
          <>
            <Picture of={r()} />
            <NameValues class="little" rows={rows(r())} />
          </>
        )}
      </Show>
      <Show when={row()}>{(r) => <p class="say">{verdict(r()('difference'))}</p>}</Show>
      <p class="m note">
        Of the run so far. Requests still inside count with their time inside so far, so L = λW at every instant.
      </p>
    </Block>
  );
}

/** Both sides of the law as areas of one scale: λ wide and W high, and the square L. */
function Picture(props: { of: (name: string) => number }): JSX.Element {
  const shapes = createMemo(() =>
    littleShapes({
      inside: props.of('mean_number'),
      perSecond: props.of('rate_per_s'),
      seconds: props.of('time_ms') / 1000,
    }),
  );
  return (
    <Show when={shapes()}>
      {(s) => (
        <svg
          class="little-areas"
          viewBox="0 0 304 104"
          role="img"
          aria-label="A rectangle λ wide and W high has the area of the square L"
        >
          <rect class="area" x="30" y="6" width={s().rectangle.width} height={s().rectangle.height} />
          <text class="axis" x="24" y={10 + s().rectangle.height / 2} text-anchor="end">
            W
          </text>
          <text class="axis" x={30 + s().rectangle.width / 2} y={18 + s().rectangle.height} text-anchor="middle">
            λ
          </text>
          <text class="equals" x="170" y="40" text-anchor="middle">
            =
          </text>
          <rect class="area" x="200" y="6" width={s().side} height={s().side} />
          <text class="axis" x={200 + s().side / 2} y={18 + s().side} text-anchor="middle">
            L
          </text>
        </svg>
      )}
    </Show>
  );
}
