// The seed of the run as a row of the form, and the die that draws another. Invalid input stays in the field, outlined, with an error.
import { createMemo, createSignal, createUniqueId, type JSX, Show } from 'solid-js';
import { getAt } from '../../base/json.ts';
import { seedOf } from '../../base/text.ts';
import { ignoreLost } from '../../sim/client.ts';
import type { App } from '../../state/app.ts';
import { explain } from '../../state/notices/notices.ts';

const ALLOWED = 'a whole number from 0 to 18,446,744,073,709,551,615';

const EFFECT = 'Restarts the run';

export function Seed(props: { app: Pick<App, 'document' | 'dialogs'> }): JSX.Element {
  const app = props.app;
  const seed = createMemo(() => String(getAt(app.document.current(), 'seed') ?? ''));
  const before = createMemo(() => String(getAt(app.document.original(), 'seed') ?? seed()));
  const id = createUniqueId();
  const [wrong, setWrong] = createSignal(false);
  const refuse = (text: string): void => {
    setWrong(true);
    app.dialogs.setNotice({ kind: 'problem', text });
  };
  const mended = (): void => {
    if (wrong()) app.dialogs.setNotice(undefined);
    setWrong(false);
  };
  const set = async (text: string): Promise<void> => {
    const value = seedOf(text.trim());
    if (value === undefined) {
      refuse(`Seed: found “${text.trim()}”; allowed: ${ALLOWED}. The run continues with ${seed()}.`);
      return;
    }
    if (String(value) === seed()) {
      mended();
      return;
    }
    if (await app.document.change('seed', value)) {
      mended();
      return;
    }
    const problem = app.document.problems().get('seed');
    refuse(problem ? explain(problem) : `Seed: allowed is ${ALLOWED}.`);
  };
  return (
    <div class="f" data-path="seed" classList={{ chg: before() !== seed(), wrong: wrong() }}>
      <span class="name">
        <label for={id}>Seed</label>
        <span class="takes" role="img" aria-label={EFFECT} title={EFFECT}>
          ↺
        </span>
      </span>
      <div class="v">
        <Show when={before() !== seed()}>
          <s class="was">{before()}</s>
        </Show>
        <input
          class="in"
          id={id}
          inputmode="numeric"
          size={Math.max(3, seed().length)}
          value={seed()}
          aria-invalid={wrong()}
          onChange={(event) => {
            const input = event.currentTarget;
            void set(input.value).then(() => {
              if (!wrong()) input.value = seed();
            });
          }}
        />
        <button
          type="button"
          class="btn sq slim"
          aria-label="New seed"
          title="Draw another seed"
          onClick={() => void app.document.freshSeed().then(set).catch(ignoreLost)}
        >
          <svg class="icon" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
            <rect x="1.5" y="1.5" width="11" height="11" rx="2.5" />
            <path d="M4.600 4.600h0M9.400 9.400h0M7 7h0" stroke-width="2" />
          </svg>
        </button>
      </div>
    </div>
  );
}
