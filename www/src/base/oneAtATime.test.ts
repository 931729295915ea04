import { expect, test } from 'vitest';
import { oneAtATime } from './oneAtATime.ts';

/** Questions answered when the test decides. */
function asks() {
  const open: { readonly answer: () => void; readonly refuse: () => void }[] = [];
  const go = oneAtATime(() => new Promise((answer, refuse) => open.push({ answer, refuse })));
  return { go, open };
}

test('questions during another one are asked once after it', async () => {
  const { go, open } = asks();
  go();
  go();
  go();
  expect(open).toHaveLength(1);
  open[0]?.answer();
  await Promise.resolve();
  expect(open).toHaveLength(2);
  open[1]?.answer();
  await Promise.resolve();
  expect(open).toHaveLength(2);
});

test('a failing question does not prevent later ones', async () => {
  const { go, open } = asks();
  go();
  open[0]?.refuse();
  await Promise.resolve();
  go();
  expect(open).toHaveLength(2);
});
