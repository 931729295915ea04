import { expect, test } from 'vitest';
import { frameOf } from '../../tests/gallery/synthetic.ts';
import { StageMemory } from './drawStage.ts';
import { writtenOf } from './facts.ts';
import type { StageFrame, StagePicture } from './picture.ts';

const picture = (written: StagePicture['written']): StagePicture => ({
  of: 'stage',
  frame: undefined,
  bytes: undefined,
  written,
  request: undefined,
  focus: undefined,
  scale: 512,
  ribbons: true,
  notes: [],
});

test('numbers are those of the frame given for them, until another one is given', () => {
  const memory = new StageMemory();
  const [first, second, third]: StageFrame[] = [frameOf(2, 10), frameOf(2, 11), frameOf(2, 12)];
  if (!first || !second || !third) throw new Error('three frames');
  expect(memory.toldWith(picture('this'), first)).toBe(first);
  expect(memory.toldWith(picture(undefined), second)).toBe(first);
  expect(memory.toldWith(picture(second), third)).toBe(second);
  expect(memory.toldWith(picture('this'), third)).toBe(third);
});

test('a replica missing in the frame of numbers has its present numbers', () => {
  const written = frameOf(2);
  const [one, , third] = frameOf(3, 140, 9).replicas;
  if (!one || !third) throw new Error('three replicas');
  expect(writtenOf(written, one)).toBe(written.replicas[0]);
  expect(writtenOf(written, third)).toBe(third);
});
