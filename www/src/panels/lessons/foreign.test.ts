import { expect, test } from 'vitest';
import { foreign } from './foreign.ts';

const change = (path: string) => ({ path, from: 1, to: 2 });
const task = { goal: 'x', until: 'frame.now_us > 1', done: 'y' };
const RATE = 'workload.clients[0].arrivals.poisson.rate_per_s';
const look = [{ at: `field:${RATE}`, says: 'turn this' }];

test('the field that is pointed at is the lesson’s, others are foreign', () => {
  const all = [change(RATE), change('cluster.pools[0].replicas'), change('note')];
  expect(foreign({ look, task }, all)).toEqual([change('cluster.pools[0].replicas')]);
});

test('a change of a whole part that has the field is the lesson’s', () => {
  expect(foreign({ look, task }, [change('workload.clients[0].arrivals')])).toEqual([]);
});

test('a task without a field leaves the choice to the reader', () => {
  expect(foreign({ look: [], task }, [change('cluster.pools[0].replicas')])).toEqual([]);
});

test('a step that asks for nothing finds every change foreign', () => {
  expect(foreign({ look: [], task: null }, [change('slo.ttft_ms')])).toEqual([change('slo.ttft_ms')]);
});
