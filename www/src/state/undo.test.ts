import { expect, test } from 'vitest';
import { getAt, type Json, setAt } from '../base/json.ts';
import { type Edit, withEdit } from './edits.ts';
import { type Done, liveStep, NO_HISTORY, recorded, redone, redoPlan, undone, undoPlan } from './undo.ts';

const DOC: Json = {
  cluster: { pools: [{ name: 'main', replicas: 4, gpu: 'H100' }] },
  workload: { clients: [] },
  edits: [{ at_us: 20, set: { 'cluster.pools[0].gpu': 'A100-80' } }],
};
const GPU: Edit = { set: { 'cluster.pools[0].gpu': 'A100-80' } };
const POOL: Edit = { add: { 'cluster.pools': { name: 'b', replicas: 2 } } };
const step = (edit: Edit, atUs = 20): Done => liveStep(edit, DOC, atUs, () => undefined);

/** The document after a plan that is an edit. */
function after(plan: ReturnType<typeof undoPlan>, document: Json): Json {
  if (plan.kind === 'edit') return withEdit(document, plan.edit);
  return plan.kind === 'run' ? plan.document : document;
}

test('an edit behind the playhead is undone by another edit and done again by itself', () => {
  const changed = withEdit(DOC, GPU);
  const back = after(undoPlan(step(GPU), DOC, 30), changed);
  expect(getAt(back, 'cluster.pools[0].gpu')).toBe('H100');
  expect(after(redoPlan(step(GPU), back), back)).toEqual(changed);
});

test('an edit ahead of the playhead is undone by taking it out of the list', () => {
  expect(undoPlan(step(GPU), DOC, 10)).toEqual({ kind: 'run', document: setAt(DOC, 'edits', []) });
});

test('an added pool is emptied, and filled again where it still is', () => {
  const changed = withEdit(DOC, POOL);
  const back = after(undoPlan(step(POOL), DOC, 30), changed);
  expect(getAt(back, 'cluster.pools[1].replicas')).toBe(0);
  expect(after(redoPlan(step(POOL), back), back)).toEqual(changed);
  expect(redoPlan(step(POOL), DOC)).toEqual({ kind: 'edit', edit: POOL });
});

test('a change that restarted is undone by the document before it', () => {
  const restart: Done = { kind: 'restart', before: DOC, after: setAt(DOC, 'seed', 2) };
  expect(undoPlan(restart, DOC, 30)).toEqual({ kind: 'run', document: DOC });
  expect(redoPlan(restart, DOC)).toEqual({ kind: 'run', document: setAt(DOC, 'seed', 2) });
});

test('steps are undone last first and done again in order; a new one ends what could be done again', () => {
  const two = recorded(recorded(NO_HISTORY, step(GPU)), step(POOL));
  const back = undone(undone(two));
  expect([back.done.length, back.undone.map((s) => s.kind === 'live' && s.edit)]).toEqual([0, [POOL, GPU]]);
  const again = redone(back, 50);
  expect(again.done).toEqual([{ ...step(GPU), atUs: 50 }]);
  expect(recorded(again, step(GPU)).undone).toEqual([]);
  expect(undone(NO_HISTORY)).toEqual(NO_HISTORY);
});
