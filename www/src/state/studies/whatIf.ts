// Questions about the run on screen, answered by another thread: alternatives of a decision, and why slow requests are
// slow.

import { child, getAt, type Json, setAt } from '../../base/json.ts';
import { writeDocument } from '../../base/text.ts';
import type {
  ExplainQuery,
  Explanation,
  WhatIf,
  WhatIfAnswers,
  WhatIfQuery,
  WhatIfQuestion,
} from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import { LostError, RefusedError } from '../../sim/client.ts';
import type { QueryOf } from '../../sim/packet.ts';
import { readTraceFile } from '../../sim/traceFile.ts';
import type { App } from '../app.ts';

/** One thread for all questions; it keeps the run of the latest question. */
const thread = new Asking('whatIf');

/** A run in question: its scenario as text, and the file of the trace that it replays. */
type AskedRun = { readonly scenario: string; readonly trace: File | undefined };

/** The run that the thread has. */
let given: AskedRun | undefined;
/** Counts the questions that were ended: what was waiting for its trace then is not asked. */
let ended = 0;

function isGiven(run: AskedRun): boolean {
  return given?.scenario === run.scenario && given.trace === run.trace;
}

/** Asks about a run, which the thread takes first unless it has it. */
async function askAbout<K extends keyof WhatIfAnswers>(
  run: AskedRun,
  kind: K,
  query: QueryOf<WhatIfQuestion, K>,
): Promise<WhatIfAnswers[K]> {
  const endedBefore = ended;
  const rows = run.trace && !isGiven(run) ? (await readTraceFile(run.trace, () => {})).packed : undefined;
  if (ended > endedBefore) throw new LostError('ended');
  try {
    // Nothing waits between these two questions, so that none about another run comes between them.
    const taken = isGiven(run) ? undefined : thread.ask('run', { scenario: run.scenario, trace: rows });
    given = run;
    const [answer] = await Promise.all([thread.ask(kind, query), taken]);
    return answer;
  } catch (error) {
    // A thread that has failed has no run any more.
    if (!(error instanceof RefusedError)) given = undefined;
    throw error;
  }
}

/** An answer, or the reason for none. */
export type Answer<T> = { readonly found: T } | { readonly trouble: string };

function runOf(app: Pick<App, 'document'>): AskedRun {
  const replays = getAt(app.document.current(), 'workload.trace') !== undefined;
  return { scenario: writeDocument(app.document.current()), trace: replays ? app.document.traceFile() : undefined };
}

async function answered<T>(asked: Promise<T>): Promise<Answer<T>> {
  try {
    return { found: await asked };
  } catch (error) {
    if (error instanceof RefusedError) {
      return { trouble: error.diagnostics.map((d) => `${d.found}; ${d.allowed}: ${d.fix}`).join(' · ') };
    }
    if (error instanceof LostError) return { trouble: 'Stopped before the answer was ready.' };
    return { trouble: 'The question could not be answered; check the network and the free memory.' };
  }
}

/** Ends the question under way; the next question starts again. */
export function stopAsking(): void {
  ended += 1;
  given = undefined;
  thread.end();
}

/** The most requests so far for which a run is prepared before a question: half a second of work in another thread. */
const MOST_PREPARED = 20_000;
let preparing = false;

/**
 * Loads the code for questions about the present run, and runs it to the present instant. Failures are ignored, because
 * the question itself reports them.
 */
export function prepareWhatIf(app: Pick<App, 'transport' | 'document'>, query: WhatIfQuery): void {
  if (preparing || (app.transport.frame()?.counts.arrived ?? 0) > MOST_PREPARED) return;
  preparing = true;
  void answered(askAbout(runOf(app), 'prepare', query)).finally(() => {
    preparing = false;
  });
}

export function askWhatIf(app: Pick<App, 'document'>, query: WhatIfQuery): Promise<Answer<WhatIf>> {
  return answered(askAbout(runOf(app), 'what-if', query));
}

export function askWhy(app: Pick<App, 'document'>, query: ExplainQuery): Promise<Answer<Explanation>> {
  return answered(askAbout(runOf(app), 'explain', query));
}

/** The same as Markdown. */
export function askWhyAsMarkdown(app: Pick<App, 'document'>, query: ExplainQuery): Promise<Answer<string>> {
  return answered(askAbout(runOf(app), 'explain-markdown', query));
}

/** The document with an edit that sends a request to a replica, instead of any other edit that sends it. */
export function sentElsewhere(document: Json, atUs: number, request: number, to: number): Json {
  const edits = child(document, 'edits');
  const others = (Array.isArray(edits) ? edits : []).filter((edit: Json) => getAt(edit, 'route.request') !== request);
  const place = others.findIndex((edit: Json) => Number(child(edit, 'at_us')) >= atUs);
  const at = place < 0 ? others.length : place;
  return setAt(document, 'edits', [
    ...others.slice(0, at),
    { at_us: atUs, route: { request, to } },
    ...others.slice(at),
  ]);
}
