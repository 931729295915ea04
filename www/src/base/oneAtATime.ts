// Questions whose answers are only wanted for how things stand now.

/** Asks one question at a time: what is wanted while one is under way is asked once that has been answered. */
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
