// Parts of the page that are built in tasks of their own: all of them in one would hold the page up.
import { createSignal, type JSX, onCleanup, Show } from 'solid-js';

/** A task goes on with the next part until it has taken so long. */
const TASK_MS = 4;

/** What is to be built, in the order of the page. */
const waiting: (() => void)[] = [];
/** What the part that is being built asks for: it comes right after it. */
let within: (() => void)[] | undefined;
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => {
  const began = performance.now();
  // A part that fails takes no other with it.
  try {
    do build();
    while (waiting.length > 0 && performance.now() - began < TASK_MS);
  } finally {
    if (waiting.length > 0) port2.postMessage(undefined);
  }
};

function build(): void {
  const part = waiting.shift();
  within = [];
  try {
    part?.();
  } finally {
    waiting.unshift(...within);
    within = undefined;
  }
}

/** Does something once the parts that were asked for before it are built, with all that is in them. */
export function afterParts(act: () => void): void {
  if (within) {
    within.push(act);
    return;
  }
  waiting.push(act);
  if (waiting.length === 1) port2.postMessage(undefined);
}

/** Whether parts of the page are being built. */
export function isBuilding(): boolean {
  return within !== undefined;
}

/** Builds what is in it once the task that asks for it is over, and the parts before it are built. */
export function Deferred(props: { children: JSX.Element }): JSX.Element {
  const [due, setDue] = createSignal(false);
  let gone = false;
  afterParts(() => gone || setDue(true));
  onCleanup(() => {
    gone = true;
  });
  return <Show when={due()}>{props.children}</Show>;
}
