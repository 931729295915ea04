// How a thread of the page is started, and no more: this is read before anything else of the page.

/** A thread as far as its beginning goes. */
type Beginning = { onerror: ((event: ErrorEvent) => void) | null; failed?: boolean };

/**
 * The thread of a script. In a sandboxed frame, whose origin is that of no page, the browser starts no script by its address: one
 * that imports it is started instead, and keeps what it is told until that is there.
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

/** Remembers whether the thread failed before anybody listened to it: one that is started early would fail unheard. */
export function early<T extends Beginning>(worker: T): T {
  worker.onerror = () => {
    worker.failed = true;
  };
  return worker;
}
