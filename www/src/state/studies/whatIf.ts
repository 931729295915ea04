// Questions about the run on screen, answered by another thread: alternatives of a decision, and why slow requests are
// slow.

import { child, getAt, type Json, setAt } from '../../base/json.ts';
import { writeDocument } from '../../base/text.ts';
import type { ExplainQuery, Explanation, WhatIf, WhatIfQuery } from '../../generated/boundary.ts';
import { LostError, RefusedError } from '../../sim/client.ts';
import { spawnWhatIf, WhatIfClient } from '../../sim/whatIfClient.ts';
import type { AskedRun } from '../../sim/whatIfProtocol.ts';
import type { App } from '../app.ts';

/** One thread for all questions; it keeps the run of the latest question. */
const thread = new WhatIfClient(spawnWhatIf);

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
  void answered(thread.ask({ kind: 'prepare', run: runOf(app), query })).finally(() => {
    preparing = false;
  });
}

export function askWhatIf(app: Pick<App, 'document'>, query: WhatIfQuery): Promise<Answer<WhatIf>> {
  return answered(thread.ask({ kind: 'what-if', run: runOf(app), query }));
}

export function askWhy(app: Pick<App, 'document'>, query: ExplainQuery): Promise<Answer<Explanation>> {
  return answered(thread.ask({ kind: 'explain', run: runOf(app), query }));
}

/** The same as Markdown. */
export function askWhyAsMarkdown(app: Pick<App, 'document'>, query: ExplainQuery): Promise<Answer<string>> {
  return answered(thread.ask({ kind: 'explain-markdown', run: runOf(app), query }));
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
