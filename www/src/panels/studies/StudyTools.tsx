// What every study has: its progress with a way to cancel, and its results as files.
import { type JSX, Show } from 'solid-js';
import { durationMs, text } from '../../base/units.ts';
import type { StudyFile } from '../../generated/boundary.ts';
import type { Asking } from '../../sim/asking.ts';
import { type Progress, troubleOf } from '../../state/studies/manyRuns.ts';
import { FileButton } from '../parts/FileButton.tsx';
import { save } from '../parts/save.ts';
import './studyTools.css';

/** The runs that are done, as a bar and in numbers, and the button that ends them. */
export function Reached(props: {
  progress: Progress | undefined;
  running: boolean;
  what?: string;
  onCancel: () => void;
}): JSX.Element {
  return (
    <span class="study-reached">
      <Show when={props.progress}>
        {(p) => (
          <span class="m" role="status">
            <progress aria-label="Runs done" max={p().of} value={p().done} /> {p().done} of {p().of}
            {props.what ?? ''} · {text(durationMs(p().tookMs))} · {p().workers} workers
          </span>
        )}
      </Show>
      <Show when={props.running}>
        <button type="button" class="btn box" onClick={props.onCancel}>
          Cancel
        </button>
      </Show>
    </span>
  );
}

/** Saves a study as a file that opens again, or its runs as CSV; opens such a file. */
export function StudyTools(props: {
  thread: Asking<'compare'>;
  /** The study on screen; nothing before its first run. */
  study: () => StudyFile | undefined;
  /** The name of its files, without an ending. */
  name: string;
  onOpen: (file: File) => void;
  onTrouble: (trouble: string) => void;
  /** Whether its runs are rows of a table. */
  hasRows?: boolean;
}): JSX.Element {
  const write = async (kind: 'write-study' | 'study-csv'): Promise<void> => {
    const study = props.study();
    if (!study) return;
    try {
      const written = await props.thread.ask(kind, study);
      if (kind === 'study-csv') save(`${props.name}.csv`, written, 'text/csv');
      else save(`${props.name}.json`, written);
    } catch (error) {
      props.onTrouble(troubleOf(error));
    }
  };
  return (
    <span class="study-tools">
      <Show when={props.study() !== undefined}>
        <button
          type="button"
          class="btn box"
          title="A file that opens here again, with the scenario and every run"
          onClick={() => void write('write-study')}
        >
          Save study
        </button>
        <Show when={props.hasRows !== false}>
          <button type="button" class="btn box" title="A line for each run" onClick={() => void write('study-csv')}>
            CSV
          </button>
        </Show>
      </Show>
      <FileButton class="btn box" takes="Saved study" accept=".json" onFile={props.onOpen}>
        Open study…
      </FileButton>
    </span>
  );
}
