// Studies as files: from what is on screen to the file's data, and back.
import type { Json } from '../../base/json.ts';
import type { StudyFile, StudyRow, SweepRow } from '../../generated/boundary.ts';
import { entrantsFrom } from './entrants.ts';
import type { Lap, Raced } from './race.ts';

/** A study that was read from a file, and whether it is as it was written. */
export type OpenedStudy = { readonly study: StudyFile; readonly whole: boolean; readonly name: string };

/** What the program sets when it writes the file. */
const SET_LATER = { tokenyard_study: 0, version: '', digest: '' } as const;

/** Most entrants of a race. */
export const ENTRANTS_MOST = 32;
/** Most points of a small picture in a file. */
const PICTURE_MOST = 1000;

export function raceFile(raced: Raced, laps: readonly Lap[], by: NonNullable<StudyFile['by']>): StudyFile {
  const rows = laps
    .toSorted((x, y) => Number(x.bound) - Number(y.bound) || x.number - y.number)
    .map((lap): StudyRow => {
      const shown = Math.min(lap.t.length, PICTURE_MOST);
      return {
        name: lap.name,
        ...(lap.bound ? { bound: true } : {}),
        run: lap.row,
        t_s: [...lap.t.subarray(0, shown)],
        ttft_p99_ms: [...lap.ttft.subarray(0, shown)].map((v) => (Number.isFinite(v) ? v : null)),
      };
    });
  return {
    ...SET_LATER,
    kind: 'race',
    scenario: raced.document,
    seeds: raced.seeds,
    by,
    entrants: raced.entrants.map(({ name, set }) => ({ name, set: { ...set } })),
    ...(raced.bounded ? { bounded: true } : {}),
    rows,
  };
}

/** The race of a file; `undefined` if it is another study. */
export function raceOfFile(study: StudyFile): { readonly raced: Raced; readonly laps: readonly Lap[] } | undefined {
  const document = jsonOf(study.scenario);
  if (study.kind !== 'race' || document === undefined) return undefined;
  const entrants = entrantsFrom(jsonOf(study.entrants ?? []), ENTRANTS_MOST);
  const seen = new Map<string, number>();
  const laps = study.rows.map((row): Lap => {
    const key = `${row.bound === true} ${row.name}`;
    const k = seen.get(key) ?? 0;
    seen.set(key, k + 1);
    const place = entrants.findIndex(({ name }) => name === row.name);
    return {
      number: row.bound ? k : Math.max(0, place) * study.seeds + k,
      name: row.name,
      bound: row.bound === true,
      row: row.run,
      t: Float64Array.from(row.t_s ?? []),
      ttft: Float64Array.from(row.ttft_p99_ms ?? [], (v) => v ?? Number.NaN),
    };
  });
  return { raced: { document, entrants, seeds: study.seeds, bounded: study.bounded === true }, laps };
}

/** A sweep with its axis and the arguments of `--vary`. */
export type Swept = {
  readonly document: Json;
  readonly axis: NonNullable<StudyFile['axis']>;
  readonly varied: readonly string[];
  readonly seeds: number;
};

export function sweepFile(swept: Swept, rows: readonly SweepRow[]): StudyFile {
  return {
    ...SET_LATER,
    kind: 'sweep',
    scenario: swept.document,
    seeds: swept.seeds,
    axis: { ...swept.axis },
    varied: [...swept.varied],
    rows: rows.map(({ values, run }) => ({ name: '', values, run })),
  };
}

export function sweepOfFile(
  study: StudyFile,
): { readonly swept: Swept; readonly rows: readonly SweepRow[] } | undefined {
  const document = jsonOf(study.scenario);
  if (study.kind !== 'sweep' || !study.axis || document === undefined) return undefined;
  const { axis, seeds } = study;
  const rows = study.rows.map(({ values, run }) => ({ values: values ?? [], run }));
  return { swept: { document, axis, varied: study.varied ?? [], seeds }, rows };
}

/** Data of the boundary as a document: it came from JSON. */
export function jsonOf(value: unknown): Json | undefined {
  if (value === undefined) return undefined;
  const read: Json = JSON.parse(JSON.stringify(value));
  return read;
}
