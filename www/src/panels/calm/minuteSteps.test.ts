import { expect, test } from 'vitest';
import { trust } from '../../base/trust.ts';
import type { Frame } from '../../generated/boundary.ts';
import type { Minute } from '../../state/view/minute.ts';
import { firstStep, goOn, onStage, type Sight, toBreak } from './minuteSteps.ts';
import { type Line, lineOf, type Words } from './minuteWords.ts';

type Replica = { id: number; waiting?: number; down?: true; requests?: number[]; slow?: true };

/** A frame at an instant in seconds, with a p99 in milliseconds; an objective of a second is missed beyond that. */
function frameAt(s: number, p99Ms: number, replicas: readonly Replica[] = [{ id: 0 }], more: object = {}): Frame {
  return trust<Frame>({
    now_us: s * 1e6,
    key: { window_s: 30, ttft: { count: 700, p99_us: p99Ms * 1000 }, ttft_mark: p99Ms > 1000 ? 'miss' : 'none' },
    replicas: replicas.map(({ id, waiting = 0, down, requests = [], slow }) => ({
      ...{ id, waiting, serving: !down, batch: { requests } },
      ...(slow ? { faults: [{}] } : {}),
      ...(down ? { life: { phase: 'down' }, crash: { inside: 13, broken: 20, lost: 0 } } : {}),
    })),
    ...more,
  });
}

const sightOf = (frame: Frame, router: string, request?: number): Sight => ({ figures: frame, frame, router, request });
const START: Minute = firstStep(sightOf(frameAt(48, 2910, [{ id: 0 }, { id: 2, waiting: 20 }]), 'round-robin'));
const plain = ({ said, asks, link }: Line): string =>
  `${said} ${asks}${link ? ` #${link}` : ''}`.replaceAll('\u00a0', ' ');

/** What the line says, with a frame alone. */
const said = (minute: Minute, frame: Frame, more: Partial<Words> = {}): string =>
  plain(
    lineOf(minute, {
      ...{
        figures: frame,
        frame,
        nameOf: (tag) => ({ 'round-robin': 'Round robin' })[tag] ?? 'Least loaded',
        taps: false,
      },
      ...{ paused: false, speed: '5×', target: 0, moved: [], onStage: false, detail: undefined },
      ...more,
    }),
  );

/** The minute after some instants, each with its p99, under a router. */
const through = (from: Minute, router: string, instants: readonly (readonly [number, number])[]): Minute =>
  instants.reduce((minute, [s, ms]) => goOn(minute, sightOf(frameAt(s, ms), router)), from);

test('the first step says who is buried and waits for another router, as long as it takes', () => {
  expect(said(START, frameAt(48, 2910))).toBe('Round robin has buried r2. Give requests to the least loaded replica.');
  expect(
    through(START, 'round-robin', [
      [60, 4000],
      [170, 20_000],
    ]).step,
  ).toBe(1);
});

test('its number is said when it is better and in time, not while it still rises', () => {
  const rises = through(START, 'least-loaded', [
    [48, 2910],
    [50, 3300],
    [61, 3720],
  ]);
  expect(rises.step).toBe(1);
  expect(said(rises, frameAt(61, 3720))).toBe('Now: least loaded. p99 needs time to settle: the run plays at 5×.');
  expect(said(rises, frameAt(61, 3720), { paused: true })).toMatch(/Press Play/);
  const better = through(rises, 'least-loaded', [[66, 122]]);
  expect(better.step).toBe(2);
  expect(said(better, frameAt(66, 122))).toBe('p99 2.91 s → 122 ms. Now break one: take r0 away.');
});

test('a router that is worse is said to be worse, and the step waits for another', () => {
  const worse = through(START, 'always-busiest', [
    [48, 2910],
    [80, 6000],
    [107, 6050],
    [108, 6100],
  ]);
  expect(worse.step).toBe(1);
  expect(said(worse, frameAt(108, 6100))).toBe('p99 2.91 s → 6.10 s. Worse. Try the least loaded.');
  const other = through(worse, 'least-loaded', [
    [109, 6100],
    [130, 122],
  ]);
  expect(other.step).toBe(2);
  expect(said(other, frameAt(130, 122))).toMatch(/^p99 6.10 s → 122 ms\./);
});

test('a change that is taken back, or a run that ends, is no endless wait', () => {
  const back = through(START, 'least-loaded', [[48, 2910]]);
  expect(back.changedUs).toBe(48e6);
  const waits = through(back, 'round-robin', [[49, 2900]]);
  expect(waits.changedUs).toBe(48e6);
  expect(through(waits, 'round-robin', [[108, 9000]]).worse).toBe(true);
  const over = goOn(back, sightOf(frameAt(90, 5000, [], { finished: true }), 'least-loaded'));
  expect(over.worse).toBe(true);
});

const DOWN: readonly Replica[] = [
  { id: 0, down: true },
  { id: 1, requests: [7, 8] },
];
const crash = (known: object): object => ({ faults: [{ kind: 'crash', at_us: 72e6, replica: 0, ...known }] });
const SECOND: Minute = { ...START, step: 2, router: 'least-loaded', fromUs: 2_910_000, beforeUs: 122_000 };

test('the second step says who was inside once routers know of the break', () => {
  const early = frameAt(72, 122, DOWN, crash({}));
  expect(goOn(SECOND, sightOf(early, 'least-loaded')).step).toBe(2);
  expect(said(SECOND, early, { paused: true })).toBe('r0 is down. Press Play to see what comes of it.');
  const third = goOn(SECOND, sightOf(frameAt(72.1, 122, DOWN, crash({ known_s: 0.01 })), 'least-loaded'));
  expect(third).toMatchObject({ step: 3, beforeUs: 122_000, fault: { replica: 0, atUs: 72e6, inside: 13, lost: 0 } });
  const line = (more: Partial<Words>): string => said(third, early, more);
  expect(line({ onStage: true, moved: [7] })).toBe(
    '13 requests moved, none is lost. What happened to this one? Click it.',
  );
  expect(line({ onStage: true, moved: [7], taps: true })).toMatch(/Tap it\.$/);
  expect(line({ moved: [7] })).toBe('13 requests moved, none is lost. ');
  const later = frameAt(80, 122, DOWN);
  expect(said(third, later, { moved: [7] })).toMatch(/What happened to one of them\? Open #7$/);
  const lost = { ...third, fault: { replica: 0, atUs: 72e6, inside: 13, lost: 2 } };
  expect(said(lost, early)).toMatch(/^13 requests broke off, 2 are lost\./);
});

const FOURTH: Minute = { ...SECOND, step: 4, fault: { replica: 0, atUs: 72e6, inside: 13, lost: 0 } };

test('the third step is done with any request, and its pause is said', () => {
  const third: Minute = { ...FOURTH, step: 3 };
  const at = frameAt(73, 122, DOWN);
  expect(goOn(third, sightOf(at, 'least-loaded')).step).toBe(3);
  expect(goOn(third, sightOf(at, 'least-loaded', 7)).step).toBe(4);
  const attempt = { broke_us: 72e6, shown_tokens: 74, pause_us: 84_000 };
  const detail = (attempts: readonly object[]): Partial<Words> =>
    trust<Partial<Words>>({ detail: { request: 7, attempts } });
  expect(said(FOURTH, at, detail([attempt, { shown_tokens: 74 }]))).toMatch(/^A pause of 84.0 ms\. Pull the playhead/);
  expect(said(FOURTH, at, detail([{ shown_tokens: 74 }]))).toMatch(/^#7 has not gone on yet\./);
  expect(said(FOURTH, at, detail([{ shown_tokens: 0 }]))).toMatch(/^#7 began anew elsewhere\./);
  expect(said(FOURTH, at, detail([]))).toMatch(/^#7 stayed where it was\./);
});

test('the fourth step says what p99 became without the replica, and ends before the break', () => {
  expect(said(FOURTH, frameAt(84, 1360, DOWN))).toMatch(/^p99 122 ms → 1.36 s without r0\./);
  expect(said(FOURTH, frameAt(93, 1360))).not.toMatch(/without/);
  expect(goOn(FOURTH, sightOf(frameAt(72, 122), 'least-loaded')).step).toBe(4);
  expect(goOn(FOURTH, sightOf(frameAt(71.9, 122), 'least-loaded')).step).toBe(5);
});

test('the replica to break is one that works, and a request is found where it runs', () => {
  expect(toBreak(frameAt(66, 122, [{ id: 0, down: true }, { id: 1, slow: true }, { id: 3 }]))).toBe(3);
  expect(onStage(frameAt(73, 122, DOWN), [9, 8])).toEqual({ request: 8, replica: 1, place: 1 });
  expect(onStage(frameAt(73, 122, DOWN), [9])).toBeUndefined();
});
