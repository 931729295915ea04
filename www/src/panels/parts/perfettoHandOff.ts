// The hand-over of a trace to Perfetto's page in another tab: asked "PING" until it answers "PONG", then sent one message.

/** Where Perfetto's page is. */
export const PERFETTO = 'https://ui.perfetto.dev';
const PING_MS = 100;
/** How long its page may take to load. */
const PATIENCE_MS = 60_000;

/** The tab of Perfetto. */
export type Opened = Pick<Window, 'postMessage' | 'closed'>;

/** A trace as Perfetto's page takes it. */
export type Trace = {
  readonly buffer: ArrayBuffer;
  readonly title: string;
  readonly fileName: string;
  /** The address of the run, which Perfetto's page shows. */
  readonly url: string;
};

/** The window of this page, as far as it is needed. */
export type Listener = Pick<Window, 'addEventListener' | 'removeEventListener' | 'setInterval' | 'clearInterval'>;

/** Waits until the page in the tab answers. Why it does not, or nothing. */
export function answered(tab: Opened, here: Listener, patienceMs = PATIENCE_MS): Promise<string | undefined> {
  return new Promise((resolve) => {
    let waitedMs = 0;
    const end = (why: string | undefined): void => {
      here.clearInterval(timer);
      here.removeEventListener('message', hear);
      resolve(why);
    };
    const hear = (event: MessageEvent): void => {
      if (event.source === tab && event.origin === PERFETTO && event.data === 'PONG') end(undefined);
    };
    const ask = (): void => {
      waitedMs += PING_MS;
      if (tab.closed) end('The tab of Perfetto was closed.');
      else if (waitedMs > patienceMs) {
        end('Perfetto did not answer. Check the network, or save the trace and open it at ui.perfetto.dev.');
      } else tab.postMessage('PING', PERFETTO);
    };
    here.addEventListener('message', hear);
    const timer = here.setInterval(ask, PING_MS);
  });
}

/** Sends the trace to a page that has answered. */
export function send(tab: Opened, perfetto: Trace): void {
  tab.postMessage({ perfetto }, PERFETTO);
}
