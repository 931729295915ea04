// The lines of the run without the last edit that a chart shows: thin, dashed, from the edit on.
import { sentence } from '../base/keyWords.ts';
import { plain } from '../base/units.ts';
import type { Without } from '../base/view.ts';
import { indexAt, lastFinite } from './scales.ts';
import type { Line, TimeSpec } from './specs.ts';
import type { Ghost } from './timePicture.ts';

/** The line that matters most: the 99th percentile, else the replica in focus, else the first that is of no replica. */
function leading(lines: readonly Line[], focus: number | undefined): Line | undefined {
  return (
    lines.find((line) => line.tail) ??
    lines.find((line) => line.name === 'max') ??
    lines.find((line) => line.replica !== undefined && line.replica === focus) ??
    lines.find((line) => line.replica === undefined && !lines.some((other) => other.replica !== undefined))
  );
}

export function ghostsOf(
  spec: TimeSpec,
  without: Without | undefined,
  lines: readonly Line[],
  focus: number | undefined,
): readonly Ghost[] {
  const line = leading(lines, focus);
  const data = without?.data[spec.view];
  const times = data?.columns[0];
  // The columns of the other run can be others, such as those of a pool that the edit added.
  const drawn = line && data && spec.lines(data).find(({ name }) => name === line.name);
  const column = drawn && data.columns[drawn.column];
  if (!without || !times || !column) return [];
  // The last value before the edit is in both runs: the line begins on the other.
  const from = Math.max(0, indexAt(times, without.fromS));
  return [{ times: times.subarray(from), values: column.subarray(from), name: without.label, of: line.name }];
}

/** These lines in words, each with its value at its end. */
export function ghostsSaid(spec: TimeSpec, ghosts: readonly Ghost[]): string {
  return ghosts
    .flatMap(({ name, of, times, values }) => {
      const value = lastFinite(values);
      return Number.isFinite(value)
        ? [` ${sentence(name)}, at ${plain(Math.round(10 * (times.at(-1) ?? 0)) / 10)} s: ${of} ${spec.show(value)}.`]
        : [];
    })
    .join('');
}
