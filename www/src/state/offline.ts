// The page without a network: its files are kept by a service worker, and a new version is told of, never taken by itself.

/** Registers the service worker; `onNew` is told how to go over to a version that has come. */
export async function keepOffline(onNew: (goOver: () => void) => void): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  // Without a network there is nothing to look for: a request that must fail is an error on the console.
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
  // A page that was there before its first worker has no controller that could change.
  waiting.addEventListener('statechange', () => {
    if (waiting.state === 'activated') location.reload();
  });
  waiting.postMessage('take-over');
}
