// Opening links: loads the contents, reports unusable parts, and requests a trace from the user.
import { createEffect, createSignal, on, untrack } from 'solid-js';
import type { LinkResult, OpenedLink } from '../../generated/boundary.ts';
import type { Asking } from '../../sim/asking.ts';
import { setLearning } from '../lessons/lesson.ts';
import type { LinkTrouble, PageState } from './linkPage.ts';
import { isLessonLink, LEARN } from './linkText.ts';

export function createLinkOpening(
  thread: Asking<'links'>,
  page: PageState,
  resultNow: () => Promise<LinkResult | undefined>,
) {
  const [trouble, setTrouble] = createSignal<LinkTrouble>();
  /** The charts that a page within another one shows. */
  const [embed, setEmbed] = createSignal<readonly string[]>();
  const askBeyond = createBound(page);

  /** Opens the contents of a link; a dialog reports unusable parts. */
  async function open(text: string): Promise<void> {
    if (setLearning(text === LEARN)) return;
    try {
      if (isLessonLink(text)) await page.openLesson(text);
      else await show(await thread.ask('open', text));
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
      const { at_us: atUs, result } = seen;
      if (atUs !== null && result)
        void import('./resultCheck.ts').then(({ compareResult }) => compareResult(page, resultNow, atUs, result));
    }
    return done;
  }

  /** Takes the file of the trace that a link waits for; false if it is a different one, or the link is refused. */
  async function giveTrace(file: File): Promise<boolean> {
    const waits = untrack(trouble)?.waits;
    if (!waits?.trace) return false;
    const summary = await page.readTrace(file);
    if (!summary) return false;
    const { requests: rows, digest } = summary;
    const wrong = await thread.ask('trace', { mark: waits.trace, rows, digest });
    if (wrong) {
      setTrouble({ problems: [...waits.problems, wrong], waits });
      return false;
    }
    page.setTrace(summary);
    if (!(await load(waits, true))) return false;
    setTrouble(waits.problems.length > 0 ? { problems: waits.problems, waits: undefined } : undefined);
    return true;
  }

  return { open, giveTrace, trouble, setTrouble, embed };
}

/** The seek to a link's instant stops after this many events, unless the user continues. */
function createBound(page: PageState): (link: OpenedLink) => void {
  const [bound, setBound] = createSignal<{ readonly toUs: number; readonly events: number }>();
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
          text: `The link opens at ${seconds} s. ${frame.events.toLocaleString('en')} events were simulated up to ${Math.floor(frame.now_us / 1e6)} s; the rest may take a while.`,
          action: `Continue to ${seconds} s`,
          run: () => page.goOn(limit.toUs),
        });
      }
    }),
  );
  return (link) => setBound({ toUs: link.view.at_us ?? 0, events: link.events_unasked });
}
