// The way through the first minute: from what the page shows to the next step. A step waits until its result is there, however long.
import type { Frame } from '../../generated/boundary.ts';
import type { Minute } from '../../state/view/minute.ts';

/** A replica is buried if this many of its requests wait. */
const BURIED = 4;
/** After this many windows of the key figures p99 is what it is. */
const WINDOWS = 2;

/** What the page shows now. */
export type Sight = {
  /** The frame of the key figures, and the latest one. */
  readonly figures: Frame;
  readonly frame: Frame;
  /** The router in force, by its tag. */
  readonly router: string;
  /** The request that the reader selected. */
  readonly request: number | undefined;
};

/** The first step, as the minute begins. */
export function firstStep({ figures, router }: Sight): Minute {
  const last = figures.replicas.toSorted((a, b) => b.waiting - a.waiting)[0];
  const buried = last && last.waiting >= BURIED ? last.id : undefined;
  return { step: 1, router, buried, beforeUs: figures.key.ttft.p99_us };
}

/** The minute after what the page shows now. */
export function goOn(minute: Minute, sight: Sight): Minute {
  switch (minute.step) {
    case 1:
      return afterRouter(minute, sight);
    case 2:
      return afterBreak(minute, sight);
    case 3:
      return sight.request === undefined ? minute : { ...minute, step: 4 };
    case 4:
      return sight.frame.now_us < (minute.fault?.atUs ?? 0) ? { ...minute, step: 5 } : minute;
    case 5:
      return minute;
  }
}

function afterRouter(minute: Minute, { figures, frame, router }: Sight): Minute {
  const p99Us = figures.key.ttft.p99_us;
  const inTime = figures.key.ttft_mark !== 'miss';
  if (router === minute.router && minute.changedUs === undefined) {
    // A router that was worse may need more time.
    const late = minute.worse && inTime && 2 * p99Us <= (minute.fromUs ?? 0);
    return late ? { ...minute, step: 2, worse: false } : { ...minute, beforeUs: p99Us };
  }
  if (minute.changedUs === undefined || router !== minute.router)
    return { ...minute, router, changedUs: minute.changedUs ?? frame.now_us, worse: false };
  const since = figures.now_us - minute.changedUs;
  const fromUs = minute.beforeUs;
  const judged = { ...minute, changedUs: undefined, fromUs };
  // Of instants after the change only: the key figures follow the frames.
  if (since > 0 && 2 * p99Us <= fromUs && inTime) return { ...judged, step: 2 };
  if (since < WINDOWS * figures.key.window_s * 1e6 && !figures.finished) return minute;
  return p99Us < fromUs ? { ...judged, step: 2 } : { ...judged, worse: true, beforeUs: p99Us };
}

function afterBreak(minute: Minute, { figures, frame }: Sight): Minute {
  const down = frame.replicas.find((r) => r.life?.phase === 'down' && r.crash);
  if (!down?.crash) return { ...minute, beforeUs: figures.key.ttft.p99_us };
  const fault = frame.faults?.findLast(({ kind, replica }) => KINDS.includes(kind) && replica === down.id);
  // As long as routers do not know, requests are sent there, and may be lost.
  if (fault?.known_s === undefined) return minute;
  const { inside, lost } = down.crash;
  return { ...minute, step: 3, fault: { replica: down.id, atUs: fault.at_us, inside, lost } };
}
const KINDS: readonly string[] = ['crash', 'restart'];

/** Whether a replica is down. */
export const isDown = (frame: Frame | undefined, id: number | undefined): boolean =>
  frame?.replicas.find((r) => r.id === id)?.life?.phase === 'down';

/** The replica to break: the first that has no fault. */
export const toBreak = (frame: Frame | undefined): number | undefined =>
  frame?.replicas.find((r) => r.serving && !r.life && !r.faults)?.id;

/** The first of some requests that is in a batch, and its place there. */
export function onStage(
  frame: Frame | undefined,
  requests: readonly number[],
): { readonly request: number; readonly replica: number; readonly place: number } | undefined {
  for (const request of requests)
    for (const r of frame?.replicas ?? []) {
      const place = r.batch.requests.indexOf(request);
      if (place >= 0) return { request, replica: r.id, place };
    }
  return undefined;
}
