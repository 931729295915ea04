// The thread in which a lesson is open. A lesson that is refused leaves the open one as it is: each is read in a thread
// of its own.
import type { LessonRead } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';

let thread: Asking<'compare'> | undefined;

/** The thread in which the open lesson is open. */
export function lessonThread(): Asking<'compare'> {
  if (thread) return thread;
  throw new Error('no lesson is open');
}

/** Reads a lesson, JSON text, in a thread that then is that of the open lesson; throws the diagnostics of a bad one. */
export async function readLesson(text: string): Promise<LessonRead> {
  const next = new Asking('compare');
  try {
    const read = await next.ask('lesson', text);
    thread?.end();
    thread = next;
    return read;
  } catch (error) {
    next.end();
    throw error;
  }
}

/** Ends the thread of a lesson that is closed. */
export function endLessonThread(): void {
  thread?.end();
  thread = undefined;
}
