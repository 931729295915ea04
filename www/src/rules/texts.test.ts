// The rules for texts that a program can check: docs/reference/ui-text.md has them all.
import words from 'virtual:schema-words';
import { expect, test } from 'vitest';
import { isObject, type Json } from '../base/json.ts';
import { text as withUnit } from '../base/units.ts';
import gallery from '../generated/gallery.json';
import schema from '../generated/schema.json';
import { SHORTCUTS } from '../state/commands/shortcuts.ts';

/** The source files of the page, by name, to search for texts. */
const SOURCES = import.meta.glob<string>(
  ['/src/**/*.ts', '/src/**/*.tsx', '!/src/**/*.test.ts', '!/src/generated/**'],
  {
    query: '?raw',
    import: 'default',
    eager: true,
  },
);

/** Every text under one of the keys, anywhere below. */
function textsUnder(at: Json, keys: readonly string[]): string[] {
  if (Array.isArray(at)) return at.flatMap((entry) => textsUnder(entry, keys));
  if (!isObject(at)) return [];
  return Object.entries(at).flatMap(([key, value]) => {
    if (typeof value === 'string') return keys.includes(key) ? [value] : [];
    return value === undefined ? [] : textsUnder(value, keys);
  });
}

/** Texts that break a rule. */
const against = (texts: readonly string[], rule: RegExp): string[] => texts.filter((text) => rule.test(text));

const LABELS = textsUnder(schema, ['x-label']);
const SENTENCES = [...textsUnder(schema, ['x-edit-help']), ...words];
const TITLES = gallery.map((card) => card.title);
const LOOKS = gallery.map((card) => card.look);

test('there are texts to check', () => {
  expect(LABELS.length).toBeGreaterThan(300);
  expect(SENTENCES.length).toBeGreaterThan(500);
  expect(SHORTCUTS.length).toBeGreaterThan(20);
  expect(Object.keys(SOURCES).length).toBeGreaterThan(200);
});

test('labels and titles are in sentence case and have no full stop', () => {
  const labels = [...LABELS, ...TITLES];
  expect(against(labels, /\.$/)).toEqual([]);
  expect(against(labels, /^[a-z]/)).toEqual([]);
  // A later word begins with a capital only if it has more of them, as KV has, or is a name.
  const names = /\b(Llama|Mixtral|Azure|Mooncake|Hugging|Face|Mkeys|Kubernetes)\b/gu;
  expect(LABELS.filter((label) => / [A-Z][a-z]+/.test(label.replace(names, '')))).toEqual([]);
});

test('descriptions, help and notes are whole sentences', () => {
  expect(against([...SENTENCES, ...LOOKS], /[^.!?`)]$/)).toEqual([]);
  // They begin with a capital, the name of a key or a name that is written so.
  const key = /^([a-z0-9.]+[-_ :=(]|vLLM)/u;
  expect(against([...SENTENCES, ...LOOKS], /^[a-z]/).filter((text) => !key.test(text))).toEqual([]);
});

test('descriptions of shortcuts have no full stop', () => {
  expect(
    against(
      SHORTCUTS.map((shortcut) => shortcut.does),
      /\.$/,
    ),
  ).toEqual([]);
});

test('no text has two spaces in a row or three dots for an ellipsis', () => {
  const all = [...LABELS, ...SENTENCES, ...TITLES, ...LOOKS, ...SHORTCUTS.map((shortcut) => shortcut.does)];
  expect(against(all, / {2}|\.\.\./)).toEqual([]);
});

test('an ellipsis of the page is one character and follows its word at once', () => {
  const found = Object.entries(SOURCES).flatMap(([file, text]) =>
    [...text.matchAll(/[\w)] …['<]|[A-Za-z]\.\.\.['<]/gu)].map((match) => `${file}: ${match[0]}`),
  );
  expect(found).toEqual([]);
});

test('a unit is in its own column and not in a label', () => {
  expect(against(LABELS, /\((ms|s|µs|tokens|bytes|GiB|GB|%)\)$/)).toEqual([]);
});

test('a value and its unit are kept together by a no-break space', () => {
  expect(withUnit({ value: '300', unit: 'ms' })).toBe('300\u00a0ms');
});

test('no text is made once for all in the function child of a Show or For: it would stay at its first value', () => {
  const found = Object.entries(SOURCES).flatMap(([name, source]) =>
    [...source.matchAll(/\{\(\w+(?:, \w+)?\) => `/g)].map((at) => `${name}: ${source.slice(at.index, at.index + 60)}`),
  );
  expect(found).toEqual([]);
});
