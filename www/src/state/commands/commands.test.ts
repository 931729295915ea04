import { expect, test } from 'vitest';
import { type Command, found, GROUPS, KEYED } from './commands.ts';
import { SHORTCUTS } from './shortcuts.ts';

test('every shortcut is a command of a group, with its keys', () => {
  expect(KEYED.map((c) => c.does)).toEqual(SHORTCUTS.map((s) => s.does));
  for (const { does, group, keys } of KEYED) {
    expect(GROUPS, does).toContain(group);
    expect(keys, does).not.toBe('');
  }
});

test('commands are found by words of their text, their group and their keys, beginnings first', () => {
  const one = (does: string, group: Command['group'], keys = ''): Command => ({ does, group, keys, action: () => {} });
  const all = [one('Show the run', 'View'), one('Run to the end', 'Run', 'End'), one('Undo', 'Edit', 'Ctrl + Z')];
  const texts = (words: string): string[] => found(all, words).map((c) => c.does);
  expect(texts('')).toEqual(['Show the run', 'Run to the end', 'Undo']);
  expect(texts('run')).toEqual(['Run to the end', 'Show the run']);
  expect(texts('THE view')).toEqual(['Show the run']);
  expect(texts('ctrl')).toEqual(['Undo']);
  expect(texts('nothing')).toEqual([]);
});

test('beginnings come first, texts about a command last, and fields are listed only for words', () => {
  const one = (does: string, more: Partial<Command>): Command => ({
    does,
    group: 'View',
    keys: '',
    action: () => {},
    ...more,
  });
  const all = [
    one('Preset', { about: 'a router' }),
    one('Routing policy', { also: 'router', sought: true }),
    one('Two routers', { sought: true }),
    one('Router of homes', {}),
  ];
  const texts = (words: string): string[] => found(all, words).map((c) => c.does);
  expect(texts('router')).toEqual(['Router of homes', 'Routing policy', 'Two routers', 'Preset']);
  expect(texts('')).toEqual(['Preset', 'Router of homes']);
  const many = Array.from({ length: 500 }, (_, i) => one(`Field ${i}`, {}));
  expect(found(many, 'field').length).toBeLessThanOrEqual(80);
});
