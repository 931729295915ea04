import { expect, test } from 'vitest';
import { foreign } from './foreignChanges.ts';

const change = (path: string) => ({ path, from: 1, to: 2 });
const task = { goal: 'x', until: 'frame.now_us > 1', done: 'y' };
const RATE = 'workload.clients[0].arrivals.poisson.rate_per_s';
const look = [{ at: `field:${RATE}`, says: 'turn this' }];

const step = (over: object = {}) => ({ look: [], task: null, open: '', ...over });
const OTHER = 'cluster.pools[0].replicas';

test('the field that is pointed at is the lesson’s, others are foreign', () => {
  const all = [change(RATE), change(OTHER), change('note')];
  expect(foreign([step({ look, task, open: 'shop' })], 0, all)).toEqual([change(OTHER)]);
});

test('a change of a whole part that has the field is the lesson’s', () => {
  expect(foreign([step({ look, task })], 0, [change('workload.clients[0].arrivals')])).toEqual([]);
});

test('a task without a field leaves the choice to the reader', () => {
  expect(foreign([step({ task })], 0, [change(OTHER)])).toEqual([]);
});

test('a step that asks for nothing finds every change foreign', () => {
  expect(foreign([step()], 0, [change('slo.ttft_ms')])).toEqual([change('slo.ttft_ms')]);
});

test('what an earlier step asked for is not foreign until a scenario is opened', () => {
  const steps = [step({ open: 'shop' }), step({ look, task }), step(), step({ open: 'shop;t=20' })];
  expect(foreign(steps, 2, [change(RATE)])).toEqual([]);
  expect(foreign(steps, 3, [change(RATE)])).toEqual([change(RATE)]);
});
