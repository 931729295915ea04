// The switch of the laws over charts. It shows the answer to the latest question and drops late answers to others.
import { type Accessor, createEffect, createSignal, on, type Setter } from 'solid-js';

export type TheorySwitch = {
  readonly shown: Accessor<boolean>;
  readonly toggle: () => void;
  /** The law by name; empty for the best one. */
  readonly law: Accessor<string>;
  readonly setLaw: Setter<string>;
  readonly failed: Accessor<boolean>;
};

/** Asks again when the switch, the law or `of` changes. `give` gets the answer, or nothing while the switch is off. */
export function createTheorySwitch<T>(
  of: Accessor<unknown>,
  ask: (law: string) => Promise<T | undefined>,
  give: (found: T | undefined) => void,
): TheorySwitch {
  const [shown, setShown] = createSignal(false);
  const [law, setLaw] = createSignal('');
  const [failed, setFailed] = createSignal(false);
  let asked = 0;
  const askAgain = async (): Promise<void> => {
    const own = ++asked;
    let found: T | undefined;
    let fails = false;
    try {
      if (shown()) found = await ask(law());
    } catch {
      fails = true;
    }
    if (own !== asked) return;
    setFailed(fails);
    give(found);
  };
  createEffect(on([shown, law, of], () => void askAgain()));
  return { shown, toggle: () => setShown(!shown()), law, setLaw, failed };
}
