// Requests on their way: a fixed pool of dots that move along the pipes of the stage while each can be followed.
import type { Move } from '../generated/boundary.ts';

/** Wall time of one leg: client to router, router to replica. */
export const LEG_MS = 420;
const POOL = 192;
/** A move that is older was long over when the run came to its instant. */
const RECENT_US = 10e6;

export const isRecent = (move: Pick<Move, 'at_us'>, nowUs: number): boolean => move.at_us >= nowUs - RECENT_US;

export type Dot = {
  live: boolean;
  request: number;
  client: number;
  /** The target replica; −1 until the router has chosen. */
  replica: number;
  rejected: boolean;
  /** Its start, in wall milliseconds. */
  startMs: number;
  /** The earliest time to leave the router; it waits there for its target. */
  leaveMs: number;
};

export class Dots {
  readonly pool: Dot[] = Array.from({ length: POOL }, () => ({
    live: false,
    request: -1,
    client: 0,
    replica: -1,
    rejected: false,
    startMs: 0,
    leaveMs: 0,
  }));
  private next = 0;
  private lastUs = -1;

  clear(): void {
    for (const d of this.pool) d.live = false;
    this.lastUs = -1;
  }

  /** Takes the moves of a new frame. Moves within one frame keep their distance in time. */
  take(moves: readonly Move[], nowUs: number, wallMs: number, speed: number): void {
    // Back, or far on: what travelled belongs to another instant.
    if (nowUs < this.lastUs || this.lastUs < nowUs - RECENT_US) this.clear();
    const since = this.lastUs < 0 ? nowUs : this.lastUs;
    for (const m of moves) {
      if (!isRecent(m, nowUs)) continue;
      const delay = Math.min(250, Math.max(0, (m.at_us - since) / 1000 / Math.max(speed, 1e-6)));
      if (m.kind === 'arrive') this.spawn(m, wallMs + delay);
      else if (m.kind === 'route') this.route(m, wallMs + delay);
      else if (m.kind === 'reject') this.reject(m);
    }
    this.lastUs = nowUs;
  }

  /** Removes dots that have arrived; true while any is left. */
  settle(wallMs: number): boolean {
    let any = false;
    for (const d of this.pool) {
      if (!d.live) continue;
      if (d.replica < 0 && !d.rejected) d.live = wallMs < d.startMs + 20 * LEG_MS;
      else d.live = wallMs < d.leaveMs + LEG_MS;
      any ||= d.live;
    }
    return any;
  }

  private find(request: number): Dot | undefined {
    return this.pool.find((d) => d.live && d.request === request);
  }

  private spawn(m: Move, startMs: number): void {
    const d = this.pool[this.next];
    this.next = (this.next + 1) % POOL;
    if (!d) return;
    d.live = true;
    d.request = m.request;
    d.client = m.client;
    d.replica = -1;
    d.rejected = false;
    d.startMs = startMs;
    d.leaveMs = startMs + LEG_MS;
  }

  private route(m: Move, wallMs: number): void {
    const d = this.find(m.request);
    if (!d || m.replica === undefined) return;
    d.replica = m.replica;
    d.leaveMs = Math.max(d.startMs + LEG_MS, wallMs);
  }

  private reject(m: Move): void {
    const d = this.find(m.request);
    if (!d) return;
    d.rejected = true;
    d.leaveMs = d.startMs + LEG_MS;
  }
}

/** A point of a cubic Bézier curve. */
export function bezier(t: number, a: number, b: number, c: number, d: number): number {
  const u = 1 - t;
  return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
}
