// The page without a network: a service worker keeps its files. A new version is announced, never loaded by itself.

/** Registers the service worker; `onNew` gets a function that switches to a new version. */
export async function keepOffline(onNew: (goOver: () => void) => void): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  // Without a network it does not look for versions: a failing request would be an error on the console.
  if (!navigator.onLine) await new Promise((resolve) => window.addEventListener('online', resolve, { once: true }));
  const registration = await navigator.serviceWorker.register('./sw.js');
  const tell = (): void => {
    const { waiting } = registration;
    if (waiting && registration.active) onNew(() => goOver(waiting));
  };
  tell();
  registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', tell));
}

function goOver(waiting: ServiceWorker): void {
  // A page older than its first worker has no controller that could change.
  waiting.addEventListener('statechange', () => {
    if (waiting.state === 'activated') location.reload();
  });
  waiting.postMessage('take-over');
}
