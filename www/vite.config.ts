// The page is static files under any path: relative base, no inline script or style, one wasm file beside them.
import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  base: './',
  plugins: [solid()],
  build: {
    target: 'es2022',
    // Inlined assets would need data: URLs, which the content security policy refuses.
    assetsInlineLimit: 0,
    // The polyfill would be an extra script for browsers that the target already excludes.
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  worker: { format: 'es' },
  server: { port: 5173, strictPort: false },
  preview: { port: 4173, strictPort: false },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
