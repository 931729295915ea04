// The address bar follows the screen, and entries of the browser's history are opened.
import { type Accessor, createEffect, createMemo, createSignal, onCleanup, untrack } from 'solid-js';
import type { Json } from '../../base/json.ts';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { trust } from '../../base/trust.ts';
import type { MadeLink } from '../../generated/boundary.ts';
import { learning, lesson, lessonLink } from '../lessons/lesson.ts';
import { studyInLink } from '../studies/studyLink.ts';
import type { Making } from './linkMaking.ts';
import type { PageState } from './linkPage.ts';
import { isLinkText } from './linkText.ts';
import { drawn } from './linkView.ts';
import { KEPT, type Kept, keep, keptIn, unlessDenied } from './tabStorage.ts';

/** The time without changes before the address bar is written. */
const REST_MS = 600;
/** The interval of writes while the run plays. */
const PLAYING_MS = 5000;

/** The charts that a page within another one shows. */
type Embed = Accessor<readonly string[] | undefined>;

export type Writing = ReturnType<typeof createWriting>;

/** Writes the link of the run on screen into the address. */
export function createWriting({ make, view }: Making, page: PageState, embed: Embed) {
  /**
   * The view that the address already described when it began to follow, known once the run rests there; `undefined`
   * from the first change on.
   */
  let said: { readonly document: Json; text: string | undefined } | undefined;
  let written = location.hash;

  const onScreen = (): string =>
    JSON.stringify([page.document(), view(), page.name(), page.original(), page.beside()?.document, lessonLink()]);

  /** Writes a link into the address. Anything that no link can hold is kept beside it. */
  function put(made: Pick<MadeLink, 'link'> | null, text: string): void {
    const link = made?.link ?? '';
    written = link;
    const address = link === '' ? location.pathname + location.search : link;
    unlessDenied(() => history.replaceState(made ? null : { [KEPT]: text }, '', address));
  }

  /** Whether the screen differs from the address as it was when it began to follow. */
  function changedSince(): boolean {
    const now = onScreen();
    return !(said?.document === page.document() && !page.playsOn() && (said.text ?? now) === now);
  }

  async function writeOnce(): Promise<void> {
    // The view of lessons has an address of its own.
    if (learning() || !changedSince()) return;
    const now = onScreen();
    said = undefined;
    const [document, beside] = [page.document(), page.beside()];
    const before = location.hash;
    const link = lessonLink();
    const made =
      link === undefined
        ? await make(embed() ? { withView: true, embed: embed() ?? [] } : { withView: true, beside })
        : { link };
    // A link that came meanwhile is not overwritten: it has still to be opened.
    if (location.hash !== before) return;
    if ((made?.link ?? '') !== before) put(made, now);
    // Edits made meanwhile stay kept until their own link is written.
    if (page.document() !== document) keep(onScreen());
    else keep(made ? undefined : now);
  }

  return {
    // Without the module of links, such as without a network, the address stays as it is.
    write: oneAtATime(writeOnce),
    onScreen,
    /** Whether the address is the one written or opened last. */
    isWritten: () => location.hash === written,
    /** Records that the link in the address is being opened. */
    adopt: () => {
      written = location.hash;
    },
    /** Records that the address already describes `document`, or lacks something of it. */
    begin: (document: Json, lacks: boolean) => {
      said = lacks ? undefined : { document, text: undefined };
    },
    /** Whether the address describes the screen once the run rests. */
    awaitsRest: () => said !== undefined,
    /** Records, once the run rests, that the address describes the screen. */
    rests: () => {
      if (said) said.text ??= untrack(onScreen);
    },
  };
}

export type Following = ReturnType<typeof createFollowing>;

/** Writes the address whenever the screen has changed. */
export function createFollowing({ write, onScreen, begin, awaitsRest, rests }: Writing, page: PageState, embed: Embed) {
  /** Whether the address bar has begun to follow: not before a scenario is on screen. */
  const [follows, setFollows] = createSignal(false);
  /** The document on screen when the address was last checked. */
  let seen: Json;
  const key = createMemo(() => {
    const atUs = page.playsOn() ? undefined : page.frame()?.now_us;
    return [
      page.document(),
      atUs,
      page.speed(),
      page.selected(),
      page.panel(),
      page.trace(),
      page.beside(),
      drawn(),
      studyInLink(),
      lessonLink(),
    ];
  });

  let timer: ReturnType<typeof setTimeout> | undefined;
  function soon(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(write, ms);
  }
  onCleanup(() => clearTimeout(timer));

  /**
   * From now on the address follows. It already describes the screen once the run rests, unless it `lacks` something.
   */
  function follow(lacks = false): void {
    seen = page.document();
    begin(seen, lacks);
    setFollows(true);
  }
  createEffect(() => {
    if (!follows()) return;
    key();
    // Writing a link takes a moment; a reload before that finds the kept edits. A trace would have to be requested
    // again.
    if (page.document() !== seen && !embed() && !page.trace()) untrack(() => keep(onScreen()));
    seen = page.document();
    if (awaitsRest() && page.frame() && page.rests()) rests();
    if (page.playsOn()) {
      const each = setInterval(write, PLAYING_MS);
      onCleanup(() => clearInterval(each));
    }
    soon(REST_MS);
  });

  return { follow, follows };
}

/**
 * Opens links that the browser navigates to or that are pasted, and makes a history entry for scenarios opened
 * otherwise.
 */
export function createEntries(
  { write, onScreen, isWritten, adopt }: Writing,
  { follow, follows }: Following,
  page: PageState,
  embed: Embed,
  open: (link: string) => Promise<void>,
) {
  /** Whether the scenario being opened already has a history entry, because the browser navigated to it. */
  let travels = false;

  /**
   * Opens a scenario with its own history entry; the previous entry keeps the scenario left, which its link may not
   * describe yet.
   */
  async function entering(opens: () => Promise<boolean>): Promise<boolean> {
    // The steps of a lesson make no entries.
    if (!untrack(follows) || travels || untrack(embed) || untrack(lesson)) return opens();
    // A trace has to be requested from the user, which its link does.
    const left = page.trace() ? null : { [KEPT]: onScreen() };
    if (!(await opens())) return false;
    unlessDenied(() => {
      history.replaceState(left, '');
      history.pushState(null, '');
    });
    write();
    return true;
  }

  const changed = (): void => {
    if (!isWritten()) void travel(undefined);
  };
  const went = ({ state }: PopStateEvent): void => {
    const left = keptIn(trust<Record<string, unknown> | null>(state)?.[KEPT]);
    if (left) void travel(left);
  };
  /**
   * Opens the history entry that the browser went to: as it was left, else by its link, else the first scenario of the
   * page.
   */
  async function travel(left: Kept | undefined): Promise<void> {
    adopt();
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
  });
  return entering;
}
