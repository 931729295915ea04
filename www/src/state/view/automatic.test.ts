import { expect, test } from 'vitest';
import { trust } from '../../base/trust.ts';
import type { Frame } from '../../generated/boundary.ts';
import type { App } from '../app.ts';
import { chooseAutomatically, longestWaiting } from './automatic.ts';
import { setSpan } from './span.ts';

const waits = (...requests: number[]) => ({ queue: requests.map((request) => ({ request })) });
const frameOf = (part: object) => trust<Frame>({ now_us: 48_000_000, key: { window_s: 30 }, replicas: [], ...part });

/** The page with this frame, where the core names this request as the slowest; it notes the questions. */
function page(frame: Frame, slowest: number | null, playing = false) {
  const asked: object[] = [];
  let chosen: unknown = playing ? { request: 1, why: '' } : undefined;
  const app = trust<App>({
    transport: { frame: () => frame, playing: () => playing },
    selection: {
      automatic: () => chosen,
      setAutomatic: (next: unknown) => {
        chosen = next;
      },
      slowest: (place: object) => {
        asked.push(place);
        return Promise.resolve(slowest);
      },
    },
  });
  return { app, asked, chosen: () => chosen };
}

test('the slowest first token of the last 30 s is shown, or of the selected span', async () => {
  const { app, asked, chosen } = page(frameOf({}), 1208);
  await chooseAutomatically(app);
  expect(asked).toEqual([{ of: 'ttft', fromS: 18, toS: 48, atMostMs: 1e12 }]);
  expect(chosen()).toEqual({ request: 1208, why: 'The slowest first token of 18 to 48 s' });
  setSpan({ fromS: 5, toS: 9, of: 'ttft' });
  await chooseAutomatically(app);
  setSpan(undefined);
  expect(asked[1]).toEqual({ of: 'ttft', fromS: 5, toS: 9, atMostMs: 1e12 });
  expect(chosen()).toEqual({ request: 1208, why: 'The slowest first token of 5 to 9 s' });
});

test('without a first token it is the longest wait, at the gateway too, and nothing where nothing waits', async () => {
  const frame = frameOf({ replicas: [waits(9, 7), waits()], gateway: { bands: [waits(), waits(5, 6)] } });
  expect(longestWaiting(frame)).toBe(5);
  const { app, chosen } = page(frame, null);
  await chooseAutomatically(app);
  expect(chosen()).toEqual({ request: 5, why: 'The longest wait at 48 s' });
  const empty = page(frameOf({}), null);
  await chooseAutomatically(empty.app);
  expect(empty.chosen()).toBeUndefined();
});

test('what is shown stays while the run plays', async () => {
  const { app, asked } = page(frameOf({}), 1208, true);
  await chooseAutomatically(app);
  expect(asked).toEqual([]);
});
