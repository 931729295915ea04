// The sentences of the polite live region: about a frame, and about changes since an edit. All numbers come from the
// frame.
import { durationUs, text } from '../../base/units.ts';
import type { Frame } from '../../generated/boundary.ts';

export function sentenceOf(frame: Frame): string {
  const { counts } = frame;
  const s = Math.round(frame.now_us / 1e6);
  const state = frame.finished ? 'Finished' : 'At';
  const standing = `${state} ${s} s: ${counts.running} running, ${counts.waiting} waiting${counts.held > 0 ? `, ${counts.held} more waiting at the gateway` : ''}, ${counts.completed} completed`;
  const { ttft } = frame.key;
  return ttft.count === 0 ? `${standing}.` : `${standing}; TTFT p99 ${text(durationUs(ttft.p99_us))}.`;
}

/**
 * The changes between the frame before an edit and one whose window is after it; changes below a twentieth are ignored.
 */
export function sinceEdit(before: Frame, after: Frame): string {
  const [was, now] = [before.key, after.key];
  const parts = [
    compared('p99 TTFT', was.ttft.p99_us, now.ttft.p99_us, (us) => text(durationUs(us))),
    compared('p99 E2E', was.e2e.p99_us, now.e2e.p99_us, (us) => text(durationUs(us))),
    compared('goodput', was.goodput_per_s, now.goodput_per_s, (x) => `${x.toFixed(1)} requests a second`),
  ].filter((part) => part !== '');
  return `Since the edit: ${parts.length === 0 ? 'TTFT, E2E and goodput are unchanged' : parts.join(', ')}.`;
}

function compared(name: string, was: number, now: number, said: (x: number) => string): string {
  if (Math.abs(now - was) <= Math.max(was, now) / 20) return '';
  return `${name} ${now > was ? 'up' : 'down'} from ${said(was)} to ${said(now)}`;
}

/**
 * Announces the effect of each edit once: when the window of the key figures is after the edit, or the run comes to
 * rest.
 */
export class Watcher {
  private passed = 0;
  private latest: Frame | undefined;
  private before: { readonly frame: Frame; readonly atUs: number } | undefined;

  /** The sentence for `frame`, of a run with a number of edits behind the playhead. */
  take(frame: Frame, passed: number): string | undefined {
    const last = this.latest;
    this.latest = frame;
    if (!last || frame.now_us < last.now_us || passed < this.passed) {
      this.passed = passed;
      this.before = undefined;
      return undefined;
    }
    if (passed > this.passed) {
      this.passed = passed;
      this.before ??= { frame: last, atUs: frame.now_us };
    }
    const { before } = this;
    if (!before || frame.now_us < before.atUs + frame.key.window_s * 1e6) return undefined;
    this.before = undefined;
    return sinceEdit(before.frame, frame);
  }
}

/** Announces the effect of an edit, and the state of a resting run. `what` names the run, its edits and the instant. */
export function createSpeaker(tell: (sentence: string) => void) {
  const watcher = new Watcher();
  /** The latest announced state, because a resting run sends further frames of it. */
  let spokenOf = '';
  return (frame: Frame, editsPassed: number, rests: boolean, what: string): void => {
    const since = watcher.take(frame, editsPassed);
    if (since !== undefined) tell(since);
    else if (rests && what !== spokenOf) tell(sentenceOf(frame));
    if (rests) spokenOf = what;
  };
}
