import type { Plugin } from 'vite';

/** Writes the service worker of a build. */
export function serviceWorker(): Plugin;
