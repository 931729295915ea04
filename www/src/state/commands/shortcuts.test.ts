import { expect, test } from 'vitest';
import { type Allowed, keysOf, type Pressed, SHORTCUTS, shortcutFor, tooltip } from './shortcuts.ts';

const NONE = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
const pressed = (key: string, modifiers: Partial<Pressed> = {}): Pressed => ({ key, ...NONE, ...modifiers });
const nowhere = (_: string): boolean => false;
/** The focus is on a text field. */
const inField = (selector: string): boolean => selector.startsWith('input:not');

const nameOf = (p: Pressed, matches = nowhere, allowed: Allowed = 'all'): string | undefined =>
  shortcutFor(p, allowed, { matches, byPointer: false })?.name;

test('each key in the help has the described action', () => {
  for (const shortcut of SHORTCUTS)
    for (const { key, ...chord } of shortcut.keys) {
      const modifiers = { shiftKey: 'shift' in chord && chord.shift, ctrlKey: 'command' in chord };
      // With Shift a letter arrives as its capital.
      const sent = modifiers.shiftKey && modifiers.ctrlKey ? key.toUpperCase() : key;
      expect(nameOf(pressed(sent, modifiers)), `${shortcut.name} ${key}`).toBe(shortcut.name);
    }
});

test('no two shortcuts show the same keys, and each has a description', () => {
  const keys = SHORTCUTS.flatMap((s) => keysOf(s).split(' or '));
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(SHORTCUTS.map((s) => s.does)).size).toBe(SHORTCUTS.length);
});

test('no key combination triggers two shortcuts', () => {
  for (const shortcut of SHORTCUTS) {
    const chords = [...shortcut.keys, ...('also' in shortcut ? shortcut.also : [])];
    for (const { key, ...chord } of chords)
      for (const shiftKey of 'shift' in chord ? [chord.shift] : [false, true]) {
        const modifiers = { shiftKey, ctrlKey: 'command' in chord };
        expect(nameOf(pressed(key, modifiers)), `${shortcut.name} ${key} ${shiftKey}`).toBe(shortcut.name);
      }
  }
});

test('keys typed into a field belong to it, except Escape, which leaves it', () => {
  expect(nameOf(pressed('r'), inField)).toBeUndefined();
  expect(nameOf(pressed(' '), inField)).toBeUndefined();
  expect(nameOf(pressed('Escape'), inField)).toBe('leave');
});

test('a widget keeps the keys it needs', () => {
  const slider = (selector: string): boolean => selector.includes('[role=slider]');
  expect(nameOf(pressed('ArrowRight'), slider)).toBeUndefined();
  expect(nameOf(pressed('ArrowRight'))).toBe('on-1s');
  expect(nameOf(pressed('.'), slider)).toBe('step-event');
});

test('Space presses a button that a key has reached, and plays after one was clicked', () => {
  const on = (role: string, byPointer: boolean): string | undefined => {
    const matches = (selector: string): boolean => selector.split(', ').includes(role);
    return shortcutFor(pressed(' '), 'all', { matches, byPointer })?.name;
  };
  for (const role of ['button', 'summary', '[role=tab]', 'input']) {
    expect(on(role, false), role).toBeUndefined();
    expect(on(role, true), role).toBe('play');
  }
  for (const byPointer of [false, true]) expect(on('[role=menuitem]', byPointer)).toBeUndefined();
});

test('undo and redo take Ctrl or Cmd, with single keys switched off too, but not from a field', () => {
  expect(nameOf(pressed('z', { metaKey: true }), nowhere, 'chords')).toBe('undo');
  expect(nameOf(pressed('Z', { ctrlKey: true, shiftKey: true }))).toBe('redo');
  expect(nameOf(pressed('z', { ctrlKey: true }), inField)).toBeUndefined();
});

test('single keys or all keys can be switched off; other modifiers belong to the browser', () => {
  expect(nameOf(pressed('r'), nowhere, 'chords')).toBeUndefined();
  expect(nameOf(pressed('z', { ctrlKey: true }), nowhere, 'none')).toBeUndefined();
  expect(nameOf(pressed('r', { ctrlKey: true }))).toBeUndefined();
  expect(nameOf(pressed('.', { altKey: true }))).toBeUndefined();
  expect(nameOf(pressed('Escape'), nowhere, 'none')).toBe('leave');
});

test('a tooltip shows the keys of the table', () => {
  expect(tooltip('Pause', 'play')).toBe('Pause (Space)');
  expect(tooltip('Step one engine step', 'step-engine')).toBe('Step one engine step (Shift + .)');
  expect(tooltip('Slower', 'slower')).toBe('Slower ([ or −)');
});

test('commands are found from a field too, as its letters are no text there', () => {
  expect(nameOf(pressed('k', { ctrlKey: true }), inField)).toBe('palette');
  expect(nameOf(pressed('k'), inField)).toBeUndefined();
});

test('each function of the first view, of the work view and of the run has its key', () => {
  const keys: Readonly<Record<string, string>> = {
    ...{
      ' ': 'play',
      '.': 'step-event',
      ',': 'step-back',
      Home: 'restart',
      End: 'to-end',
      '[': 'slower',
      ']': 'faster',
    },
    ...{ ArrowLeft: 'back-1s', ArrowRight: 'on-1s', r: 'router', b: 'burst', x: 'break-row', s: 'scenario', y: 'why' },
    ...{
      w: 'view',
      j: 'next',
      k: 'previous',
      '1': 'show-charts',
      '2': 'show-lanes',
      '3': 'show-kv',
      '4': 'show-density',
      '5': 'show-tiers',
      '6': 'show-sessions',
    },
    ...{ '/': 'search', Escape: 'leave' },
  };
  for (const [key, name] of Object.entries(keys)) expect(nameOf(pressed(key)), key).toBe(name);
  expect(nameOf(pressed('ArrowLeft', { shiftKey: true }))).toBe('back-10s');
  expect(nameOf(pressed('ArrowRight', { shiftKey: true }))).toBe('on-10s');
});

test('what other keys have displaced has a key of its own', () => {
  const keys = { S: 'share', N: 'frame-back', P: 'pause', B: 'branch', '{': 'less-prefill', '}': 'more-prefill' };
  for (const [key, name] of Object.entries(keys)) expect(nameOf(pressed(key, { shiftKey: true })), key).toBe(name);
});
