import { expect, test } from 'vitest';
import { getAt, type Json, setAt } from '../../base/json.ts';
import type { Edit } from './edits.ts';
import { forgotten, withoutReverted } from './inverseEdits.ts';
import {
  type Done,
  type History,
  type LiveStep,
  type MadeEdit,
  NO_HISTORY,
  type Plan,
  recorded,
  redone,
  redoPlan,
  undone,
  undoPlan,
} from './undo.ts';

type Known = Pick<LiveStep, 'edit' | 'back' | 'again' | 'added'>;

const made = (atUs: number, edit: Edit): MadeEdit => ({ atUs, written: { at_us: atUs, ...edit } });
/** What the simulation says of edits. */
const known = (edit: Edit, back: Edit, again = edit, added: readonly string[] = []): Known => ({
  edit,
  back,
  again,
  added,
});
const GPU = known({ set: { 'cluster.pools[0].gpu': 'A100-80' } }, { set: { 'cluster.pools[0].gpu': 'H100' } });
const POOL = known(
  { add: { 'cluster.pools': { name: 'b', replicas: 2 } } },
  { set: { 'cluster.pools[1].replicas': 0 } },
  { set: { 'cluster.pools[1].replicas': 2 } },
  ['cluster.pools[1]'],
);
const SLOWER = known({ set: { 'cluster.pools[0].replicas': 2 } }, { set: { 'cluster.pools[0].replicas': 4 } });

const DOC: Json = { cluster: { pools: [{ name: 'main', replicas: 4 }] }, edits: [made(20, GPU.edit).written] };
const step = (of: Known, atUs = 20): LiveStep => ({ kind: 'live', made: made(atUs, of.edit), ...of });

test('an edit behind the playhead is undone by its inverse and redone by itself', () => {
  expect(undoPlan(step(GPU), DOC, 30)).toEqual({ kind: 'edit', edit: GPU.back });
  expect(redoPlan(step(GPU), DOC, DOC, 30)).toEqual({ kind: 'edit', edit: GPU.edit });
});

test.each([10, 20])('an edit at 20 is undone at %d by removing it from the list: it had no effect yet', (nowUs) => {
  expect(undoPlan(step(GPU), DOC, nowUs)).toEqual({ kind: 'run', document: setAt(DOC, 'edits', []) });
});

test('of equal edits at one instant, the latest is removed', () => {
  const [gpu, pool] = [made(20, GPU.edit).written, made(20, POOL.edit).written];
  expect(undoPlan(step(GPU), setAt(DOC, 'edits', [gpu, pool, gpu]), 20)).toEqual({
    kind: 'run',
    document: setAt(DOC, 'edits', [gpu, pool]),
  });
});

test('an added pool is filled again if it still exists, else added again', () => {
  const withPool = setAt(DOC, 'cluster.pools[1]', { name: 'b', replicas: 0 });
  expect(redoPlan(step(POOL), withPool, DOC, 30)).toEqual({ kind: 'edit', edit: POOL.again });
  expect(redoPlan(step(POOL), DOC, DOC, 30)).toEqual({ kind: 'edit', edit: POOL.edit });
});

/** A run taken through its history as on the page. */
function session(edits: readonly (readonly [number, Known])[]) {
  let document: Json = setAt(DOC, 'edits', []);
  let history: History = NO_HISTORY;
  const put = (atUs: number, edit: Edit): MadeEdit => {
    const list = getAt(document, 'edits');
    const next = made(atUs, edit);
    document = setAt(document, 'edits', [...(Array.isArray(list) ? list : []), next.written]);
    return next;
  };
  for (const [atUs, of] of edits) {
    history = recorded(history, { kind: 'live', made: put(atUs, of.edit), ...of });
  }
  const carry = (plan: Plan, nowUs: number): MadeEdit | undefined => {
    if (plan.kind === 'run') document = plan.document;
    return plan.kind === 'edit' ? put(nowUs, plan.edit) : undefined;
  };
  return {
    undo: (nowUs: number): void => {
      const last = history.done.at(-1);
      if (!last) return;
      const plan = undoPlan(last, document, nowUs);
      history = undone(history, plan, carry(plan, nowUs));
    },
    redo: (nowUs: number): void => {
      const last = history.undone.at(-1);
      if (!last) return;
      const plan = redoPlan(last, document, document, nowUs);
      history = redone(history, plan, carry(plan, nowUs));
    },
    takeOut: (): number | undefined => {
      const found = withoutReverted(history, document);
      if (found) document = found.document;
      history = forgotten(history);
      return found?.fromUs;
    },
    edits: () => getAt(document, 'edits'),
  };
}

const THREE = [GPU, POOL, SLOWER] as const;

test('three edits at the playhead leave nothing once undone, and are the same when redone', () => {
  const run = session(THREE.map((of) => [20, of]));
  const before = run.edits();
  for (let i = 0; i < 3; i += 1) run.undo(20);
  expect(run.edits()).toEqual([]);
  for (let i = 0; i < 3; i += 1) run.redo(20);
  expect(run.edits()).toEqual(before);
});

test('three edits with effects are undone by three inverse ones, and on request both are removed', () => {
  const run = session(THREE.map((of, i) => [20 + i, of]));
  for (let i = 0; i < 3; i += 1) run.undo(50);
  expect([run.edits()].flat(2).slice(3)).toEqual([SLOWER, POOL, GPU].map((of) => made(50, of.back).written));
  expect(run.takeOut()).toBe(20);
  expect(run.edits()).toEqual([]);
  expect(run.takeOut()).toBeUndefined();
});

test('undo and redo at the playhead leave only the edit, later ones another edit', () => {
  const run = session([[20, GPU]]);
  const before = run.edits();
  run.undo(50);
  run.redo(50);
  expect(run.edits()).toEqual(before);
  run.undo(50);
  run.redo(60);
  expect([run.edits()].flat(2).at(-1)).toEqual(made(60, GPU.edit).written);
});

test('a change that restarted is undone by the previous document', () => {
  const restart: Done = { kind: 'restart', before: DOC, after: setAt(DOC, 'seed', 2) };
  expect(undoPlan(restart, DOC, 30)).toEqual({ kind: 'run', document: DOC });
  expect(redoPlan(restart, DOC, DOC, 30)).toEqual({ kind: 'run', document: setAt(DOC, 'seed', 2) });
});

test('steps are undone last first and redone in order; a new one clears redo', () => {
  const two = recorded(recorded(NO_HISTORY, step(GPU)), step(POOL));
  const plan: Plan = { kind: 'edit', edit: GPU.edit };
  const back = undone(undone(two, plan, made(30, GPU.back)), plan, made(30, GPU.back));
  expect([back.done.length, back.undone.map((s) => s.kind === 'live' && s.edit)]).toEqual([0, [POOL.edit, GPU.edit]]);
  const again = redone(back, plan, made(50, GPU.edit));
  expect(again.done).toEqual([step(GPU, 50)]);
  expect(recorded(again, step(GPU)).undone).toEqual([]);
  expect(undone(NO_HISTORY, plan, undefined)).toEqual(NO_HISTORY);
});

test('a fault behind the playhead is undone by the run without it', () => {
  const fault = (replica: number): MadeEdit =>
    made(20, { fault: { crash: { replica, pick: 'lowest', restart_s: 0 } } });
  const document = setAt(DOC, 'edits', [fault(1).written, fault(2).written]);
  const edit: Edit = { fault: { crash: { replica: 1 } } };
  const done: LiveStep = { kind: 'live', made: fault(1), ...known(edit, { set: {} }) };
  expect(undoPlan(done, document, 30)).toEqual({ kind: 'run', document: setAt(DOC, 'edits', [fault(2).written]) });
  expect(redoPlan(done, DOC, DOC, 30)).toEqual({ kind: 'edit', edit });
});
