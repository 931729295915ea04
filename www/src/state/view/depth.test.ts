import { expect, test } from 'vitest';
import { levelBefore, type Standing, wayOf } from './depth.ts';

const AT: Standing = {
  selected: { request: undefined, replica: undefined },
  holder: undefined,
  step: undefined,
  blocks: undefined,
};
const kinds = (at: Partial<Standing>): string[] => wayOf({ ...AT, ...at }).map((level) => level.kind);
const before = (at: Partial<Standing>): string | undefined =>
  levelBefore(wayOf({ ...AT, ...at }), { ...AT, ...at })?.kind;
const both = { request: 7, replica: 2 };
const step = { replica: 2, seq: 812 };

test('the way goes from the cluster over replica, step and request to blocks', () => {
  expect(kinds({})).toEqual(['cluster']);
  expect(kinds({ selected: { ...both, request: undefined } })).toEqual(['cluster', 'replica']);
  expect(kinds({ selected: both, step, blocks: both })).toEqual(['cluster', 'replica', 'step', 'request', 'blocks']);
});

test('a request chosen elsewhere is below the replica that has it', () => {
  expect(kinds({ selected: { request: 7, replica: undefined }, holder: 2 })).toEqual(['cluster', 'replica', 'request']);
  expect(kinds({ selected: { request: 7, replica: undefined } })).toEqual(['cluster', 'request']);
});

test('a step of another replica and blocks of another request are not on the way', () => {
  expect(kinds({ selected: { ...both, replica: 1 }, step, blocks: { request: 8, replica: 2 } })).toEqual([
    'cluster',
    'replica',
    'request',
  ]);
});

test('Escape leads back the way one came', () => {
  expect(before({})).toBeUndefined();
  expect(before({ selected: { ...both, request: undefined } })).toBe('cluster');
  expect(before({ selected: { ...both, request: undefined }, step })).toBe('replica');
  expect(before({ selected: both })).toBe('replica');
  expect(before({ selected: both, step })).toBe('step');
  expect(before({ selected: both, blocks: both })).toBe('request');
  expect(before({ selected: { request: 7, replica: undefined }, holder: 2 })).toBe('cluster');
});
