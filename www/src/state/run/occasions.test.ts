import { expect, test } from 'vitest';
import { OCCASIONS } from '../../generated/boundary.ts';
import { choicesOf, chosen, firstWanted, sayWanted, wantedNamed } from './occasions.ts';

const choice = (name: string) => {
  const found = OCCASIONS.find((c) => c.name === name);
  if (!found) throw new Error(name);
  return found;
};

test('an occasion is its name, with its number or kind', () => {
  expect(chosen(choice('refusal'), '')?.occasion).toBe('refusal');
  expect(chosen(choice('queue-above'), ' 12 ')?.occasion).toEqual({ 'queue-above': 12 });
  expect(chosen(choice('kv-above'), '97.5')?.occasion).toEqual({ 'kv-above': 97.5 });
  expect(chosen(choice('event'), 'dropped')?.occasion).toEqual({ event: 'dropped' });
  expect(chosen(choice('anomaly'), 'livelock')?.occasion).toEqual({ anomaly: 'livelock' });
});

test('an invalid number or kind is no occasion', () => {
  expect(chosen(choice('queue-above'), '')).toBeUndefined();
  expect(chosen(choice('queue-above'), '-1')).toBeUndefined();
  expect(chosen(choice('kv-above'), '101')).toBeUndefined();
  expect(chosen(choice('event'), 'nothing')).toBeUndefined();
});

test('an occasion has a short description', () => {
  const say = (name: string, value: string): string => {
    const wanted = chosen(choice(name), value);
    return wanted ? sayWanted(wanted) : '';
  };
  expect(sayWanted(firstWanted())).toBe('preemption');
  expect(say('queue-above', '12')).toBe('queue above 12');
  expect(say('kv-above', '95')).toBe('KV in use above 95 %');
  expect(say('request', '7')).toBe('event of request #7');
  expect(say('event', 'first-token')).toBe('first token');
});

test('transfers and landings are offered where pools have roles, and have a key', () => {
  const names = (roles: boolean): string[] => choicesOf(roles).map((one) => one.name);
  expect(names(true).filter((name) => !names(false).includes(name))).toEqual(['transfer', 'landing']);
  expect(wantedNamed('landing')?.occasion).toBe('landing');
  expect(wantedNamed('nothing of the kind')).toBeUndefined();
});
