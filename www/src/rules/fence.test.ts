// The fence between the folders of `www/src`, as tests/tidy.rs is the fence between the modules of `src`: which folder
// may import from which. ARCHITECTURE.md has the same table in words.
import { expect, test } from 'vitest';

/** The folders that every folder of panels may import from. */
const BELOW_PANELS = ['base', 'draw', 'charts', 'sim', 'state'];
/** Each folder with those it may import from, besides itself and `generated`, whose types every folder uses. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  generated: [],
  base: [],
  draw: ['base'],
  sim: ['base'],
  stage: ['base', 'draw'],
  charts: ['base', 'draw'],
  state: ['base', 'sim'],
  closeup: ['base', 'draw', 'charts', 'sim'],
  'panels/parts': BELOW_PANELS,
  'panels/lanes': [...BELOW_PANELS, 'closeup', 'panels/parts'],
  'panels/kv': [...BELOW_PANELS, 'closeup', 'panels/parts'],
  'panels/density': [...BELOW_PANELS, 'closeup', 'panels/parts'],
  'panels/tiers': [...BELOW_PANELS, 'panels/parts'],
  'panels/sessions': [...BELOW_PANELS, 'panels/parts'],
  'panels/glossary': [...BELOW_PANELS, 'panels/parts'],
  'panels/lessons': [...BELOW_PANELS, 'panels/parts'],
  'panels/calm': [...BELOW_PANELS, 'panels/parts'],
  'panels/shell': [...BELOW_PANELS, 'panels/parts'],
  'panels/scenario': [...BELOW_PANELS, 'panels/parts'],
  'panels/studies': [...BELOW_PANELS, 'panels/parts'],
  'panels/inspector': [...BELOW_PANELS, 'panels/parts', 'panels/kv', 'panels/lessons', 'panels/studies'],
  'panels/measured': [...BELOW_PANELS, 'panels/parts'],
  'panels/exchange': [...BELOW_PANELS, 'panels/parts', 'panels/studies'],
  /** The threads that draw. */
  painters: ['base', 'draw', 'charts', 'stage', 'closeup'],
  /** The parts of the page put together. */
  page: [
    ...BELOW_PANELS,
    'stage',
    'closeup',
    'painters',
    'panels/parts',
    'panels/lanes',
    'panels/kv',
    'panels/density',
    'panels/tiers',
    'panels/sessions',
    'panels/glossary',
    'panels/lessons',
    'panels/calm',
    'panels/shell',
    'panels/scenario',
    'panels/studies',
    'panels/inspector',
    'panels/measured',
    'panels/exchange',
  ],
  /** Rules that hold for all folders. */
  rules: ['base', 'state'],
  /** What a visit loads first: the styles, in their order, and the workers that start before the page is there. */
  '': ['base', 'charts', 'sim', 'stage', 'panels/calm', 'panels/shell', 'panels/scenario', 'panels/inspector', 'page'],
};
/** The WebAssembly modules, each imported by one file only. */
const MODULE = 'pkg';
const MODULE_USERS: Readonly<Record<string, string>> = {
  'pkg/tokenyard.js': 'sim/engine.ts',
  'pkg/tokenyard_bg.wasm': 'sim/engine.ts',
  'pkg/links.js': 'sim/links.ts',
  'pkg/links_bg.wasm': 'sim/links.ts',
  'pkg/compare.js': 'sim/compare.ts',
  'pkg/compare_bg.wasm': 'sim/compare.ts',
  'pkg/measured.js': 'sim/measured.ts',
  'pkg/measured_bg.wasm': 'sim/measured.ts',
  'pkg/exchange.js': 'sim/exchange.ts',
  'pkg/exchange_bg.wasm': 'sim/exchange.ts',
};

type Sources = Readonly<Record<string, string>>;

const SOURCES: Sources = import.meta.glob<string>('/src/**/*.{ts,tsx}', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The folder of a file: its first name, and the second too for folders of panels. */
function folderOf(path: string): string {
  const folders = path.split('/').slice(0, -1);
  return folders.slice(0, folders[0] === 'panels' ? 2 : 1).join('/');
}

/** The files that `text`, at `path` below `src`, imports: static, dynamic and by URL. */
function importsOf(path: string, text: string): readonly string[] {
  const named = [...text.matchAll(/(?:from\s+|import\s*\(?\s*|new URL\(\s*)'(\.[^']*)'/g)].map((m) => m[1] ?? '');
  return named.map((name) => decodeURI(new URL(name, `file:///src/${path}`).pathname.slice(1)));
}

function problems(sources: Sources): readonly string[] {
  return Object.entries(sources).flatMap(([name, text]) => {
    const path = name.replace('/src/', '');
    const folder = folderOf(path);
    const allowed = MAY_IMPORT[folder];
    if (allowed === undefined) return [`${path}: the folder ${folder} is not in the table`];
    return importsOf(path, text).flatMap((imported) => {
      if (imported.startsWith(`${MODULE}/`))
        return path === MODULE_USERS[imported] ? [] : [`${path}: only ${MODULE_USERS[imported]} imports ${imported}`];
      // Files outside src, such as the built-in scenarios, belong to no folder of it.
      if (!imported.startsWith('src/')) return [];
      const target = folderOf(imported.slice('src/'.length));
      return target === folder || target === 'generated' || allowed.includes(target)
        ? []
        : [`${path}: ${folder} imports ${imported}`];
    });
  });
}

test('a folder imports only from the folders that the table gives it', () => {
  expect(Object.keys(SOURCES).length).toBeGreaterThan(80);
  expect(problems(SOURCES)).toEqual([]);
});

test('a folder imports only from folders above it in the table, so that there are no cycles', () => {
  const order = Object.keys(MAY_IMPORT);
  for (const [i, folder] of order.entries())
    for (const imported of MAY_IMPORT[folder] ?? []) expect(order.slice(0, i), folder).toContain(imported);
});

test.each([
  ['/src/charts/a.ts', "import { x } from '../stage/facts.ts';"],
  ['/src/base/a.ts', "import type { App } from '../state/app.ts';"],
  ['/src/draw/a.ts', "const later = import('../panels/scenario/Form.tsx');"],
  ['/src/state/a.ts', "export { x } from '../panels/parts/save.ts';"],
  ['/src/panels/shell/a.ts', "import init from '../../../pkg/tokenyard.js';"],
  ['/src/panels/parts/a.ts', "import { Share } from '../shell/Share.tsx';"],
  ['/src/panels/a.ts', "import { Sheet } from './parts/Sheet.tsx';"],
  ['/src/state/a.ts', "new Worker(new URL('../stage/worker.ts', import.meta.url));"],
  ['/src/new-folder/a.ts', ''],
])('the fence catches %s with %s', (path, text) => {
  expect(problems({ [path]: text }).length).toBe(1);
});
