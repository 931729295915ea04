// Laws of queueing theory beside runs, computed in their own thread, which starts with the first question.
import type { Json } from '../../base/json.ts';
import { writeDocument } from '../../base/text.ts';
import type { CaseTheory, TheoryOfRun } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';

const thread = new Asking('theory');

/** A run, and the outcomes of its requests. */
export type TheoryRun = { readonly document: Json; readonly outcomes: Uint8Array };

/** The laws beside a run; `law` is the name of one, or empty for the best one. */
export function theoryOfRun(run: TheoryRun, law: string): Promise<TheoryOfRun> {
  return thread.ask('run', { scenario: writeDocument(run.document), outcomes: run.outcomes, law });
}

/** The predictions of a law for each case of a sweep, by the values of the case. */
export async function theoryOfSweep(
  document: Json,
  varied: readonly string[],
  law: string,
): Promise<ReadonlyMap<string, CaseTheory>> {
  const compare = new Asking('compare');
  try {
    const cases = await compare.ask('cases', { scenario: writeDocument(document), varied, seeds: 1 });
    const found = await thread.ask('cases', { scenarios: cases.map((c) => c.scenario), law });
    return new Map(cases.flatMap((c, i) => (found[i] ? [[c.values.join(), found[i]]] : [])));
  } finally {
    compare.end();
  }
}
