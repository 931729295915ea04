// Questions that only need the latest answer.

/** Asks one question at a time. If more are requested meanwhile, it asks once more after the answer. */
export function oneAtATime(ask: () => Promise<void>): () => void {
  let underWay = false;
  let again = false;
  const ended = (): void => {
    underWay = false;
    if (again) go();
  };
  const go = (): void => {
    again = underWay;
    if (underWay) return;
    underWay = true;
    ask().then(ended, ended);
  };
  return go;
}
