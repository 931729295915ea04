import { expect, test } from 'vitest';
import type { Diagnostic } from '../../generated/boundary.ts';
import { byPath, explain, ofDocument } from './notices.ts';

const problem = (path: string, severity: 'error' | 'warning' = 'error'): Diagnostic => ({
  severity,
  path,
  found: 'this',
  allowed: 'that',
  fix: '',
});

test('a warning about one field is not shown at the changed field', () => {
  const found = ofDocument(
    new Map(),
    [problem('cluster.pools[0].architecture', 'warning')],
    'cluster.pools[0].hardware',
  );
  expect([...found.keys()]).toEqual(['cluster.pools[0].architecture']);
});

test('refused input of another field stays; old warnings and errors of this field go', () => {
  const before = new Map([
    ['run.horizon_s', problem('run.horizon_s')],
    ['seed', problem('seed')],
    ['slo', problem('slo', 'warning')],
  ]);
  expect([...ofDocument(before, [], 'seed').keys()]).toEqual(['run.horizon_s']);
});

test('a problem of an edit belongs to its field', () => {
  expect([...byPath([problem('replicas.replicas')], 'cluster.pools[0].replicas').keys()]).toEqual([
    'cluster.pools[0].replicas',
  ]);
});

test('a problem says what was found and what is allowed, or is a sentence', () => {
  const sentence = { ...problem(''), found: 'It is a picture.', allowed: '', fix: 'take another' };
  expect(explain(sentence)).toBe('It is a picture.; take another');
  expect(explain({ ...problem('seed'), fix: 'mend it' })).toBe('seed: found this; allowed: that; mend it');
  const near = { ...problem('cluster.routing'), found: 'unknown choice "lest"', fix: 'did you mean `least-loaded`?' };
  expect(explain(near), 'the nearest name comes first').toBe(
    'cluster.routing: unknown choice "lest". Did you mean `least-loaded`? Allowed: that.',
  );
});
