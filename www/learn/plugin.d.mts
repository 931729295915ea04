import type { Plugin } from 'vite';

export function lessonPages(env?: Record<string, string | undefined>): Plugin;
