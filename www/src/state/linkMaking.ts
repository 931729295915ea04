// Making links: of the run on screen and its view, and in a report.
import { getAt, type Json } from '../base/json.ts';
import { writeDocument } from '../base/text.ts';
import type { LinkAsked, LinkView, MadeLink } from '../generated/boundary.ts';
import type { Asking } from '../sim/asking.ts';
import type { LinkAnswers, LinkQuestion } from '../sim/linkProtocol.ts';
import type { Beside } from './compare.ts';
import type { PageState } from './linkPage.ts';

export type Making = ReturnType<typeof createMaking>;

export function createMaking(thread: Asking<LinkQuestion, LinkAnswers>, page: PageState) {
  function view(): LinkView {
    const { request, replica } = page.selected();
    const selection = request !== undefined ? { request } : replica !== undefined ? { replica } : null;
    const speed = page.speed();
    return {
      at_us: page.frame()?.now_us ?? null,
      speed: speed === page.firstSpeed ? null : Number.isFinite(speed) ? speed : 0,
      selection,
      panel: page.panel() ?? null,
    };
  }

  /** The link of the run on screen, with or without its view. */
  function make(options: {
    readonly withView: boolean;
    readonly embed?: readonly string[];
    /** A second run in the link. */
    readonly beside?: Beside | undefined;
  }): Promise<MadeLink | null> {
    const { beside } = options;
    const trace = page.trace();
    const file = traceFile(page.document());
    const asked: LinkAsked = {
      view: options.withView ? view() : { at_us: null, speed: null, selection: null, panel: null },
      trace: trace && file !== undefined ? { name: file, rows: trace.requests, digest: trace.digest } : null,
      embed: options.embed ? [...options.embed] : null,
      beside: beside?.name ?? null,
    };
    const second = beside === undefined ? undefined : writeDocument(beside.document);
    return thread.ask({ kind: 'make', scenario: writeDocument(page.document()), asked, beside: second });
  }

  /** A report with the link of its run, as the command line prints it; without a link if none is possible. */
  async function linked(report: string): Promise<string> {
    const made = await make({ withView: false }).catch(() => null);
    return made ? thread.ask({ kind: 'report', report, link: made.link }) : report;
  }

  return { view, make, linked };
}

/** The file of the trace that a document replays. */
function traceFile(document: Json): string | undefined {
  const file = getAt(document, 'workload.trace.file');
  return typeof file === 'string' ? file : undefined;
}
