// The page is static files under any path: relative base, no inline script or style, one wasm file beside them.

import type { Plugin } from 'vite';
import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';
import { lessonPages } from './learn/plugin.mjs';
import { serviceWorker } from './offline/plugin.mjs';

/** Fetches the page's own code, workers and module while the first script is still being read; they are used a moment later. */
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
        const others = Object.keys(bundle).filter((file) => /worker-[^/]*\.js$|tokenyard_bg[^/]*\.wasm$/.test(file));
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

/** What only a validator of documents reads in the schema: the page asks the simulation instead. */
const FOR_VALIDATORS = new Set(['$schema', 'additionalProperties', 'required', 'TimedEdit', 'Edit', 'Route']);

/** Leaves out of the page's copy of the schema what the form does not read: a seventh of it. Fields and options describe themselves. */
function schemaOfTheForm(): Plugin {
  return {
    name: 'schema-of-the-form',
    enforce: 'pre',
    transform: (text, file) => {
      if (!file.endsWith('/generated/schema.json')) return undefined;
      const schema = JSON.parse(text, (key, value) => (isLeftOut(key, value) ? undefined : value));
      for (const definition of Object.values<{ description?: string }>(schema.$defs)) delete definition.description;
      return JSON.stringify(numbered(schema));
    },
  };
}

/** Widths of numbers that limit nothing are left out too. */
const isLeftOut = (key: string, value: unknown): boolean =>
  FOR_VALIDATORS.has(key) || (key === 'format' && typeof value === 'string' && !/^u?int32$/.test(value));

/** The label of a field that is its key in words: fields with such a label have none in the page's copy. */
const labelOf = (key: string): string => {
  const words = key.replace(/_(s|ms|us)$/, '').replace(/[-_]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/**
 * The schema in fewer bytes, which `sentencesOfTheForm` undoes when the page starts: three kilobytes less to send. What an
 * edit of a field does is one of a few dozen sentences, and fields have its number; labels that are keys in words are left
 * out, and a field without a label has 0.
 */
function numbered(schema: object): object {
  const sentences: string[] = [];
  const short = JSON.parse(JSON.stringify(schema), (key, value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    if (key === 'properties') return Object.fromEntries(Object.entries(value).map(unlabelled));
    // One order of keys in every field is sent in fewer bytes.
    const { description, 'x-label': label, 'x-unit': unit, 'x-edit': edit, 'x-edit-help': help, ...rest } = value;
    if (typeof help !== 'string' || typeof edit !== 'string') return value;
    const said = JSON.stringify([edit, help]);
    if (!sentences.includes(said)) sentences.push(said);
    return { description, 'x-label': label, 'x-unit': unit, 'x-edit': sentences.indexOf(said), ...rest };
  });
  return { ...short, 'x-edits': sentences.map((said) => JSON.parse(said)) };
}

function unlabelled([key, field]: [string, unknown]): [string, unknown] {
  if (field === null || typeof field !== 'object') return [key, field];
  const { 'x-label': label, ...rest } = field as Record<string, unknown>;
  if (label === undefined) return [key, { ...rest, 'x-label': 0 }];
  return [key, label === labelOf(key) ? rest : field];
}

/** Puts back into the fields what `numbered` took out, when the page starts. */
function sentencesOfTheForm(): Plugin {
  return {
    name: 'sentences-of-the-form',
    transform: (code, file) => {
      if (!file.endsWith('/generated/schema.json')) return undefined;
      const fill = `const edits = whole['x-edits'];
delete whole['x-edits'];
const labelOf = ${labelOf.toString()};
const fill = (node) => {
  const edit = edits[node['x-edit']];
  if (edit) [node['x-edit'], node['x-edit-help']] = edit;
  for (const [key, field] of Object.entries(node.properties ?? {})) {
    if (field['x-label'] === 0) delete field['x-label'];
    else field['x-label'] ??= labelOf(key);
  }
  for (const value of Object.values(node)) if (value && typeof value === 'object') fill(value);
};
fill(whole);`;
      const [before, after] = code.split(/^export default /m);
      if (after === undefined) throw new Error('The schema is no default export: look at sentencesOfTheForm.');
      return `${before}const whole = ${after.replace(/;?\s*$/, ';')}\n${fill}\nexport default whole;`;
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [
    schemaOfTheForm(),
    sentencesOfTheForm(),
    painter('painter', 'src/painters/painter.ts'),
    painter('closeup-painter', 'src/painters/closeupPainter.ts'),
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
    // Widgets and the schema apart from the page's own code: each is compiled in a task of its own.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'widgets', test: /node_modules\/(@ark-ui|@zag-js|@floating-ui|@internationalized)\// },
            { name: 'scenario-schema', test: /generated\/schema\.json$/ },
            // Small files that several parts of the page import: each would be a chunk of its own, for a hundred bytes and more.
            {
              name: 'shared',
              test: /src\/(base\/(trust|frameBytes|json|view)|panels\/parts\/save|state\/notices\/notices)\.ts$/,
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
    reportCompressedSize: true,
  },
  worker: { format: 'es' },
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
