// The interface to the painter of the page's large canvases: a separate thread, or the page's thread if a browser
// cannot transfer canvases.

import type { FromPainter, Sheet, ToPainter } from './paintProtocol.ts';

/** The painter's thread. */
export type PainterThread = {
  postMessage(message: ToPainter, moved?: Transferable[]): void;
  onmessage: ((event: MessageEvent<FromPainter>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
};

/** Receives the messages to the painter. */
export type Take = (message: ToPainter) => void;

type Makers = {
  readonly spawn: () => PainterThread;
  /** A painter without a thread, loaded if needed. */
  readonly here: () => Promise<(tell: (message: FromPainter) => void) => Take>;
};

/** A painter that draws on canvases given to it. */
export type Painter = {
  /** Transfers the control of a canvas to the painter and returns the canvas's number. `painted` is called after each of its pictures. */
  readonly adopt: (canvas: HTMLCanvasElement, painted: () => void) => number;
  readonly say: Take;
};

const sheets = new Map<number, () => void>();
let adopted = 0;
let started: (painter: Promise<Painter>) => void;
const painter = new Promise<Painter>((resolve) => {
  started = resolve;
});

/** Resolves once it has started and can draw. */
export const painterReady = (): Promise<Painter> => painter;

/** Starts the page's first painter. */
export function startPainter(makers: Makers): void {
  started(makePainter(makers));
}

/** A further painter, for views that are opened later. */
export function makePainter({ spawn, here }: Makers): Promise<Painter> {
  const onPage = async (): Promise<Painter> => {
    const take = (await here())(heard);
    return painterOf((canvas) => canvas, take);
  };
  const canMove = typeof OffscreenCanvas !== 'undefined' && 'transferControlToOffscreen' in HTMLCanvasElement.prototype;
  if (!canMove) return onPage();
  return new Promise((resolve) => {
    const thread = spawn();
    const say = afterFrame((message) => {
      if (message.kind === 'sheet' && message.canvas instanceof OffscreenCanvas)
        thread.postMessage(message, [message.canvas]);
      else thread.postMessage(message, bytesOf(message));
    });
    thread.onmessage = ({ data }) => {
      if (data.kind === 'ready') resolve(painterOf((canvas) => canvas.transferControlToOffscreen(), say));
      else heard(data);
    };
    // Only before it is ready, when no canvas was transferred yet.
    thread.onerror = () => resolve(onPage());
  });
}

/**
 * Sends all messages in order once the page's display frame is done: with two cores the page would otherwise wait for
 * the painter.
 */
function afterFrame(say: Take): Take {
  const { port1, port2 } = new MessageChannel();
  let waiting: ToPainter[] = [];
  port1.onmessage = () => {
    const all = waiting;
    waiting = [];
    for (const message of all) say(message);
  };
  return (message) => {
    waiting.push(message);
    if (waiting.length === 1) port2.postMessage(undefined);
  };
}

function bytesOf(message: ToPainter): Transferable[] {
  const bytes = message.kind === 'paint' ? message.picture?.bytes : undefined;
  return bytes ? [bytes.buffer] : [];
}

function heard(message: FromPainter): void {
  if (message.kind === 'painted') sheets.get(message.sheet)?.();
}

function painterOf(handed: (canvas: HTMLCanvasElement) => Sheet, say: Take): Painter {
  return {
    say: (message) => {
      if (message.kind === 'gone') sheets.delete(message.sheet);
      say(message);
    },
    adopt: (canvas, painted) => {
      adopted += 1;
      sheets.set(adopted, painted);
      say({ kind: 'sheet', sheet: adopted, canvas: handed(canvas) });
      return adopted;
    },
  };
}
