// How a thread of the page is started, and no more: this is read before anything else of the page.

/** A thread as far as its beginning goes. */
type Beginning = { onerror: ((event: ErrorEvent) => void) | null; failed?: boolean };

/**
 * The thread of a script. In a sandboxed frame, whose origin is that of no page, the browser starts no script by its address: one
 * that imports it is started instead.
 */
export function thread(url: string, name: string): Worker {
  const how = { type: 'module', name } as const;
  if (self.origin !== 'null') return new Worker(url, how);
  const importing = `import ${JSON.stringify(new URL(url, location.href).href)};`;
  return new Worker(URL.createObjectURL(new Blob([importing], { type: 'text/javascript' })), how);
}

/** Remembers whether the thread failed before anybody listened to it: one that is started early would fail unheard. */
export function early<T extends Beginning>(worker: T): T {
  worker.onerror = () => {
    worker.failed = true;
  };
  return worker;
}
