import { expect, test } from 'vitest';
import { answerOf, askedText } from './packet.ts';

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

test('bytes of a question stand beside its text, by their number', () => {
  const [a, b] = [bytesOf('a'), bytesOf('b')];
  const { question, named } = askedText({ compare: { pairs: [{ a, b }], left: undefined, none: null } });
  expect(JSON.parse(question)).toEqual({
    compare: { pairs: [{ a: { attached: 0 }, b: { attached: 1 } }], none: null },
  });
  expect(named).toEqual([a, b]);
});

test('bytes of an answer are where its text names them', () => {
  const piece = bytesOf('rows');
  expect(answerOf([bytesOf('{"bytes":{"attached":0},"note":null,"list":["x"]}'), piece])).toEqual({
    bytes: piece,
    note: null,
    list: ['x'],
  });
  expect(answerOf([bytesOf('{"attached":0}'), piece])).toBe(piece);
  expect(answerOf([bytesOf('null')])).toBeNull();
});
