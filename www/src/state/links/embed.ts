// A run within another page: two messages. The outer page sends `load` with a link, or `state` to ask for the state;
// this one answers with `state` and sends it again on changes. The link is opened like any other, with the same bounds
// and permissions.
import { type Accessor, createEffect, createMemo, createRoot } from 'solid-js';
import type { Frame } from '../../generated/boundary.ts';

type State = {
  readonly tokenyard: 'state';
  /** The instant of the run, in seconds. */
  readonly at_s: number;
  readonly playing: boolean;
  readonly finished: boolean;
  /** The link of the run on its own page. */
  readonly link: string;
};

type Run = {
  readonly frame: Accessor<Frame | undefined>;
  readonly playsOn: Accessor<boolean>;
  readonly link: () => string;
  readonly open: (link: string) => Promise<void>;
};

export function listen(run: Run): void {
  const origins = new Set<string>();
  const state = (): State => ({
    tokenyard: 'state',
    at_s: (run.frame()?.now_us ?? 0) / 1e6,
    playing: run.playsOn(),
    finished: run.frame()?.finished ?? false,
    link: run.link(),
  });
  let said = '';
  const tell = (): void => {
    said = run.link();
    for (const origin of origins) window.parent.postMessage(state(), origin);
  };
  window.addEventListener('message', async ({ data, source, origin }: MessageEvent<unknown>) => {
    if (source !== window.parent || !isMessage(data) || origin === 'null') return;
    if (data.tokenyard === 'load' && typeof data.link === 'string') await run.open(data.link);
    else if (data.tokenyard !== 'state') return;
    origins.add(origin);
    tell();
  });
  // The address follows a moment after the run rests, and a change of it is no event in every browser.
  setInterval(() => {
    if (run.link() !== said) tell();
  }, 250);
  createRoot(() => {
    const second = createMemo(() => Math.floor((run.frame()?.now_us ?? 0) / 1e6));
    createEffect(() => {
      second();
      run.playsOn();
      run.frame()?.finished;
      tell();
    });
  });
}

function isMessage(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null;
}
