// Making links: of the run on screen and its view, and in a report.
import { getAt, type Json } from '../../base/json.ts';
import { writeDocument } from '../../base/text.ts';
import type { LinkAsked, LinkResult, LinkView, MadeLink } from '../../generated/boundary.ts';
import type { Asking } from '../../sim/asking.ts';
import type { Beside } from '../studies/compare.ts';
import { studyInLink } from '../studies/studyLink.ts';
import type { PageState } from './linkPage.ts';
import { drawn, NO_VIEW } from './linkView.ts';

export type Making = ReturnType<typeof createMaking>;

export function createMaking(thread: Asking<'links'>, page: PageState) {
  function view(): LinkView {
    const { request, replica } = page.selected();
    const selection = request !== undefined ? { request } : replica !== undefined ? { replica } : null;
    const speed = page.speed();
    return {
      ...NO_VIEW,
      ...drawn(),
      at_us: page.frame()?.now_us ?? null,
      speed: speed === page.firstSpeed ? null : Number.isFinite(speed) ? speed : 0,
      selection,
      panel: page.panel() ?? null,
      study: studyInLink() ?? null,
    };
  }

  /** The link of the run on screen, with or without its view. */
  function make(options: {
    readonly withView: boolean;
    readonly embed?: readonly string[];
    /** A second run in the link. */
    readonly beside?: Beside | undefined;
    /** The result at the instant of the view. */
    readonly result?: LinkResult | undefined;
    /** The document, if not the one on screen. */
    readonly document?: Json;
  }): Promise<MadeLink | null> {
    const { beside, result = null, document = page.document() } = options;
    const trace = page.trace();
    const file = traceFile(document);
    const asked: LinkAsked = {
      view: options.withView ? { ...view(), result } : NO_VIEW,
      trace: trace && file !== undefined ? { name: file, rows: trace.requests, digest: trace.digest } : null,
      embed: options.embed ? [...options.embed] : null,
      beside: beside?.name ?? null,
    };
    const second = beside === undefined ? undefined : writeDocument(beside.document);
    return thread.ask('make', { scenario: writeDocument(document), asked, beside: second });
  }

  /** The result at the instant on screen; undefined while the run moves. */
  async function result(): Promise<LinkResult | undefined> {
    if (!page.rests()) return undefined;
    // A run that was stepped may rest between events of one instant; a link opens after all of them.
    await page.settle();
    const { json } = await page.report();
    const digest = await thread.ask('figures', json);
    return digest === null ? undefined : { version: page.version(), digest };
  }

  /** A report with the link of its run, as the command line prints it; without a link if none is possible. */
  async function linked(report: string): Promise<string> {
    const made = await make({ withView: false }).catch(() => null);
    return made ? thread.ask('report', { report, link: made.link }) : report;
  }

  return { view, make, linked, result };
}

/** The file of the trace that a document replays. */
function traceFile(document: Json): string | undefined {
  const file = getAt(document, 'workload.trace.file');
  return typeof file === 'string' ? file : undefined;
}
