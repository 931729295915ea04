import { expect, test } from 'vitest';
import { type PainterThread, painterReady, startPainter } from './painter.ts';
import type { ToPainter } from './paintProtocol.ts';

test('the thread gets all messages in order, and none before the display frame of the page is done', async () => {
  class Handed {}
  class Canvas {
    transferControlToOffscreen(): Handed {
      return new Handed();
    }
  }
  Object.assign(globalThis, { OffscreenCanvas: Handed, HTMLCanvasElement: Canvas });
  const heard: { message: ToPainter; moved: unknown }[] = [];
  const thread: PainterThread = {
    postMessage: (message, moved) => heard.push({ message, moved }),
    onmessage: null,
    onerror: null,
  };
  startPainter({ spawn: () => thread, here: () => Promise.reject(new Error('there is a thread')) });
  thread.onmessage?.({ data: { kind: 'ready' } } as MessageEvent);
  const painter = await painterReady();
  const sheet = painter.adopt(new Canvas() as unknown as HTMLCanvasElement, () => undefined);
  const bytes = new Uint8Array(3);
  const size = { width: 10, height: 10, ratio: 1 };
  painter.say({ kind: 'paint', sheet, ...size, picture: { of: 'stage', bytes } });
  painter.say({ kind: 'gone', sheet });
  expect(heard).toEqual([]);
  await expect.poll(() => heard.map(({ message }) => message.kind)).toEqual(['sheet', 'paint', 'gone']);
  expect(heard[0]?.moved).toHaveLength(1);
  expect(heard[1]?.moved).toEqual([bytes.buffer]);
});
