// The history of the small trend lines: shown values, thinned to one sample per interval.

const SPAN_US = 60_000_000;
const EVERY_US = 1_250_000;
const KEPT = 50;

/** A minute of one number. It is cleared when the clock goes back. */
export class Trend {
  readonly times = new Float64Array(KEPT);
  readonly values = new Float64Array(KEPT);
  length = 0;

  push(nowUs: number, value: number): void {
    const last = this.length === 0 ? Number.NEGATIVE_INFINITY : (this.times[this.length - 1] ?? 0);
    if (nowUs < last) this.length = 0;
    else if (nowUs - last < EVERY_US) return;
    if (!Number.isFinite(value)) return;
    if (this.length === KEPT) {
      this.times.copyWithin(0, 1);
      this.values.copyWithin(0, 1);
      this.length -= 1;
    }
    this.times[this.length] = nowUs;
    this.values[this.length] = value;
    this.length += 1;
  }

  /** Calls back with each sample: its place in the last minute, 0 to 1, and its value. */
  each(nowUs: number, visit: (place: number, value: number) => void): void {
    for (let i = 0; i < this.length; i++) {
      const place = 1 - (nowUs - (this.times[i] ?? 0)) / SPAN_US;
      if (place >= 0) visit(Math.min(1, place), this.values[i] ?? 0);
    }
  }
}

/** The trends of the stage: arrivals, and the median TTFT of each replica. */
export class Trends {
  readonly arrivals = new Trend();
  private readonly replicas: Trend[] = [];

  replica(id: number): Trend {
    let trend = this.replicas[id];
    if (!trend) {
      trend = new Trend();
      this.replicas[id] = trend;
    }
    return trend;
  }
}
