// The stops of the speed control, in simulated seconds per wall second, and what is visible at each.

export const SPEEDS: readonly number[] = [
  0.001,
  0.002,
  0.005,
  0.01,
  0.02,
  0.05,
  0.1,
  0.2,
  0.5,
  1,
  2,
  5,
  10,
  20,
  30,
  60,
  120,
  300,
  600,
  2000,
  10_000,
  Number.POSITIVE_INFINITY,
];

/** The stop of a new page: single requests can still be followed. */
export const FIRST_SPEED = SPEEDS.indexOf(5);

/** The fastest bounded stop. */
export const FASTEST = SPEEDS.findLast(Number.isFinite) ?? 1;

/** What is visible at a speed. */
export function caption(speed: number): string {
  if (speed < 0.005) return 'inside one engine step';
  if (speed < 0.05) return 'single tokens';
  if (speed < 0.5) return 'one prefill';
  if (speed <= 2) return 'real time';
  if (speed <= 5) return 'requests in flight';
  if (speed <= 20) return 'queues build up';
  if (speed <= 200) return 'minutes of load';
  if (speed <= 2000) return 'hours of traffic';
  return speed === Number.POSITIVE_INFINITY ? 'as fast as this computer' : 'a day in seconds';
}

/** Whether the simulation is clearly slower than requested. */
export function behind(asked: number, achieved: number): boolean {
  return Number.isFinite(asked) && achieved > 0 && achieved < 0.9 * asked;
}
