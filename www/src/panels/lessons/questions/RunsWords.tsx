// How far the runs of a step are, in words, and what stopped them.
import { type JSX, Show } from 'solid-js';
import type { StepVerdict } from '../../../generated/boundary.ts';
import { retryRuns, type StepRuns } from '../../../state/lessonRuns.ts';

/** `12 of 20 seeds`. */
export function seedsText(verdict: StepVerdict | undefined): string {
  return verdict ? `${verdict.seeds} of ${verdict.of} seeds` : 'no seed yet';
}

export function RunsWords(props: {
  readonly runs: StepRuns | undefined;
  readonly verdict: StepVerdict | undefined;
  readonly step: number;
}): JSX.Element {
  return (
    <Show
      when={props.runs?.trouble}
      fallback={
        <Show when={props.verdict} fallback="The engine runs…">
          {(found) => (
            <>
              {seedsText(found())}
              {found().seeds < found().of ? ' so far' : ''}
            </>
          )}
        </Show>
      }
    >
      {(trouble) => (
        <span class="ask-trouble">
          The runs stopped at {seedsText(props.verdict)}: {trouble()}{' '}
          <button type="button" class="link" onClick={() => retryRuns(props.step)}>
            Try again
          </button>
        </span>
      )}
    </Show>
  );
}
