// Beside the map: the distribution of the span on screen, and steps by batch size.

import { createMemo, type JSX, Show } from 'solid-js';
import { LATENCIES } from '../../base/latencies.ts';
import { count, durationMs, durationUs, NBSP, plain, text } from '../../base/units.ts';
import { TableButton } from '../../charts/TableButton.tsx';
import type { SpreadPart, StepsPart } from '../../closeup/spreadPicture.ts';
import { PERCENTILES } from '../../generated/boundary.ts';
import { boxes, measure } from '../../state/view/closeup.ts';
import { answers } from '../../state/view/density.ts';
import { Sheet } from './HeatMap.tsx';
import { stepsSentence } from './steps.ts';

/** Latencies of the boxes in milliseconds, from the least to the largest. */
const bracket = (): readonly [number, number] | undefined => {
  const own = boxes().filter((b) => b.of === measure());
  if (own.length === 0) return undefined;
  const least = Math.min(...own.map((b) => b.least_us));
  return [least / 1000, Math.max(...own.map((b) => b.most_us)) / 1000];
};

export function Spread(props: { onTable: () => void }): JSX.Element {
  let host: HTMLDivElement | undefined;
  const found = createMemo(() => (answers()?.map.of === measure() ? answers() : undefined));
  const slo = (): number => found()?.map.slo_us ?? 0;
  const name = (): string => LATENCIES[measure()].ofRequest;
  const part = createMemo<SpreadPart>(() => ({
    part: 'spread',
    visible: found()?.ecdf,
    before: found()?.before,
    sloMs: slo() / 1000,
    brush: bracket(),
    empty: found() ? 'no request measured yet' : '',
  }));
  const within = (): string => {
    const share = found()?.ecdf.within;
    return share === null || share === undefined || slo() === 0
      ? ''
      : `${share.toFixed(0)}${NBSP}% in ${text(durationUs(slo()))}`;
  };
  const sentence = (): string => {
    const e = found()?.ecdf;
    if (!e || e.count === 0) return `Distribution of ${name()}: no request measured yet.`;
    const percentiles = PERCENTILES.map((name, i) => `${name} ${text(durationMs(e.percentiles_ms[i] ?? Number.NaN))}`);
    return `Distribution of ${name()} of ${count(e.count)} requests: ${percentiles.join(', ')}. ${within()}`;
  };
  return (
    <figure class="spread" aria-label={sentence()}>
      <figcaption>
        <b>{name()}</b> <i>% of requests</i>
        <TableButton title={`Distribution of ${name()}`} onOpen={props.onTable} />
        <span class="grow" />
        <span>{within()}</span>
      </figcaption>
      <p class="spread-key">
        <span class="key-line" aria-hidden="true" />
        on screen, n = {count(found()?.ecdf.count ?? 0)}
        <Show when={found()?.editS !== undefined}>
          <span class="key-line dash" aria-hidden="true" />
          before {plain(Number((found()?.editS ?? 0).toFixed(2)))} s
        </Show>
      </p>
      <div class="plot" ref={host}>
        <Sheet host={() => host} part={part()} />
      </div>
    </figure>
  );
}

export function Steps(props: { onTable: () => void }): JSX.Element {
  let host: HTMLDivElement | undefined;
  const points = () => answers()?.points;
  const part = createMemo<StepsPart>(() => ({
    part: 'steps',
    points: points(),
    empty: points() ? 'no step in this span' : '',
  }));
  return (
    <figure class="spread" aria-label={stepsSentence(points())}>
      <figcaption>
        <b>Step time</b> <i>ms, log · by running requests</i>
        <TableButton title="Step time" onOpen={props.onTable} />
        <span class="grow" />
        <span>{count(points()?.steps ?? 0)} steps</span>
      </figcaption>
      <p class="spread-key">
        <span class="key-dot" aria-hidden="true" />
        decode only
        <span class="key-square" aria-hidden="true" />
        with a chunk
        <span class="key-line ink dash" aria-hidden="true" />
        model
      </p>
      <div class="plot" ref={host}>
        <Sheet host={() => host} part={part()} />
      </div>
    </figure>
  );
}
