import { expect, test } from 'vitest';
import { typedAfter } from './typedAhead.ts';

test('letters, signs and Backspace are typed; Enter adds nothing, and other keys end the wait', () => {
  const typed = ['r', 'o', 'x', 'Backspace', 'u', 'Enter', ' '].reduce<string | undefined>(
    (text, key) => (text === undefined ? undefined : typedAfter(text, key)),
    '',
  );
  expect(typed).toBe('rou ');
  expect(typedAfter('', 'ß')).toBe('ß');
  expect(typedAfter('', 'Backspace')).toBe('');
  for (const key of ['ArrowDown', 'Tab', 'F2', 'End']) expect(typedAfter('a', key), key).toBeUndefined();
});
