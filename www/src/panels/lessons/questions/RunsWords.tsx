// How far the runs of a step are, in words, and what stopped them.
import { type JSX, Show } from 'solid-js';
import { retryRuns, type StepRuns } from '../../../state/lessons/lessonRuns.ts';

/** `12 of 20 seeds`. */
export function seedsText({ seeds, of }: Seeds): string {
  return of === 0 ? 'no seed yet' : `${seeds} of ${of} seeds`;
}

/** The same while they run: before the first has ended there is nothing to say but that. */
export function progressText(seeds: Seeds): string {
  return seeds.seeds === 0 ? 'counting…' : seedsText(seeds);
}

/** How many seeds have run, and how many there are; 0 before it is known. */
type Seeds = { readonly seeds: number; readonly of: number };

export function RunsWords(props: {
  readonly runs: StepRuns | undefined;
  readonly seeds: number;
  readonly of: number;
  readonly step: number;
}): JSX.Element {
  return (
    <Show
      when={props.runs?.trouble}
      fallback={
        <>
          {progressText(props)}
          {props.seeds > 0 && props.seeds < props.of ? ' so far' : ''}
        </>
      }
    >
      {(trouble) => (
        <span class="ask-trouble">
          The runs stopped at {seedsText(props)}: {trouble()}{' '}
          <button type="button" class="link" onClick={() => retryRuns(props.step)}>
            Try again
          </button>
        </span>
      )}
    </Show>
  );
}
