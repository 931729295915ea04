// A race: several settings of the policies on the same requests, with several seeds, in as many workers as there are cores.
import { createSignal, onCleanup } from 'solid-js';
import type { Json } from '../../base/json.ts';
import { readDocument, writeDocument } from '../../base/text.ts';
import type { CaseText, RaceEntry, RaceRanking, RankBy, RunRow, View } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import { type Client, RefusedError } from '../../sim/client.ts';
import { ManyRuns, outcomesOf, type Progress, troubleOf } from './manyRuns.ts';

const PICTURE: View = 'ttft-over-time';

/** An entrant: the scenario with some settings, by path. */
export type Entrant = { readonly name: string; readonly set: Readonly<Record<string, Json>> };

/** The input of a race. */
export type RaceOf = {
  readonly entrants: readonly Entrant[];
  readonly seeds: number;
  /** Whether the oracle runs too: the bound of autoscalers. */
  readonly bounded: boolean;
};

/** A run of the race: its figures, and TTFT over its time as a small picture. */
export type Lap = {
  /** Its place among all runs of the race. */
  readonly number: number;
  readonly name: string;
  /** Whether it is the oracle's. */
  readonly bound: boolean;
  readonly row: RunRow;
  readonly t: Float64Array;
  readonly ttft: Float64Array;
};

/** A run to make. */
type Run = { readonly number: number; readonly of: CaseText; readonly name: string; readonly bound: boolean };

export type Race = ReturnType<typeof createRace>;

/** The scenario of an entrant, whose settings hold from an instant to the end. */
export async function entrantDocument(
  thread: Asking<'compare'>,
  document: Json,
  { set }: Pick<Entrant, 'set'>,
  fromUs = 0,
): Promise<Json> {
  if (Object.keys(set).length === 0) return document;
  return readDocument(await thread.ask('entrant', { scenario: writeDocument(document), set, from_us: fromUs }));
}

/** What is shown of a race. */
function createShown() {
  const [laps, setLaps] = createSignal<readonly Lap[]>([]);
  const [ranking, setRanking] = createSignal<RaceRanking>();
  const [progress, setProgress] = createSignal<Progress>();
  const [running, setRunning] = createSignal(false);
  const [trouble, setTrouble] = createSignal('');
  /** The reason for a missing oracle in a race of autoscalers. */
  const [noOracle, setNoOracle] = createSignal('');
  /** The race on screen, and the scenario that it is of. */
  const [raced, setRaced] = createSignal<Raced>();
  const seen = { laps, ranking, progress, running, trouble, noOracle, raced };
  return {
    seen,
    setLaps,
    setRanking,
    setProgress,
    setRunning,
    setTrouble,
    setNoOracle,
    begin: (next: Raced): void => {
      setLaps([]);
      setRanking(undefined);
      setProgress(undefined);
      setTrouble('');
      setNoOracle('');
      setRaced(next);
    },
  };
}

export function createRace() {
  const { seen, begin, ...set } = createShown();
  const thread = new Asking('compare');
  const runs = new ManyRuns();

  function stop(): void {
    runs.stop();
    set.setRunning(false);
  }
  onCleanup(() => {
    stop();
    thread.end();
  });

  async function start(document: Json, race: RaceOf, by: RankBy): Promise<void> {
    stop();
    begin({ ...race, document });
    set.setRunning(true);
    const beganMs = performance.now();
    try {
      const cases = [
        ...(await casesOf(thread, document, race)),
        ...(race.bounded ? await boundsOf(thread, document, race.seeds, set.setNoOracle) : []),
      ];
      const workers = runs.workersFor(cases.length);
      const tell = (): void => {
        set.setProgress({ done: seen.laps().length, of: cases.length, tookMs: performance.now() - beganMs, workers });
      };
      tell();
      const whole = await runs.all(cases, async (client, next, heard) => {
        const lap = await lapOf(thread, client, next);
        if (!heard()) return;
        set.setLaps((all) => [...all, lap]);
        tell();
        await rank(by);
      });
      if (whole) stop();
    } catch (error) {
      set.setTrouble(troubleOf(error));
      stop();
    }
  }

  /** Ranks the finished runs by a figure. */
  async function rank(by: RankBy): Promise<void> {
    const found = await rankingOf(thread, seen.laps(), by, seen.raced()?.seeds ?? 1);
    if (found) set.setRanking(found);
  }

  /** Shows the runs of a race that was saved. */
  async function show(saved: Raced, laps: readonly Lap[], by: RankBy): Promise<void> {
    stop();
    begin(saved);
    set.setLaps(laps);
    await rank(by);
  }

  /** `thread` also reads and writes the files of studies. */
  return { ...seen, setTrouble: set.setTrouble, start, stop, show, rank: (by: RankBy) => void rank(by), thread };
}

/** A race with the scenario that it is of. */
export type Raced = RaceOf & { readonly document: Json };

/** The runs of all entrants; the problems of an entrant name it. */
async function casesOf(thread: Asking<'compare'>, document: Json, race: RaceOf): Promise<readonly Run[]> {
  const all = await Promise.all(
    race.entrants.map(async (entrant) => {
      try {
        const scenario = writeDocument(await entrantDocument(thread, document, entrant));
        return await thread.ask('cases', { scenario, varied: [], seeds: race.seeds });
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        throw new RefusedError(
          error.diagnostics.map((d) => ({
            ...d,
            path: [entrant.name, d.path].filter((part) => part !== '').join(', '),
          })),
        );
      }
    }),
  );
  return all.flatMap((cases, i) =>
    cases.map((of, k) => ({ number: i * race.seeds + k, of, name: race.entrants[i]?.name ?? '', bound: false })),
  );
}

/** The runs of the oracle; none, with the reason reported, if it has no answer. */
async function boundsOf(
  thread: Asking<'compare'>,
  document: Json,
  seeds: number,
  setWhyNot: (why: string) => void,
): Promise<readonly Run[]> {
  try {
    const scenario = await thread.ask('oracle', writeDocument(document));
    if (scenario === null) return [];
    const all = await thread.ask('cases', { scenario, varied: [], seeds });
    return all.map((of) => ({ number: of.number, of, name: 'oracle', bound: true }));
  } catch (error) {
    setWhyNot(troubleOf(error));
    return [];
  }
}

/** A run of the race, made in a worker. */
async function lapOf(
  thread: Asking<'compare'>,
  client: Client,
  { number, of: { scenario }, name, bound }: Run,
): Promise<Lap> {
  const outcomes = await outcomesOf(client, scenario);
  const [picture] = await client.columns([PICTURE]);
  const column = (of: string): Float64Array => picture?.columns[picture.names.indexOf(of)] ?? new Float64Array();
  const row = await thread.ask('row', outcomes);
  return { number, name, bound, row, t: column('t_s'), ttft: column('p99_ms') };
}

/** The finished runs, ranked by a figure; `undefined` before the first. */
async function rankingOf(
  thread: Asking<'compare'>,
  laps: readonly Lap[],
  by: RankBy,
  seeds: number,
): Promise<RaceRanking | undefined> {
  const inOrder = laps.toSorted((x, y) => x.number - y.number);
  const entries: RaceEntry[] = inOrder.filter((lap) => !lap.bound).map(({ name, row }) => ({ name, run: row }));
  const bound = inOrder.filter((lap) => lap.bound).map((lap) => lap.row);
  return entries.length > 0 ? thread.ask('rank', { entries, bound, by, seeds }) : undefined;
}
