import { expect, test } from 'vitest';
import { differsSaid } from './resultCheck.ts';

test('a result that differs is said with both versions and both digests', () => {
  const wanted = { version: '0.1.0', digest: 'aa' };
  const later = differsSaid(wanted, { version: '0.2.0', digest: 'bb' }, 61_900_000);
  expect(later).toContain('at 61.9 s: version 0.1.0 computed digest aa. This page is version 0.2.0 and computes bb.');
  const same = differsSaid(wanted, { version: '0.1.0', digest: 'bb' }, 61_900_000);
  expect(same).toContain('This page has the same version and computes bb.');
});
