import { expect, test } from 'vitest';
import { getAt, type Json, setAt } from '../../base/json.ts';
import { type Edit, effective, withEdit } from './edits.ts';
import { forgotten, withoutReverted } from './inverseEdits.ts';
import {
  type Done,
  type History,
  liveStep,
  NO_HISTORY,
  type Plan,
  recorded,
  redone,
  redoPlan,
  undone,
  undoPlan,
} from './undo.ts';

const DOC: Json = {
  cluster: { pools: [{ name: 'main', replicas: 4, gpu: 'H100' }] },
  workload: { clients: [] },
  edits: [{ at_us: 20, set: { 'cluster.pools[0].gpu': 'A100-80' } }],
};
const GPU: Edit = { set: { 'cluster.pools[0].gpu': 'A100-80' } };
const POOL: Edit = { add: { 'cluster.pools': { name: 'b', replicas: 2 } } };
const step = (edit: Edit, atUs = 20): Done => liveStep(edit, DOC, atUs, () => undefined);

/** An edit as in a document. */
const edit = (atUs: number, { set, add }: Edit): Json => ({
  at_us: atUs,
  ...(set ? { set } : {}),
  ...(add ? { add } : {}),
});

/** The document after a plan that is an edit. */
function after(plan: ReturnType<typeof undoPlan>, document: Json): Json {
  if (plan.kind === 'edit') return withEdit(document, plan.edit);
  return plan.kind === 'run' ? plan.document : document;
}

test('an edit behind the playhead is undone by its inverse and redone by itself', () => {
  const changed = withEdit(DOC, GPU);
  const back = after(undoPlan(step(GPU), DOC, 30), changed);
  expect(getAt(back, 'cluster.pools[0].gpu')).toBe('H100');
  expect(after(redoPlan(step(GPU), back, DOC, 30), back)).toEqual(changed);
});

test.each([10, 20])('an edit at 20 is undone at %d by removing it from the list: it had no effect yet', (nowUs) => {
  expect(undoPlan(step(GPU), DOC, nowUs)).toEqual({ kind: 'run', document: setAt(DOC, 'edits', []) });
});

test('of equal edits at one instant, the latest is removed', () => {
  const twice = setAt(DOC, 'edits', [edit(20, GPU), edit(20, POOL), edit(20, GPU)]);
  expect(undoPlan(step(GPU), twice, 20)).toEqual({
    kind: 'run',
    document: setAt(DOC, 'edits', [edit(20, GPU), edit(20, POOL)]),
  });
});

test('an added pool is emptied behind the playhead, and filled again if it still exists', () => {
  const changed = withEdit(DOC, POOL);
  const back = after(undoPlan(step(POOL), DOC, 30), changed);
  expect(getAt(back, 'cluster.pools[1].replicas')).toBe(0);
  expect(after(redoPlan(step(POOL), back, DOC, 30), back)).toEqual(changed);
  expect(redoPlan(step(POOL), DOC, DOC, 30)).toEqual({ kind: 'edit', edit: POOL });
});

/** A run taken through its history as on the page. */
function session(edits: readonly (readonly [number, Edit])[]) {
  let document: Json = setAt(DOC, 'edits', []);
  let history: History = NO_HISTORY;
  const put = (atUs: number, made: Edit): void => {
    const list = getAt(document, 'edits');
    document = setAt(document, 'edits', [...(Array.isArray(list) ? list : []), edit(atUs, made)]);
  };
  for (const [atUs, made] of edits) {
    history = recorded(
      history,
      liveStep(made, effective(document, atUs), atUs, () => undefined),
    );
    put(atUs, made);
  }
  const carry = (plan: Plan, nowUs: number): void => {
    if (plan.kind === 'edit') put(nowUs, plan.edit);
    else if (plan.kind === 'run') document = plan.document;
  };
  return {
    undo: (nowUs: number): void => {
      const last = history.done.at(-1);
      if (!last) return;
      const plan = undoPlan(last, document, nowUs);
      carry(plan, nowUs);
      history = undone(history, plan, nowUs);
    },
    redo: (nowUs: number): void => {
      const last = history.undone.at(-1);
      if (!last) return;
      const plan = redoPlan(last, effective(document, nowUs), document, nowUs);
      carry(plan, nowUs);
      history = redone(history, plan, nowUs);
    },
    takeOut: (): number | undefined => {
      const found = withoutReverted(history, document);
      if (found) document = found.document;
      history = forgotten(history);
      return found?.fromUs;
    },
    edits: () => getAt(document, 'edits'),
    inForce: (nowUs: number) => effective(document, nowUs),
  };
}

const SLOWER: Edit = { set: { 'cluster.pools[0].replicas': 2 } };
const THREE = [GPU, POOL, SLOWER] as const;

test('three edits at the playhead leave nothing once undone, and are the same when redone', () => {
  const run = session(THREE.map((made) => [20, made]));
  const before = run.edits();
  for (let i = 0; i < 3; i += 1) run.undo(20);
  expect(run.edits()).toEqual([]);
  for (let i = 0; i < 3; i += 1) run.redo(20);
  expect(run.edits()).toEqual(before);
});

test('three edits with effects are undone by three inverse ones, and on request both are removed', () => {
  const run = session(THREE.map((made, i) => [20 + i, made]));
  for (let i = 0; i < 3; i += 1) run.undo(50);
  expect([run.edits()].flat(2).length).toBe(6);
  expect(getAt(run.inForce(60), 'cluster.pools[0]')).toEqual({ name: 'main', replicas: 4, gpu: 'H100' });
  expect(run.takeOut()).toBe(20);
  expect(run.edits()).toEqual([]);
  expect(run.takeOut()).toBeUndefined();
});

test('undo and redo at the playhead leave only the edit', () => {
  const run = session([[20, GPU]]);
  const before = run.edits();
  run.undo(50);
  run.redo(50);
  expect(run.edits()).toEqual(before);
  run.undo(50);
  run.redo(60);
  expect(getAt(run.inForce(60), 'cluster.pools[0].gpu')).toBe('A100-80');
});

test('a change that restarted is undone by the previous document', () => {
  const restart: Done = { kind: 'restart', before: DOC, after: setAt(DOC, 'seed', 2) };
  expect(undoPlan(restart, DOC, 30)).toEqual({ kind: 'run', document: DOC });
  expect(redoPlan(restart, DOC, DOC, 30)).toEqual({ kind: 'run', document: setAt(DOC, 'seed', 2) });
});

test('steps are undone last first and redone in order; a new one clears redo', () => {
  const two = recorded(recorded(NO_HISTORY, step(GPU)), step(POOL));
  const plan: Plan = { kind: 'edit', edit: GPU };
  const back = undone(undone(two, plan, 30), plan, 30);
  expect([back.done.length, back.undone.map((s) => s.kind === 'live' && s.edit)]).toEqual([0, [POOL, GPU]]);
  const again = redone(back, plan, 50);
  expect(again.done).toEqual([{ ...step(GPU), atUs: 50 }]);
  expect(recorded(again, step(GPU)).undone).toEqual([]);
  expect(undone(NO_HISTORY, plan, 30)).toEqual(NO_HISTORY);
});

test('a fault behind the playhead is undone by the run without it, though the document writes its defaults', () => {
  const made: Edit = { fault: { crash: { replica: 1 } } };
  const written = { at_us: 20, fault: { crash: { replica: 1, pick: 'lowest', restart_s: 0 } } };
  const other = { at_us: 20, fault: { crash: { replica: 2, pick: 'lowest', restart_s: 0 } } };
  const document = setAt(DOC, 'edits', [written, other]);
  const done = liveStep(made, DOC, 20, () => undefined);
  expect(undoPlan(done, document, 30)).toEqual({ kind: 'run', document: setAt(DOC, 'edits', [other]) });
  expect(redoPlan(done, DOC, DOC, 30)).toEqual({ kind: 'edit', edit: made });
});
