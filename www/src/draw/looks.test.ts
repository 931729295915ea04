// The table of looks and the styles have the same dashes, and no file has dashes of its own.
import { expect, test } from 'vitest';
import theme from '../base/theme.css?raw';
import { DASHES } from './looks.ts';

type Sources = Readonly<Record<string, string>>;
const STYLES: Sources = import.meta.glob<string>('/src/**/*.css', { query: '?raw', import: 'default', eager: true });
const CODE: Sources = import.meta.glob<string>(['/src/**/*.{ts,tsx}', '!/src/**/*.test.ts', '!/src/draw/looks.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The values that a pattern finds in any of the sources, each once. */
const found = (sources: Sources, pattern: RegExp): readonly string[] => [
  ...new Set(Object.values(sources).flatMap((text) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''))),
];

test('a dash of a style is that of the table by the same name', () => {
  const declared = [...theme.matchAll(/--dash-([\w-]+): ([\d. ]+);/g)].map(([, name, value]) => [name, value]);
  const table = Object.entries(DASHES).map(([name, dash]) => [name, dash.join(' ')]);
  expect(declared.length).toBeGreaterThan(20);
  expect(declared).toEqual(table.filter(([name]) => declared.some(([other]) => other === name)));
});

test('the styles use the dashes that the theme declares, and all of them', () => {
  const declared = [...theme.matchAll(/--dash-([\w-]+):/g)].map((match) => match[1]);
  expect(found(STYLES, /var\(--dash-([\w-]+)\)/g).toSorted()).toEqual(declared.toSorted());
});

test('no style and no drawing has a dash of its own', () => {
  expect(found(STYLES, /(stroke-dasharray: \d[^;]*)/g)).toEqual([]);
  expect(found(CODE, /((?:setLineDash\(|dash[:,] )\[\d[^\]]*\])/g)).toEqual([]);
});
