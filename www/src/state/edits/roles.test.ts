import { expect, test } from 'vitest';
import { type Json, setAt } from '../../base/json.ts';
import type { Diagnostic, SplitAsked } from '../../generated/boundary.ts';
import { RefusedError } from '../../sim/client.ts';
import type { Notice } from '../notices/notices.ts';
import { changeRoles } from './changeRoles.ts';
import { dividable, isSplit, withRole } from './roles.ts';

const MIXED: Json = { cluster: { pools: [{ name: 'main', replicas: 4 }] }, edits: [] };
const SPLIT: Json = {
  cluster: {
    pools: [
      { name: 'main', role: 'decode', replicas: 2 },
      { name: 'main-prefill', role: 'prefill', replicas: 2 },
    ],
  },
  edits: [],
};

test('pools have a role, and the first mixed pool with two replicas can be divided', () => {
  expect(isSplit(MIXED)).toBe(false);
  expect(dividable(MIXED)).toBe(0);
  expect(dividable(setAt(MIXED, 'cluster.pools[0].replicas', 1))).toBeUndefined();
  expect(isSplit(SPLIT)).toBe(true);
  expect(dividable(SPLIT)).toBeUndefined();
  expect([withRole(SPLIT, 'mixed'), withRole(SPLIT, 'prefill'), withRole(SPLIT, 'decode')]).toEqual([0, 2, 2]);
});

type Page = Parameters<typeof changeRoles>[0];

/** A page whose ratio is one prefill replica more with each change. */
function page(answers: (document: Json) => Promise<string>): { app: Page; now: () => Json; notices: Notice[] } {
  let document = SPLIT;
  const notices: Notice[] = [];
  const setNotice = ((next: Notice) => notices.push(next)) as unknown as Page['dialogs']['setNotice'];
  return {
    app: {
      document: {
        inForce: () => document,
        applyEdit: async (edit) => {
          await Promise.resolve();
          const set = Object.entries(edit.set ?? {});
          document = set.reduce((now, [path, value]) => setAt(now, path, value), document);
          return true;
        },
      },
      links: { split: answers },
      dialogs: { setNotice },
    },
    now: () => document,
    notices,
  };
}

test('changes that come faster than edits each start from the document of the one before', async () => {
  const asked: SplitAsked = { move: { by: 1 } };
  const { app, now } = page(async (document) =>
    JSON.stringify({ set: { 'cluster.pools[1].replicas': withRole(document, 'prefill') + 1 }, add: {} }),
  );
  await Promise.all([changeRoles(app, asked), changeRoles(app, asked), changeRoles(app, asked)]);
  expect(withRole(now(), 'prefill')).toBe(5);
});

test('a refused change says why and changes nothing, and the next one is made', async () => {
  const why: Diagnostic = {
    severity: 'error',
    path: 'cluster.pools',
    found: '0 prefill and 4 decode replicas',
    allowed: 'at least one replica of each role',
    fix: '',
  };
  let refuses = true;
  const { app, now, notices } = page(async () => {
    if (refuses) throw new RefusedError([why]);
    return JSON.stringify({ set: { 'cluster.pools[1].replicas': 1 }, add: {} });
  });
  const before = now();
  expect(await changeRoles(app, { move: { by: -2 } })).toBe(false);
  expect(now()).toBe(before);
  expect(notices.flatMap((n) => (n.kind === 'info' ? n.diagnostics : []))).toEqual([why]);
  refuses = false;
  expect(await changeRoles(app, { move: { by: -1 } })).toBe(true);
  expect(withRole(now(), 'prefill')).toBe(1);
});
