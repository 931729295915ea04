// Key figures of what broke: how available the replicas were, and what became of requests. Loaded where something broke.
import type { JSX } from 'solid-js';
import { count, percent, plain } from '../../base/units.ts';
import type { FaultFigures as Figures } from '../../generated/boundary.ts';
import { Figure } from './Figure.tsx';

export default function FaultFigures(props: { figures: Figures }): JSX.Element {
  const retrying = (): readonly string[] =>
    props.figures.retrying > 0 ? [`${count(props.figures.retrying)} retrying`] : ['since start'];
  const figure = { rest: undefined, onRest: undefined };
  return (
    <>
      <Figure {...figure} title="Available" value={percent(props.figures.availability, 1)} small={['since start']} />
      <Figure {...figure} title="Success" value={percent(props.figures.success, 1)} small={['since start']} />
      <Figure
        {...figure}
        title="Attempts"
        value={{ value: plain(Number(props.figures.attempts_per_arrival.toFixed(2))), unit: '' }}
        small={['an arrival', ...retrying()]}
      />
      <Figure
        {...figure}
        title="Lost"
        mark={props.figures.lost > 0 ? 'miss' : undefined}
        value={{ value: count(props.figures.lost), unit: '' }}
        small={['since start']}
      />
    </>
  );
}
