import type { Plugin } from 'vite';

/** Records the opening of the page with the module that a build ships. */
export function opening(): Plugin;
