// The runs that are compared with a run in which something broke.
import { expect, test } from 'vitest';
import { child, getAt, type Json } from '../../base/json.ts';
import { editOf, twinsOf } from './faultTwins.ts';

const crash = { kind: 'crash', at_us: 30_000_000, replica: 1, pool: 'small' };
const DOCUMENT: Json = {
  cluster: {
    pools: [
      { name: 'small', replicas: 2 },
      { name: 'large', replicas: 2 },
    ],
  },
  edits: [
    { at_us: 10_000_000, fault: { slow: { replica: 3, factor: 3, for_s: 20 } } },
    { at_us: 30_000_000, fault: { crash: { replica: 1, restart_s: 40 } } },
    { at_us: 31_000_000, route: { request: 7, to: 2 } },
  ],
};
const twin = (label: string, document: Json = DOCUMENT): Json | undefined =>
  twinsOf(document, crash).find((one) => one.label === label)?.document;

test('a fault is found in the edits by its kind, its instant and its replica', () => {
  expect(editOf(DOCUMENT, crash)).toBe(1);
  expect(editOf(DOCUMENT, { ...crash, replica: 0 })).toBe(-1);
  expect(editOf(DOCUMENT, { ...crash, kind: 'slow' })).toBe(-1);
});

test('without the crash, the other edits stay', () => {
  const edits = child(twin('no crash') ?? null, 'edits');
  expect(edits).toEqual([getAt(DOCUMENT, 'edits[0]'), getAt(DOCUMENT, 'edits[2]')]);
  // One that was drawn at random cannot be taken away.
  expect(twinsOf(DOCUMENT, { ...crash, at_us: 5 }).map(({ label }) => label)).toEqual([
    'retry budget',
    'one replica more',
  ]);
});

test('a run without retries gets one, a run with retries a larger budget', () => {
  expect(getAt(twin('retry budget') ?? null, 'cluster.resilience')).toEqual({ retries: 1 });
  const retries: Json = { ...(DOCUMENT as object), cluster: { pools: [], resilience: { retries: 2, resume: true } } };
  expect(getAt(twin('retry budget', retries) ?? null, 'cluster.resilience')).toEqual({
    retries: 2,
    resume: true,
    retry_budget_share: 0.5,
  });
});

test('one replica more moves the numbers of those after it', () => {
  const more = twin('one replica more') ?? null;
  expect(getAt(more, 'cluster.pools[0].replicas')).toBe(3);
  expect(getAt(more, 'edits[0].fault.slow.replica')).toBe(4);
  expect(getAt(more, 'edits[1].fault.crash.replica')).toBe(1);
  expect(getAt(more, 'edits[2].route.to')).toBe(3);
});
