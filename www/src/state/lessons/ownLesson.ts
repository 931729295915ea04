// A lesson of a file before it plays: the engine makes its runs over all seeds and says which claims hold. Loaded with the
// list of lessons.
import { type Accessor, createSignal } from 'solid-js';
import { readYaml } from '../../base/yaml.ts';
import type { CaseFigures, ClaimVerdict, LessonCase, LessonClaim, LessonRead } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import { type Client, RefusedError } from '../../sim/client.ts';
import { ManyRuns, troubleOf } from '../studies/manyRuns.ts';

export type LessonFile = { readonly name: string; readonly text: string };

/** A claim that does not hold. */
export type Fault = { readonly step: number; readonly claim: LessonClaim; readonly verdict: ClaimVerdict };

export type OwnCheck = { readonly file: LessonFile } & (
  | { readonly state: 'running'; readonly seeds: number; readonly of: number }
  /** It cannot be read, or its runs cannot be made. */
  | { readonly state: 'refused'; readonly problems: readonly string[] }
  | { readonly state: 'failed'; readonly faults: readonly Fault[]; readonly seeds: number }
);

const END_OF_TIME = Number.MAX_SAFE_INTEGER;

type Job = { readonly step: number; readonly one: LessonCase };

/** How many seeds have run completely: those before the first that has not. */
export function wholeSeeds(jobs: readonly Job[], ended: ReadonlySet<Job>): number {
  const missing = jobs.filter((job) => !ended.has(job)).map(({ one }) => one.seed);
  return missing.length === 0 ? Infinity : Math.min(...missing);
}

async function figuresOf(client: Client, one: LessonCase): Promise<CaseFigures> {
  const id = { run: 1, edit: 0 };
  await client.load(one.scenario, { id, useTrace: false, untilUs: 0, thenPlay: false, keeps: false });
  await client.seek(END_OF_TIME);
  const values = await client.closeUp('figures', one.paths);
  return { run: one.run, seed: one.seed, values };
}

/** The check of one file at a time; `play` opens a lesson whose claims hold. */
export function createOwnCheck(play: (file: LessonFile) => void): {
  readonly check: Accessor<OwnCheck | undefined>;
  readonly start: (file: LessonFile) => Promise<void>;
  readonly cancel: () => void;
} {
  const [check, setCheck] = createSignal<OwnCheck>();
  const runs = new ManyRuns();
  let thread: Asking<'compare'> | undefined;
  /** Counts the files: a file that was given up says nothing more. */
  let turn = 0;

  function cancel(): void {
    turn += 1;
    runs.stop();
    thread?.end();
    thread = undefined;
    setCheck(undefined);
  }

  async function start(file: LessonFile): Promise<void> {
    cancel();
    const mine = turn;
    const asked = new Asking('compare');
    thread = asked;
    const tell = (next: OwnCheck): void => {
      if (mine === turn) setCheck(next);
    };
    try {
      tell({ file, state: 'running', seeds: 0, of: 0 });
      const read = await asked.ask('lesson', JSON.stringify(await readYaml(file.text)));
      const of = read.lesson.seeds || 20;
      const faults = await faultsOf(asked, runs, read, (seeds) =>
        tell({ file, state: 'running', seeds: Math.min(seeds, of), of }),
      );
      if (mine !== turn || faults === undefined) return;
      if (faults.length > 0) tell({ file, state: 'failed', faults, seeds: of });
      else {
        cancel();
        play(file);
      }
    } catch (error) {
      tell({ file, state: 'refused', problems: problemsOf(error) });
    }
  }
  return { check, start, cancel };
}

/** The claims that do not hold; nothing if the runs were given up. */
async function faultsOf(
  thread: Asking<'compare'>,
  runs: ManyRuns,
  read: LessonRead,
  tell: (seeds: number) => void,
): Promise<readonly Fault[] | undefined> {
  const jobs: Job[] = [];
  for (const [step, { claims }] of read.lesson.steps.entries()) {
    if (claims.length === 0) continue;
    const cases = await thread.ask('lesson-cases', step);
    jobs.push(...cases.map((one) => ({ step, one })));
  }
  jobs.sort((a, b) => a.one.seed - b.one.seed);
  const ended = new Set<Job>();
  const figures = new Map<number, CaseFigures[]>();
  const done = await runs.all(jobs, async (client, job) => {
    const found = await figuresOf(client, job.one);
    figures.set(job.step, [...(figures.get(job.step) ?? []), found]);
    ended.add(job);
    tell(wholeSeeds(jobs, ended));
  });
  if (!done) return undefined;
  const faults: Fault[] = [];
  for (const [step, found] of [...figures].sort(([a], [b]) => a - b)) {
    const judged = await thread.ask('lesson-verdict', { step, ended: found });
    for (const [k, verdict] of judged.claims.entries()) {
      const claim = read.lesson.steps[step]?.claims[k];
      if (claim && !verdict.holds) faults.push({ step, claim, verdict });
    }
  }
  return faults;
}

function problemsOf(error: unknown): readonly string[] {
  if (error instanceof RefusedError)
    return error.diagnostics.map(
      (d) => `${d.path === '' ? '' : `${d.path}: `}found ${d.found}; allowed: ${d.allowed}; ${d.fix}`,
    );
  try {
    return [troubleOf(error)];
  } catch {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return [line];
  }
}
