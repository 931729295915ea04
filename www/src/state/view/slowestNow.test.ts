import { expect, test } from 'vitest';
import { trust } from '../../base/trust.ts';
import type { Frame } from '../../generated/boundary.ts';
import type { App } from '../app.ts';
import { longestWaiting, slowestNow } from './slowestNow.ts';
import { setSpan } from './span.ts';

const waits = (...requests: number[]) => ({ queue: requests.map((request) => ({ request })) });
const frameOf = (part: object) => trust<Frame>({ now_us: 48_000_000, key: { window_s: 30 }, replicas: [], ...part });

/** The page with this frame, where the core names this request as the slowest; it notes the questions. */
function page(frame: Frame | undefined, slowest: number | null) {
  const asked: object[] = [];
  const app = trust<App>({
    transport: { frame: () => frame },
    selection: {
      slowest: (place: object) => {
        asked.push(place);
        return Promise.resolve(slowest);
      },
    },
  });
  return { app, asked };
}

test('it is the slowest first token of the last 30 s, or of the selected span', async () => {
  const { app, asked } = page(frameOf({}), 1208);
  expect(await slowestNow(app)).toBe(1208);
  expect(asked).toEqual([{ of: 'ttft', fromS: 18, toS: 48, atMostMs: 1e12 }]);
  setSpan({ fromS: 5, toS: 9, of: 'ttft' });
  expect(await slowestNow(app)).toBe(1208);
  setSpan(undefined);
  expect(asked[1]).toEqual({ of: 'ttft', fromS: 5, toS: 9, atMostMs: 1e12 });
});

test('without a first token it is the longest wait, at the gateway too, and none where nothing waits', async () => {
  const frame = frameOf({ replicas: [waits(9, 7), waits()], gateway: { bands: [waits(), waits(5, 6)] } });
  expect(longestWaiting(frame)).toBe(5);
  expect(await slowestNow(page(frame, null).app)).toBe(5);
  expect(await slowestNow(page(frameOf({}), null).app)).toBeUndefined();
  expect(await slowestNow(page(undefined, 3).app)).toBeUndefined();
});
