import { beforeEach, expect, test, vi } from 'vitest';

const store = new Map<string, string>();
const storage = {
  getItem: (key: string) => store.get(key) ?? null,
  setItem: (key: string, value: string) => void store.set(key, value),
  removeItem: (key: string) => void store.delete(key),
};

async function fresh(with_: unknown = storage) {
  vi.resetModules();
  vi.stubGlobal('localStorage', with_);
  return import('./lessonProgress.ts');
}

beforeEach(() => store.clear());

test('what was done is there after a reload', async () => {
  const before = await fresh();
  before.keepStep('the-knee', 2);
  before.markDone('the-knee', 1);
  before.markDone('the-knee', 0);
  before.keepHints('the-knee', 1, 2);
  before.keepGuess('the-knee', 0, { number: 300 }, 2.47);
  const after = await fresh();
  expect(after.progressOf('the-knee')).toEqual({
    step: 2,
    done: [0, 1],
    hints: { 1: 2 },
    guesses: { 0: { guess: { number: 300 }, factor: 2.47 } },
  });
  expect(after.allGuesses()).toEqual([{ name: 'the-knee', step: 0, factor: 2.47 }]);
});

test('a step stays done, and hints stay opened', async () => {
  const progress = await fresh();
  progress.markDone('a', 3);
  progress.markDone('a', 3);
  progress.keepHints('a', 3, 2);
  progress.keepHints('a', 3, 1);
  expect(progress.progressOf('a').done).toEqual([3]);
  expect(progress.progressOf('a').hints).toEqual({ 3: 2 });
});

test('a guess without a factor is in no list', async () => {
  const progress = await fresh();
  progress.keepGuess('a', 0, { choose: 1 }, null);
  expect(progress.allGuesses()).toEqual([]);
  expect(progress.progressOf('a').guesses[0]?.guess).toEqual({ choose: 1 });
});

test('forget empties all of it', async () => {
  const progress = await fresh();
  progress.markDone('a', 0);
  progress.forget();
  expect(progress.wasBegun('a')).toBe(false);
  expect(store.size).toBe(0);
});

test('denied storage keeps it until the page closes', async () => {
  const denied = () => {
    throw new DOMException('denied');
  };
  const progress = await fresh({ getItem: denied, setItem: denied, removeItem: denied });
  progress.markDone('a', 0);
  expect(progress.progressOf('a').done).toEqual([0]);
  progress.forget();
  expect(progress.progressOf('a').done).toEqual([]);
});

test.each([
  ['no JSON', '{'],
  ['a list', '[1]'],
  [
    'parts of other kinds',
    '{"a":3,"b":{"step":"x","done":[1.5,"2"],"hints":{"0":"y"},"guesses":{"0":{"guess":{"walk":1}}}}}',
  ],
])('%s in the storage is left out', async (_, text) => {
  const { readProgress } = await fresh();
  for (const one of Object.values(readProgress(text)))
    expect(one).toEqual({ step: 0, done: [], hints: {}, guesses: {} });
});
