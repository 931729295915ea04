import { expect, test } from 'vitest';
import { splitFrameOf } from '../../tests/gallery/syntheticSplit.ts';
import { deciderAxis, decisionAt, decisionPlace } from './decider.ts';
import { hitTest } from './layout.ts';
import { layoutFor } from './layoutFor.ts';
import { ribbonAt, ribbonsOf, stepOf, wedgeAt } from './ribbons.ts';
import { pairWords, requestAt, roleAt } from './splitHits.ts';
import { splitLayout, splitNeeds } from './splitLayout.ts';

const frame = splitFrameOf(3, 5);
const layout = layoutFor(822, 440, frame, frame.replicas);
const split = layout.split;
if (!split || !frame.split) throw new Error('no columns');
const all = ribbonsOf(frame.split, frame.replicas, split);

test('prefill is at the left and decode at the right, with the ports on the edges that face each other', () => {
  expect(split.cards.map((card) => card.side)).toEqual([...Array(3).fill('prefill'), ...Array(5).fill('decode')]);
  const [first] = split.cards;
  const last = split.cards.at(-1);
  expect(first?.port.along).toBe((first?.box.x ?? 0) + (first?.box.w ?? 0) + 1);
  expect(last?.port.along).toBe((last?.box.x ?? 0) - 1);
  expect(split.prefill.x + split.prefill.w + 100).toBeLessThan(split.decode.x);
  for (const { box } of split.cards) expect(box.y + box.h).toBeLessThan(split.localY ?? 0);
});

test('on a phone prefill is above decode, and the page is as high as both', () => {
  const phone = splitLayout(
    374,
    300,
    frame.replicas.map((r) => r.split?.role),
  );
  const down = phone?.split;
  expect(down?.vertical).toBe(true);
  expect((down?.prefill.y ?? 0) + (down?.prefill.h ?? 0) + 60).toBeLessThan(down?.decode.y ?? 0);
  expect(phone?.height).toBe(splitNeeds(['prefill', 'prefill', 'prefill', ...Array(5).fill('decode')], 374));
});

test('more replicas than can be told apart are drawn as without roles', () => {
  const roles = (p: number, d: number): string[] => [...Array(p).fill('prefill'), ...Array(d).fill('decode')];
  expect(splitLayout(822, 440, roles(8, 8))).toBeDefined();
  expect(splitLayout(822, 440, roles(8, 40))).toBeUndefined();
  expect(splitLayout(374, 440, roles(1, 12))).toBeUndefined();
  expect(splitLayout(822, 440, [undefined, 'decode'])).toBeUndefined();
});

test('a port has 44 px and its ribbons fill it by what flows', () => {
  const out = all.ports.find((port) => port.replica === 1);
  expect(out?.length).toBeCloseTo(44);
  expect(out?.filled).toBeCloseTo(44 * 0.92);
  const mine = all.ribbons.filter(({ pair }) => pair.from === 1);
  expect(mine.reduce((sum, ribbon) => sum + ribbon.width, 0)).toBeCloseTo(44 * 0.92);
  // They lie side by side, around the middle of the port.
  const starts = mine.map(({ start, width }) => [start, start + width]);
  for (let i = 1; i < starts.length; i++) expect(starts[i]?.[0]).toBeCloseTo(starts[i - 1]?.[1] ?? 0);
  expect(((starts[0]?.[0] ?? 0) + (starts.at(-1)?.[1] ?? 0)) / 2).toBeCloseTo(split.cards[1]?.port.across ?? 0);
});

test('lightness has three steps below 90 %, from there on ribbons are amber', () => {
  expect([0, 0.49, 0.5, 0.749, 0.75, 0.899, 0.9, 1].map(stepOf)).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
});

test('a wedge is at the share that has landed and can be picked there', () => {
  const wedge = all.wedges.find(({ transfer }) => transfer.request === 1071);
  expect(wedge?.transfer.share).toBeCloseTo(0.61);
  if (!wedge) throw new Error('no wedge');
  expect(wedge.x).toBeGreaterThan((all.from + all.to) / 2);
  expect(wedgeAt(all, wedge.x + 3, wedge.y, 9)?.request).toBe(1071);
  expect(wedgeAt(all, wedge.x + 40, wedge.y + 40, 9)).toBeUndefined();
  expect(requestAt(layout, frame, frame.replicas, wedge.x, wedge.y)).toEqual({ request: 1071, replica: 5 });
});

test('a ribbon is found where it is, also at its thin part', () => {
  const ribbon = all.ribbons.find(({ pair }) => pair.from === 2 && pair.to === 7);
  if (!ribbon) throw new Error('no ribbon');
  expect(ribbonAt(all, false, all.from, ribbon.start + ribbon.width / 2)?.pair).toBe(ribbon.pair);
  expect(ribbonAt(all, false, all.to, ribbon.end + ribbon.width / 2)?.pair).toBe(ribbon.pair);
  expect(ribbonAt(all, false, all.from - 20, ribbon.start)).toBeUndefined();
  expect(pairWords({ ...ribbon.pair, flows: 2 }, 10).replaceAll('\u00a0', ' ')).toBe(
    'r2 to r7: 0.48 GB/s in the last 10 s, 2 transfers under way, port 42 % full',
  );
});

test('the dots beside a name are where the role is changed, the rest of the card is the replica', () => {
  const card = split.cards[4];
  if (!card) throw new Error('no card');
  const [x, y] = [card.role.x + card.role.w / 2, card.role.y + card.role.h / 2];
  expect(roleAt(layout, frame.replicas, x, y)).toBe(4);
  expect(roleAt(layout, frame.replicas, x + 60, y)).toBeUndefined();
  const bars = (i: number): number => frame.replicas[i]?.batch.requests.length ?? 0;
  expect(hitTest(layout, card.batch.x + 1, card.batch.y + 4, bars)).toEqual({ replica: 4, chip: -1, bar: 0 });
  expect(hitTest(layout, card.wait.x + 1, card.wait.y + 1, bars)).toEqual({ replica: 4, chip: 0, bar: -1 });
});

test('decisions stand on a number line by the tokens that their home would have computed', () => {
  const box = split.decider;
  const now = frame.split;
  if (!box || !now) throw new Error('no strip');
  const axis = deciderAxis(now, box);
  expect([axis.x(axis.low), axis.x(axis.high)]).toEqual([box.x, axis.right]);
  const marks = now.latest.map((d) => decisionPlace(axis, box, d)[0] < axis.x(1024));
  expect(marks).toEqual(now.latest.map((d) => d.uncached < 1024));
  const d = now.latest.at(-1);
  if (!d) throw new Error('no decision');
  const [x, y] = decisionPlace(axis, box, d);
  expect(decisionAt(now, box, x, y)).toBe(d);
});
