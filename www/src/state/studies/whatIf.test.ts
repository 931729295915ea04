import { expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { sentElsewhere } from './whatIf.ts';

test('a request sent elsewhere is an edit at its place in time', () => {
  const document: Json = {
    title: 'a',
    edits: [
      { at_us: 1, set: {} },
      { at_us: 9, set: {} },
    ],
  };
  expect(sentElsewhere(document, 5, 17, 2)).toEqual({
    title: 'a',
    edits: [
      { at_us: 1, set: {} },
      { at_us: 5, route: { request: 17, to: 2 } },
      { at_us: 9, set: {} },
    ],
  });
  expect(sentElsewhere({}, 5, 0, 1)).toEqual({ edits: [{ at_us: 5, route: { request: 0, to: 1 } }] });
});

test('it replaces another edit that sends the same request', () => {
  const once = sentElsewhere({}, 5, 17, 2);
  expect(sentElsewhere(once, 5, 17, 3)).toEqual({ edits: [{ at_us: 5, route: { request: 17, to: 3 } }] });
  expect(sentElsewhere(once, 5, 18, 3)).toEqual({
    edits: [
      { at_us: 5, route: { request: 18, to: 3 } },
      { at_us: 5, route: { request: 17, to: 2 } },
    ],
  });
});
