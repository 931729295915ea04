// A part of the page that is built in a task of its own: all of them in one would hold the page up.
import { createSignal, type JSX, onCleanup, Show } from 'solid-js';

const waiting: (() => void)[] = [];
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => {
  const build = waiting.shift();
  // Asked for first: a part that fails takes no other with it.
  if (waiting.length > 0) port2.postMessage(undefined);
  build?.();
};

/** Does something in a task of its own, once the parts that were asked for before it are built. */
export function afterParts(act: () => void): void {
  waiting.push(act);
  if (waiting.length === 1) port2.postMessage(undefined);
}

/** Builds what is in it once the task that asks for it is over, and the parts before it are built. */
export function Apart(props: { children: JSX.Element }): JSX.Element {
  const [due, setDue] = createSignal(false);
  let gone = false;
  afterParts(() => gone || setDue(true));
  onCleanup(() => {
    gone = true;
  });
  return <Show when={due()}>{props.children}</Show>;
}
