// What Perfetto's page is asked and sent, with windows that are made up.
import { describe, expect, it } from 'vitest';
import { answered, type Listener, type Opened, PERFETTO, send } from './perfettoHandOff.ts';

function windows() {
  const sent: { readonly message: unknown; readonly to: unknown }[] = [];
  const tab = {
    closed: false,
    postMessage: (message: unknown, to: unknown) => void sent.push({ message, to }),
  };
  let hear: ((event: MessageEvent) => void) | undefined;
  let tick: (() => void) | undefined;
  const here = {
    addEventListener: (_: string, listener: (event: MessageEvent) => void) => {
      hear = listener;
    },
    removeEventListener: () => {
      hear = undefined;
    },
    setInterval: (listener: () => void) => {
      tick = listener;
      return 7;
    },
    clearInterval: () => {
      tick = undefined;
    },
  };
  const say = (data: unknown, origin = PERFETTO, source: unknown = tab): void =>
    hear?.({ data, origin, source } as MessageEvent);
  return {
    tab: tab as unknown as Opened & { closed: boolean },
    here: here as unknown as Listener,
    sent,
    say,
    tick: () => tick?.(),
    isWaiting: () => tick !== undefined,
  };
}

describe('the hand-over to Perfetto', () => {
  it('asks until the page in that tab answers, and sends one message', async () => {
    const { tab, here, sent, say, tick, isWaiting } = windows();
    const done = answered(tab, here);
    tick();
    tick();
    expect(sent).toEqual([
      { message: 'PING', to: PERFETTO },
      { message: 'PING', to: PERFETTO },
    ]);
    say('PONG', 'https://elsewhere.example');
    say('PONG', PERFETTO, {});
    say('PING');
    expect(isWaiting()).toBe(true);
    say('PONG');
    expect(await done).toBe(undefined);
    expect(isWaiting()).toBe(false);
    const trace = { buffer: new ArrayBuffer(2), title: 't', fileName: 't.json', url: 'u' };
    send(tab, trace);
    expect(sent.at(-1)).toEqual({ message: { perfetto: trace }, to: PERFETTO });
  });

  it('says why there is no answer', async () => {
    const closed = windows();
    const first = answered(closed.tab, closed.here);
    closed.tab.closed = true;
    closed.tick();
    expect(await first).toMatch(/closed/);
    const slow = windows();
    const second = answered(slow.tab, slow.here, 200);
    for (let i = 0; i < 3; i++) slow.tick();
    expect(await second).toMatch(/did not answer/);
    expect(slow.sent.length).toBe(2);
  });
});
