// Another run on screen: pictures of the run before are cleared in the same display frame in which the numbers change.

const watching = new Set<() => void>();

/** Calls `act` whenever another run comes on screen; returns a function that ends it. */
export function onRunChange(act: () => void): () => void {
  watching.add(act);
  return () => void watching.delete(act);
}

/** Another run is on screen from now on. */
export function runChanged(): void {
  for (const act of watching) act();
}
