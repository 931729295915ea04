// What the line of the first minute says: first what came of the step before, then what to do.
import { count, durationUs, NBSP, percentileUs, text } from '../../base/units.ts';
import type { Frame, RequestDetail } from '../../generated/boundary.ts';
import type { Minute, MinuteFault } from '../../state/view/minute.ts';
import { isDown } from './minuteSteps.ts';
import { LEAST } from './router.ts';

/** A line: `said` stands in bold; `link` is a request that the reader may open, at the end. */
export type Line = { readonly said: string; readonly asks: string; readonly link?: number };

/** How long requests that moved may take until one runs again. */
const SOON_US = 1e6;

/** What the words are about. */
export type Words = {
  readonly figures: Frame;
  readonly frame: Frame;
  /** The name of a router. */
  readonly nameOf: (tag: string) => string;
  /** Whether things are tapped, not clicked. */
  readonly taps: boolean;
  /** Whether the run stands, and the speed of the guide. */
  readonly paused: boolean;
  readonly speed: string;
  /** The replica to break. */
  readonly target: number | undefined;
  /** Requests that moved, and whether one of them is on the stage. */
  readonly moved: readonly number[];
  readonly onStage: boolean;
  /** The selected request. */
  readonly detail: RequestDetail | undefined;
};

export function lineOf(minute: Minute, words: Words): Line {
  switch (minute.step) {
    case 1:
      return routerLine(minute, words);
    case 2:
      return breakLine(minute, words);
    case 3:
      return requestLine(minute.fault, words);
    case 4:
      return {
        said: withoutIt(minute, words) ?? pauseOf(words.detail),
        asks: 'Pull the playhead back to before you broke it.',
      };
    case 5:
      return { said: 'Done.', asks: words.taps ? 'Scenario and Why, below, open the rest.' : '' };
  }
}

function routerLine(minute: Minute, { nameOf, paused, speed, figures }: Words): Line {
  const name = nameOf(minute.router);
  if (minute.changedUs !== undefined)
    return {
      said: `Now: ${name.toLowerCase()}.`,
      asks: paused ? 'Press Play: p99 needs time to settle.' : `p99 needs time to settle: the run plays at ${speed}.`,
    };
  const others = minute.router === LEAST ? 'Try another router.' : 'Try the least loaded.';
  if (minute.worse) return { said: `${p99(minute.fromUs, figures)} Worse.`, asks: others };
  const buried = minute.buried === undefined ? '' : `${name} has buried r${minute.buried}.`;
  return { said: buried, asks: 'Give requests to the least loaded replica.' };
}

function breakLine(minute: Minute, { figures, frame, paused, target }: Words): Line {
  const down = frame.replicas.find((r) => isDown(frame, r.id));
  if (down) return { said: `r${down.id} is down.`, asks: paused ? 'Press Play to see what comes of it.' : '' };
  const asks = target === undefined ? 'Now break a replica.' : `Now break one: take r${target} away.`;
  return { said: p99(minute.fromUs, figures), asks };
}

function requestLine(fault: MinuteFault | undefined, { taps, moved, onStage, frame }: Words): Line {
  const does = taps ? 'Tap' : 'Click';
  const said = fault ? becameOf(fault) : '';
  const [first] = moved;
  if (onStage) return { said, asks: `What happened to this one? ${does} it.` };
  // Those that moved run again in a moment.
  if (frame.now_us < (fault?.atUs ?? 0) + SOON_US && first !== undefined) return { said, asks: '' };
  if (first === undefined) return { said, asks: `What happens to a request? ${does} one.` };
  return { said, asks: 'What happened to one of them? Open', link: first };
}

/** What became of the requests of a replica that broke. */
function becameOf({ replica, inside, lost }: MinuteFault): string {
  if (inside === 0) return `No request was at r${replica}, none is lost.`;
  const requests = `${count(inside)}${NBSP}${inside === 1 ? 'request' : 'requests'}`;
  if (lost === 0) return `${requests} moved, none is lost.`;
  return `${requests} broke off, ${count(lost)} ${lost === 1 ? 'is' : 'are'} lost.`;
}

/** The pause of the selected request at its last break. */
function pauseOf(detail: RequestDetail | undefined): string {
  if (!detail) return '';
  const broke = detail.attempts ?? [];
  const { request } = detail;
  if (broke.length === 0) return `#${request} stayed where it was.`;
  const pauseUs = broke.findLast((attempt) => attempt.pause_us !== undefined)?.pause_us;
  if (pauseUs !== undefined) return `A pause of ${text(durationUs(pauseUs))}.`;
  const begun = broke.some((attempt) => attempt.shown_tokens > 0);
  return begun ? `#${request} has not gone on yet.` : `#${request} began anew elsewhere.`;
}

/** p99 before the break and now, once it has become too long while the replica is down. */
function withoutIt({ beforeUs, fault }: Minute, { figures }: Words): string | undefined {
  const { key } = figures;
  if (!fault || !isDown(figures, fault.replica) || key.ttft_mark !== 'miss' || key.ttft.p99_us <= beforeUs)
    return undefined;
  return `${p99(beforeUs, figures, `without${NBSP}r${fault.replica}`)}`;
}

/** `p99 2.91 s → 122 ms.` */
function p99(fromUs: number | undefined, { key }: Frame, when = ''): string {
  const [from, to] = [fromUs ?? 0, key.ttft.p99_us].map((us) => text(percentileUs(us, key.ttft.count)));
  return `p99 ${from} → ${to}${when === '' ? '' : ` ${when}`}.`;
}
