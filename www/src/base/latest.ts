// The latest of several answers that come later, for what acts on the newest one.

export type Latest<T> = {
  /** Takes a new answer in place of the one before. */
  readonly take: (answer: Promise<T>) => void;
  /** The newest answer once it has come, also if a newer one was taken meanwhile; undefined before the first. */
  readonly settled: () => Promise<T | undefined>;
};

/** `onAnswer` is called with each answer that is still the newest when it comes, and `onFailed` where that failed. */
export function createLatest<T>(onAnswer: (answer: T) => void, onFailed: () => void): Latest<T> {
  let newest: Promise<T> | undefined;
  return {
    take: (answer) => {
      newest = answer;
      answer.then(
        (value) => newest === answer && onAnswer(value),
        () => newest === answer && onFailed(),
      );
    },
    settled: async () => {
      for (;;) {
        const asked = newest;
        const value = await asked;
        if (asked === newest) return value;
      }
    },
  };
}
