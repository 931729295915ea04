// Parts of the page, each built in a task of its own: one task for all would block the page.
import { createSignal, type JSX, onCleanup, Show } from 'solid-js';

/** A task continues with the next part until this much time has passed. */
const TASK_MS = 4;

/** The parts to build, in the order of the page. */
const waiting: (() => void)[] = [];
/** Parts inside the one being built; they come right after it. */
let within: (() => void)[] | undefined;
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => {
  const began = performance.now();
  // A part that fails does not stop the others.
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

/** Calls back once all parts requested before it are built, with their inner parts. */
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

/** Builds its children once the current task is over and the parts before it are built. */
export function Deferred(props: { children: JSX.Element }): JSX.Element {
  const [due, setDue] = createSignal(false);
  let gone = false;
  afterParts(() => gone || setDue(true));
  onCleanup(() => {
    gone = true;
  });
  return <Show when={due()}>{props.children}</Show>;
}
