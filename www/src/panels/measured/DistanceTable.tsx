// Errors by what the coefficients had not seen and by regime, one figure at a time.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { sentence } from '../../base/keyWords.ts';
import { DASH } from '../../base/units.ts';
import { Segments } from '../parts/Segments.tsx';
import { type Distance, distanceAt, distinct, figureName, regimesOf, shareText } from './measuredData.ts';

/** The right edge of a bar. */
const MOST = 0.5;
const WIDTH = 96;

export function DistanceTable(props: { distances: readonly Distance[] }): JSX.Element {
  const figures = createMemo(() => distinct(props.distances, 'figure'));
  const [chosen, setChosen] = createSignal<string>();
  const figure = (): string => chosen() ?? figures()[0] ?? '';
  return (
    <section class="truth-table-host" aria-label="Errors by distance and regime" tabindex="0">
      <Segments
        label="Figure"
        options={figures().map((name) => [name, figureName(name)] as const)}
        chosen={figure()}
        onChoose={setChosen}
      />
      <table class="truth-table">
        <thead>
          <tr>
            <th scope="col">Not seen by the coefficients</th>
            <For each={regimesOf(props.distances)}>
              {([, name]) => (
                <th scope="col">
                  {name} <i>% off, n</i>
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={distinct(props.distances, 'distance')}>
            {(distance) => (
              <tr>
                <th scope="row">{distance === 'seen' ? 'Nothing: all seen' : sentence(distance)}</th>
                <For each={regimesOf(props.distances)}>
                  {([regime]) => <Cell found={distanceAt(props.distances, distance, regime, figure())} />}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <p class="truth-legend">
        <svg width="8" height="12" aria-hidden="true">
          <path class="median" d="M4 0v12" />
        </svg>{' '}
        median
        <svg width="16" height="12" aria-hidden="true">
          <path class="distance-span" d="M1 6h14" />
        </svg>{' '}
        lower to upper bound
        <span>edge: 50 % and more</span>
      </p>
    </section>
  );
}

function Cell(props: { found: Distance | undefined }): JSX.Element {
  const x = (share: number): string => (3 + (WIDTH - 6) * Math.min(1, Math.abs(share) / MOST)).toFixed(1);
  return (
    <td>
      <Show when={props.found} fallback={<span class="none">{DASH}</span>}>
        {(d) => (
          <span
            class="strip"
            title={`${d().n} experiments; mean ${shareText(d().mean)}, worst ${shareText(d().worst)}: ${d().worst_id}`}
          >
            <svg width={WIDTH} height="16" viewBox={`0 0 ${WIDTH} 16`} aria-hidden="true">
              <path class="axis" d={`M3 15.5H${WIDTH - 3}`} />
              <path class="distance-span" d={`M${x(d().low)} 8H${x(d().high)}`} />
              <path class="median" d={`M${x(d().median)} 1v14`} />
            </svg>
            <b>{shareText(d().median)}</b> <span class="m">n {d().n}</span>
            <span class="visually-hidden">
              , {shareText(d().low)} to {shareText(d().high)}
            </span>
          </span>
        )}
      </Show>
    </td>
  );
}
