// The last line of the trace inspector: what would run, and the button that runs it.
import { type JSX, Show } from 'solid-js';
import { count, ratePerS, text } from '../../base/units.ts';
import type { TraceFigures, TraceInspection } from '../../sim/traceTypes.ts';
import type { ChangedFigures } from './traceFigures.ts';
import { lengthText, writtenFigures } from './traceWords.ts';

export function TraceFoot(props: {
  trace: TraceInspection;
  changed: ChangedFigures;
  seed: number;
  starting: boolean;
  onReset: () => void;
  onRun: () => void;
}): JSX.Element {
  const runs = (): TraceFigures | null =>
    props.changed.runs === undefined ? writtenFigures(props.trace) : props.changed.runs;
  return (
    <>
      <span role="status">
        <Show
          when={props.changed.failed === '' && runs()}
          fallback={
            <b class="wa">
              {props.changed.failed === '' ? 'These changes leave no request' : `No figures: ${props.changed.failed}`}
            </b>
          }
        >
          {(figures) => (
            <>
              <b>{count(figures().requests)} requests</b>{' '}
              <span class="m">
                {text(ratePerS(figures().mean_per_s))} for {lengthText(figures().duration_s)}, seed {props.seed}
              </span>
            </>
          )}
        </Show>
      </span>
      <span class="grow" />
      <button type="button" class="btn" onClick={() => props.onReset()}>
        Reset
      </button>
      <button
        type="button"
        class="btn pri"
        disabled={props.starting || props.changed.runs === null}
        onClick={() => props.onRun()}
      >
        Run on this cluster
      </button>
    </>
  );
}
