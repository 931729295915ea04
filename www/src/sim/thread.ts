// How a thread of the page is started. The file is kept small, because the page loads it first.

/** The part of a thread's interface needed to start it. */
type Beginning = { onerror: ((event: ErrorEvent) => void) | null; failed?: boolean };

/**
 * The thread of a script. In a sandboxed frame, which has an opaque origin, the browser starts no script by its
 * address. There a small script is started that imports it and keeps messages until it has loaded.
 */
export function thread(url: string, name: string): Worker {
  if (self.origin !== 'null') return new Worker(url, { type: 'module', name });
  const importing = `const early = [];
onmessage = (event) => early.push(event);
import(${JSON.stringify(new URL(url, location.href).href)}).then(
  () => early.forEach((event) => onmessage(event)),
  (error) => setTimeout(() => { throw error; }),
);`;
  return new Worker(URL.createObjectURL(new Blob([importing], { type: 'text/javascript' })), { name });
}

/** Records whether the thread failed before a listener was attached, as a thread started early can. */
export function early<T extends Beginning>(worker: T): T {
  worker.onerror = () => {
    worker.failed = true;
  };
  return worker;
}
