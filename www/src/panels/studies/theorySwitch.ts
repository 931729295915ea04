// The switch of the laws over charts: what was asked for last is shown, and an answer that comes late is not.
import { type Accessor, createEffect, createSignal, on, type Setter } from 'solid-js';

export type TheorySwitch = {
  readonly shown: Accessor<boolean>;
  readonly toggle: () => void;
  /** The law by name; empty for the one that fits best. */
  readonly law: Accessor<string>;
  readonly setLaw: Setter<string>;
  readonly failed: Accessor<boolean>;
};

/** Asks again when the switch, the law or `of` changes; `give` takes the answer, nothing while the switch is off. */
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
