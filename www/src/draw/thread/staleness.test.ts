import { expect, test } from 'vitest';
import { Staleness } from './staleness.ts';

test('a picture of the run before is hidden until one of the new run is painted', () => {
  const canvas = new Staleness();
  canvas.ask(300, 100);
  expect(canvas.painted()).toBe(true);
  canvas.turn();
  expect(canvas.fresh).toBe(false);
  canvas.ask(300, 100);
  expect(canvas.fresh).toBe(false);
  expect(canvas.painted()).toBe(true);
});

test('a picture that was under way when the run changed does not show the canvas again', () => {
  const canvas = new Staleness();
  canvas.ask(300, 100);
  canvas.turn();
  expect(canvas.painted()).toBe(false);
  canvas.ask(300, 100);
  expect(canvas.painted()).toBe(true);
});

test('a bitmap of another size is hidden until the next one, unless it differs by a few pixels', () => {
  const canvas = new Staleness();
  canvas.ask(300, 100);
  canvas.painted();
  canvas.ask(300, 104);
  expect(canvas.fresh).toBe(true);
  canvas.painted();
  canvas.ask(300, 52);
  expect(canvas.fresh).toBe(false);
  expect(canvas.painted()).toBe(true);
});
