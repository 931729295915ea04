// The page is static files under any path: relative base, no inline script or style, one wasm file beside them.

import type { Plugin } from 'vite';
import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';
import { engineBytes } from './engineBytes.mjs';
import { schemaOfTheForm, sentencesOfTheForm } from './form/plugin.mjs';
import { lessonPages } from './learn/plugin.mjs';
import { serviceWorker } from './offline/plugin.mjs';
import { opening } from './recording/plugin.mjs';

/**
 * Fetches the page's own code and workers while the first script is still being read; they are used a moment later. The module is
 * not among them: it would take its share of a slow link from what the first picture needs.
 */
function prefetch(): Plugin {
  return {
    name: 'prefetch-simulation',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((part) => part.type === 'chunk');
        const withImports = (wanted: (file: string) => boolean): string[] =>
          chunks
            .filter(({ fileName }) => wanted(fileName))
            .flatMap(({ fileName, imports }) => [fileName, ...withImports((file) => imports.includes(file))]);
        const modules = new Set(withImports((file) => file.includes('/page-')));
        const painter = new Set(withImports((file) => file.includes('/painter-')).filter((file) => !modules.has(file)));
        const others = Object.keys(bundle).filter((file) => /worker-[^/]*\.js$/.test(file));
        return [
          ...[...modules].map((file) => ({ rel: 'modulepreload', file })),
          ...[...painter, ...others].map((file) => ({ rel: 'prefetch', file })),
        ].map(({ rel, file }) => ({ tag: 'link', attrs: { rel, href: `./${file}` }, injectTo: 'head' as const }));
      },
    },
  };
}

/**
 * The painters' threads as entries of the page's own build, by the names `virtual:…`: what they share with the page is loaded
 * once. A worker that Vite builds has copies of its own.
 */
function painter(name: string, file: string): Plugin {
  const NAME = `virtual:${name}`;
  let entry: string | undefined;
  return {
    name,
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    buildStart() {
      if (!this.meta.watchMode)
        entry = this.emitFile({ type: 'chunk', id: new URL(file, import.meta.url).pathname, name });
    },
    load: (id) => {
      if (id !== `\0${NAME}`) return undefined;
      return `export default ${entry === undefined ? `'/${file}'` : `import.meta.ROLLUP_FILE_URL_${entry}`};`;
    },
  };
}

/** How long each plugin took is no warning. */
const QUIET = { bundlerTimings: false };

export default defineConfig({
  base: './',
  define: { ENGINE_BYTES: engineBytes() },
  plugins: [
    schemaOfTheForm(),
    sentencesOfTheForm(),
    painter('painter', 'src/painters/painter.ts'),
    painter('closeup-painter', 'src/painters/closeupPainter.ts'),
    opening(),
    solid(),
    prefetch(),
    lessonPages(),
    serviceWorker(),
  ],
  build: {
    target: 'es2022',
    // Inlined assets would need data: URLs, which the content security policy refuses.
    assetsInlineLimit: 0,
    // The polyfill would be an extra script for browsers that the target already excludes.
    modulePreload: { polyfill: false },
    // The schema apart from the page's own code: each is compiled in a task of its own.
    rolldownOptions: {
      checks: QUIET,
      output: {
        codeSplitting: {
          groups: [
            { name: 'scenario-schema', test: /generated\/schema\.json$/ },
            { name: 'schema-words', test: /virtual:schema-words$/ },
            // Small files that several parts of the page import: each would be a chunk of its own, for a hundred bytes and more.
            {
              name: 'shared',
              test: /src\/(generated\/boundary|base\/(trust|frameBytes|json|view)|panels\/parts\/save|state\/notices\/notices)\.ts$/,
            },
            // The same, of files that no other thread imports.
            {
              name: 'signals',
              test: /src\/(base\/(chartList|media)|state\/(view\/(span|spanShown|theoryLaw|closeup|chartList)|lessons\/lesson|run\/(namedRuns|occasions)|edits\/(roles|undo|edits))|panels\/parts\/(Deferred|Segments|TableHead|trustWords))\.tsx?$/,
            },
          ],
        },
      },
    },
    // scripts/size says what is loaded when. The largest chunks, the text editor and measured runs, are loaded when they are opened.
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
  },
  worker: { format: 'es', rolldownOptions: { checks: QUIET } },
  server: { port: 5173, strictPort: false },
  // A frame whose sandbox gives it no origin asks for every script as a stranger.
  preview: { port: 4173, strictPort: false, cors: true },
  test: {
    include: ['src/**/*.test.ts', 'tests/layout/*.test.ts'],
    environment: 'node',
    // A test reads styles as text; else they are empty in tests.
    css: { include: /\.css\?raw$/ },
  },
});
