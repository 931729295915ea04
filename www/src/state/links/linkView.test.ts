import { afterEach, expect, test } from 'vitest';
import { chartList, setChartList } from '../view/chartList.ts';
import { area, boxes, setArea, setBoxes, tall, timeWindow } from '../view/closeup.ts';
import { setSpan, span } from '../view/span.ts';
import { setSpanShown, spanShown } from '../view/spanShown.ts';
import { setTheoryLaw, theoryLaw } from '../view/theoryLaw.ts';
import { showCloseup, showDrawn } from './linkShown.ts';
import { closeupWords, drawn } from './linkView.ts';

afterEach(() => {
  showCloseup(['charts']);
  setSpan(undefined);
  setSpanShown(false);
  setTheoryLaw(undefined);
  setChartList(undefined);
});

test('the page as it opens says nothing', () => {
  expect(drawn()).toEqual({ span: null, theory: null, charts: [], closeup: [] });
});

test('a close-up and its settings come back from the words of its link', () => {
  showCloseup(['density', 'stage', 'window:40-60.5', 'replica:2', 'colour:age', 'measure:e2e']);
  setBoxes([{ of: 'e2e', from_us: 1, to_us: 2, least_us: 3, most_us: 4 }]);
  const words = closeupWords();
  expect(words).toEqual([
    'density',
    'stage',
    'window:40-60.5',
    'replica:2',
    'colour:age',
    'measure:e2e',
    'box:e2e:1-2:3-4',
  ]);
  showCloseup(['charts']);
  expect(closeupWords()).toEqual([]);
  showCloseup(words);
  expect(closeupWords()).toEqual(words);
});

test('a close-up opens with the height, as does one of an earlier link; the charts only where their link says so', () => {
  for (const words of [['lanes'], ['lanes', 'tall']]) {
    showCloseup(words);
    expect([tall(), closeupWords()]).toEqual([true, ['lanes']]);
  }
  showCloseup(['charts', 'tall']);
  expect([tall(), closeupWords()]).toEqual([true, ['charts', 'tall']]);
  setArea('kv');
  setArea('charts');
  expect([tall(), closeupWords()]).toEqual([false, []]);
});

test('settings that nobody knows, or out of order, are left out', () => {
  showCloseup(['hologram', 'window:60-40', 'replica:x', 'colour:mauve', 'measure:mood', 'box:e2e:2-1:3-4', 'later:1']);
  expect([area(), tall(), timeWindow(), boxes()]).toEqual(['charts', false, undefined, []]);
});

test('a choice of charts comes back in its order', () => {
  showDrawn({ charts: ['kv-use', 'ttft-over-time'] });
  expect(drawn().charts).toEqual(['kv-use', 'ttft-over-time']);
  showDrawn({ charts: [] });
  expect(chartList()).toEqual(['kv-use', 'ttft-over-time']);
});

test('span and law come back; a link without them leaves them as they are', () => {
  showDrawn({ span: { from_us: 40_000_000, to_us: 140_500_000 }, theory: 'best' });
  expect([span()?.fromS, span()?.toS, spanShown(), theoryLaw()]).toEqual([40, 140.5, true, '']);
  showDrawn({ span: null, theory: null, closeup: [] });
  expect(drawn()).toMatchObject({ span: { from_us: 40_000_000, to_us: 140_500_000 }, theory: 'best' });
});
