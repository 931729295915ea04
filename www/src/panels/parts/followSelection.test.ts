import { createRoot, createSignal } from 'solid-js';
import { expect, test } from 'vitest';
import { trust } from '../../base/trust.ts';
import type { Selection } from '../../base/view.ts';
import type { App } from '../../state/app.ts';
import { followSelection } from './followSelection.ts';

test('a selection made later opens its replica once, that of a request when it is known', async () => {
  const [selected, setSelected] = createSignal<Selection>({ request: undefined, replica: 3 });
  const [detail, setDetail] = createSignal<{ request: number; replica: number }>();
  const opened: number[] = [];
  const settle = () => new Promise((next) => setTimeout(next));
  const end = createRoot((dispose) => {
    followSelection(trust<App['selection']>({ selected, detail }), (replica) => opened.push(replica));
    return dispose;
  });
  await settle();
  expect(opened).toEqual([]);
  setSelected({ request: undefined, replica: 1 });
  setSelected({ request: 9, replica: undefined });
  setDetail({ request: 8, replica: 0 });
  setDetail({ request: 9, replica: 2 });
  setDetail({ request: 9, replica: 2 });
  await settle();
  expect(opened).toEqual([1, 2]);
  end();
});
