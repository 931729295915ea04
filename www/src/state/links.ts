// Links: the one in the address bar follows what is on screen, one that is given is opened.
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup, type Setter, untrack } from 'solid-js';
import { getAt, type Json } from '../base/json.ts';
import { writeDocument } from '../base/text.ts';
import { trust } from '../base/trust.ts';
import type { Selection } from '../base/view.ts';
import type {
  DescribedModel,
  Diagnostic,
  ExpressionReading,
  Frame,
  LinkAsked,
  LinkView,
  MadeLink,
  OpenedLink,
  TraceSummary,
} from '../generated/boundary.ts';
import { Asking } from '../sim/asking.ts';
import type { LinkAnswers, LinkQuestion } from '../sim/linkProtocol.ts';
import type { LinkWorker } from '../sim/spawnLinks.ts';
import type { Beside } from './compare.ts';
import { isLinkText } from './linkText.ts';
import type { Notice } from './notices.ts';

/** How long nothing may have changed before the address bar is written. */
const REST_MS = 600;
/** How often it is written while the run plays. */
const PLAYING_MS = 5000;
/** Where a scenario is kept that no link holds, or none yet, until the tab is closed. */
const KEPT = 'scenario';

/** What became of a link that is not opened as it was made. */
export type LinkTrouble = {
  readonly problems: readonly Diagnostic[];
  /** What it carries, if that waits for a file. */
  readonly waits: OpenedLink | undefined;
};

/** The part of the page's state that links read and set. */
type PageState = {
  readonly document: Accessor<Json>;
  /** The scenario as it was opened, and its name. */
  readonly original: Accessor<Json>;
  readonly name: Accessor<string>;
  /** Opens what was kept of a scenario without a link; the first one where nothing was. */
  readonly openUnlinked: (kept: Kept | undefined) => Promise<void>;
  readonly trace: Accessor<TraceSummary | undefined>;
  readonly setTrace: Setter<TraceSummary | undefined>;
  /** The second run that the address carries too. */
  readonly beside: Accessor<Beside | undefined>;
  /** Lists a second run beside the one that was opened. */
  readonly addSecondRun: (name: string, scenario: string) => void;
  readonly frame: Accessor<Frame | undefined>;
  readonly playsOn: Accessor<boolean>;
  /** Whether the run is where it was taken. */
  readonly rests: Accessor<boolean>;
  readonly selected: Accessor<Selection>;
  readonly speed: Accessor<number>;
  readonly firstSpeed: number;
  readonly panel: Accessor<string | undefined>;
  readonly setNotice: Setter<Notice | undefined>;
  /** Loads a scenario; false where it is refused. */
  readonly open: (
    text: string,
    name: string,
    useTrace: boolean,
    link: { atUs?: number; original?: string },
  ) => Promise<boolean>;
  /** Puts the page where a link's view has it. */
  readonly look: (view: LinkView) => void;
  readonly pause: () => void;
  readonly goOn: (toUs: number) => void;
  /** Reads a trace file; `undefined` where it cannot be used. */
  readonly readTrace: (file: File) => Promise<TraceSummary | undefined>;
};

export type Links = ReturnType<typeof createLinks>;

export function createLinks(spawn: () => LinkWorker, page: PageState) {
  const thread = new Asking<LinkQuestion, LinkAnswers>(spawn);
  const [trouble, setTrouble] = createSignal<LinkTrouble>();
  const [sharing, setSharing] = createSignal(false);
  /** The charts that a page within another one shows. */
  const [embed, setEmbed] = createSignal<readonly string[]>();
  /** Whether the address bar has begun to follow: not before a scenario is on screen. */
  const [follows, setFollows] = createSignal(false);
  /** What the address said already when it began to follow, known once the run rests there; `undefined` from the first change on. */
  let said: { readonly document: Json; text: string | undefined } | undefined;
  let written = location.hash;
  /** The document that was on screen when the address was looked at last. */
  let seen: Json;
  /** Whether what is being opened has an entry of the history already: the browser went to it. */
  let travels = false;

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

  /** The link of what is on screen, with or without how it is looked at. */
  function make(options: {
    readonly withView: boolean;
    readonly embed?: readonly string[];
    /** A second run that the link carries too. */
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

  /** A report with the link of what ran, as the command line prints it; without one where there can be none. */
  async function linked(report: string): Promise<string> {
    const made = await make({ withView: false }).catch(() => null);
    return made ? thread.ask({ kind: 'report', report, link: made.link }) : report;
  }

  // ---- opening -----------------------------------------------------------------------------------------------------

  /** Opens what a link carries; what of it could not be used is told in a dialog. */
  async function open(text: string): Promise<void> {
    try {
      await show(await thread.ask({ kind: 'open', text }));
    } catch (error) {
      const told = error instanceof Error ? error.message : String(error);
      page.setNotice({ kind: 'problem', text: `The link could not be opened: ${told}` });
    }
  }

  async function show(link: OpenedLink): Promise<void> {
    if (link.embed) setEmbed(link.embed);
    if (link.trace) {
      setTrouble({ problems: link.problems, waits: link });
      return;
    }
    await load(link, false);
    setTrouble(link.problems.length > 0 ? { problems: link.problems, waits: undefined } : undefined);
  }

  async function load(link: OpenedLink, useTrace: boolean): Promise<boolean> {
    const { view: seen, original } = link;
    const name = link.preset === '' || original === null ? 'link' : link.preset;
    const done = await page.open(link.scenario, name, useTrace, {
      ...(seen.at_us === null ? {} : { atUs: seen.at_us }),
      ...(original === null || useTrace ? {} : { original }),
    });
    if (done) {
      if (link.beside) page.addSecondRun(link.beside.name, link.beside.scenario);
      page.look(seen);
      askBeyond(link);
    }
    return done;
  }

  /** The way to a link's instant ends after so many events, unless the reader wants to go on. */
  const [bound, setBound] = createSignal<{ readonly toUs: number; readonly events: number }>();
  function askBeyond(link: OpenedLink): void {
    setBound({ toUs: link.view.at_us ?? 0, events: link.events_unasked });
  }
  createEffect(
    on(page.frame, (frame) => {
      const limit = bound();
      if (!limit || !frame) return;
      if (frame.now_us >= limit.toUs || frame.finished || page.playsOn()) setBound(undefined);
      else if (frame.events > limit.events) {
        setBound(undefined);
        page.pause();
        const seconds = limit.toUs / 1e6;
        page.setNotice({
          kind: 'ask',
          text: `The link opens at ${seconds} s. ${frame.events.toLocaleString('en')} events have brought it to ${Math.floor(frame.now_us / 1e6)} s; the rest may take a while.`,
          action: `Go on to ${seconds} s`,
          run: () => page.goOn(limit.toUs),
        });
      }
    }),
  );

  /** Takes the file of the trace that a link waits for. */
  async function giveTrace(file: File): Promise<void> {
    const waits = untrack(trouble)?.waits;
    if (!waits?.trace) return;
    const summary = await page.readTrace(file);
    if (!summary) return;
    const { requests: rows, digest } = summary;
    const wrong = await thread.ask({ kind: 'trace', mark: waits.trace, rows, digest });
    if (wrong) {
      setTrouble({ problems: [...waits.problems, wrong], waits });
      return;
    }
    page.setTrace(summary);
    if (await load(waits, true)) {
      setTrouble(waits.problems.length > 0 ? { problems: waits.problems, waits: undefined } : undefined);
    }
  }

  // ---- the history -------------------------------------------------------------------------------------------------

  /** Opens a scenario with an entry of the history of its own; the one before keeps what is left, which its link may not say yet. */
  async function entering(opens: () => Promise<boolean>): Promise<boolean> {
    if (!untrack(follows) || travels || untrack(embed)) return opens();
    // A trace has to be asked for: its link does.
    const left = page.trace() ? null : { [KEPT]: onScreen() };
    if (!(await opens())) return false;
    unlessDenied(() => {
      history.replaceState(left, '');
      history.pushState(null, '');
    });
    void write();
    return true;
  }

  /** Writes a link into the address. What no link can hold is kept beside it. */
  function put(made: MadeLink | null, text: string): void {
    const link = made?.link ?? '';
    written = link;
    const address = link === '' ? location.pathname + location.search : link;
    unlessDenied(() => history.replaceState(made ? null : { [KEPT]: text }, '', address));
  }

  // ---- the address bar ---------------------------------------------------------------------------------------------

  const key = createMemo(() => {
    const atUs = page.playsOn() ? undefined : page.frame()?.now_us;
    return [page.document(), atUs, page.speed(), page.selected(), page.panel(), page.trace(), page.beside()];
  });

  let timer: ReturnType<typeof setTimeout> | undefined;
  function soon(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void write(), ms);
  }

  let writing = false;
  let again = false;
  async function write(): Promise<void> {
    if (writing) {
      again = true;
      return;
    }
    writing = true;
    try {
      await writeOnce();
    } catch {
      // Without the module of links, such as without a network, the address stays as it is.
    }
    writing = false;
    if (again) {
      again = false;
      void write();
    }
  }

  /** Whether what is on screen is another than the address has said since it began to follow. */
  function changedSince(): boolean {
    const now = onScreen();
    return !(said?.document === page.document() && !page.playsOn() && (said.text ?? now) === now);
  }

  async function writeOnce(): Promise<void> {
    if (!changedSince()) return;
    const now = onScreen();
    said = undefined;
    const [document, beside] = [page.document(), page.beside()];
    const before = location.hash;
    const made = await make(embed() ? { withView: true, embed: embed() ?? [] } : { withView: true, beside });
    // A link that came meanwhile is not written over: it is yet to be opened.
    if (location.hash !== before) return;
    if ((made?.link ?? '') !== before) put(made, now);
    // What was edited meanwhile stays kept until its own link is written.
    if (page.document() !== document) keep(onScreen());
    else keep(made ? undefined : now);
  }

  const onScreen = (): string =>
    JSON.stringify([page.document(), view(), page.name(), page.original(), page.beside()?.document]);

  /** From now on the address follows. What is on screen once the run rests is what it says already, unless it `lacks` something. */
  function follow(lacks = false): void {
    seen = page.document();
    said = lacks ? undefined : { document: seen, text: undefined };
    setFollows(true);
  }
  createEffect(() => {
    if (!follows()) return;
    key();
    // A link takes a moment to be written; a reload that comes before finds what was edited. A trace would have to be asked for.
    if (page.document() !== seen && !embed() && !page.trace()) untrack(() => keep(onScreen()));
    seen = page.document();
    if (said && page.frame() && page.rests()) said.text ??= untrack(onScreen);
    if (page.playsOn()) {
      const each = setInterval(() => void write(), PLAYING_MS);
      onCleanup(() => clearInterval(each));
    }
    soon(REST_MS);
  });

  const changed = (): void => {
    if (location.hash === written) return;
    void travel(undefined);
  };
  const went = ({ state }: PopStateEvent): void => {
    const left = keptIn(trust<Record<string, unknown> | null>(state)?.[KEPT]);
    if (left) void travel(left);
  };
  /** Opens what the browser's history went to: as it was left, else by its link, else what the page begins with. */
  async function travel(left: Kept | undefined): Promise<void> {
    written = location.hash;
    travels = true;
    try {
      if (!left && location.hash.length > 1) await open(location.hash);
      else await page.openUnlinked(left);
    } finally {
      travels = false;
    }
    follow(left !== undefined);
  }
  const pasted = (event: ClipboardEvent): void => {
    const target = event.target instanceof Element ? event.target : undefined;
    if (target?.closest('input, textarea, [contenteditable]')) return;
    const text = event.clipboardData?.getData('text/plain').trim() ?? '';
    if (!isLinkText(text)) return;
    event.preventDefault();
    void open(text);
  };
  window.addEventListener('popstate', went);
  window.addEventListener('hashchange', changed);
  window.addEventListener('paste', pasted);
  onCleanup(() => {
    window.removeEventListener('popstate', went);
    window.removeEventListener('hashchange', changed);
    window.removeEventListener('paste', pasted);
    clearTimeout(timer);
    thread.end();
  });

  return {
    entering,
    /** What is wrong with an expression, and what the word at the caret could become. */
    readExpression: (text: string, caret: number): Promise<ExpressionReading> =>
      thread.ask({ kind: 'read-expression', text, caret }),
    /** A scorer of a weighted router as an expression; `null` where it is none. */
    asExpression: (weighted: Json, index: number): Promise<string | null> =>
      thread.ask({ kind: 'as-expression', weighted: JSON.stringify(weighted), index }),
    /** The shape of the model that a Hugging Face config.json describes. */
    architecture: (text: string): Promise<DescribedModel> => thread.ask({ kind: 'architecture', text }),
    make,
    linked,
    /** What a link carries, with nothing of it opened. */
    read: (text: string): Promise<OpenedLink> => thread.ask({ kind: 'open', text }),
    open,
    giveTrace,
    trouble,
    setTrouble,
    sharing,
    setSharing,
    embed,
    follow,
  };
}

/** The file of the trace that a document replays. */
function traceFile(document: Json): string | undefined {
  const file = getAt(document, 'workload.trace.file');
  return typeof file === 'string' ? file : undefined;
}

function unlessDenied<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // Storage and history can be forbidden or full: the scenario then lasts until the page is left.
    return undefined;
  }
}

/** Keeps what the address does not say, with the address that it goes with. */
function keep(text: string | undefined): void {
  unlessDenied(() => {
    if (text === undefined) sessionStorage.removeItem(KEPT);
    else sessionStorage.setItem(KEPT, `${location.hash}\n${text}`);
  });
}

/** A scenario that no link holds, or none yet, and how it was looked at. */
export type Kept = {
  readonly scenario: string;
  readonly view: LinkView;
  readonly name: string;
  readonly original: string;
};

function keptIn(text: unknown): Kept | undefined {
  if (typeof text !== 'string') return undefined;
  return unlessDenied(() => {
    const [scenario, view, name, original] = trust<[Json, LinkView, string, Json]>(JSON.parse(text));
    return { scenario: writeDocument(scenario), view, name, original: writeDocument(original) };
  });
}

/** What was kept that the address does not say. */
export function kept(): Kept | undefined {
  return unlessDenied(() => {
    const text = sessionStorage.getItem(KEPT);
    if (text === null) return undefined;
    const end = text.indexOf('\n');
    return text.slice(0, end) === location.hash ? keptIn(text.slice(end + 1)) : undefined;
  });
}
