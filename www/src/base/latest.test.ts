import { expect, test } from 'vitest';
import { createLatest } from './latest.ts';

/** A promise, and the function that fulfils it. */
function later<T>(): { readonly promise: Promise<T>; readonly give: (value: T) => void } {
  let give: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    give = resolve;
  });
  return { promise, give };
}

test('what acts on the newest answer waits for it, also where it was asked for meanwhile', async () => {
  const shown: string[] = [];
  const latest = createLatest<string>(
    (value) => void shown.push(value),
    () => {},
  );
  expect(await latest.settled()).toBeUndefined();
  const [before, typed] = [later<string>(), later<string>()];
  latest.take(before.promise);
  const copied = latest.settled();
  latest.take(typed.promise);
  before.give('link of before');
  await before.promise;
  typed.give('link with the note');
  expect(await copied).toBe('link with the note');
  expect(shown).toEqual(['link with the note']);
});

test('a failed answer is shown unless a newer one was asked for', async () => {
  let failed = 0;
  const latest = createLatest<string>(
    () => {},
    () => {
      failed += 1;
    },
  );
  latest.take(Promise.reject(new Error('no module')));
  latest.take(Promise.resolve('link'));
  expect(await latest.settled()).toBe('link');
  expect(failed).toBe(0);
  latest.take(Promise.reject(new Error('no module')));
  await expect(latest.settled()).rejects.toThrow('no module');
  expect(failed).toBe(1);
});
