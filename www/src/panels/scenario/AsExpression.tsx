// The button that replaces a named scorer by its expression. Loaded with the first named scorer.
import { createSignal, type JSX, Show } from 'solid-js';
import { getAt } from '../../base/json.ts';
import { sentence } from '../../base/keyWords.ts';
import type { App } from '../../state/app.ts';

const OPTION = 'expression';

/** Replaces a named scorer by the expression that it stands for. */
export default function AsExpression(props: {
  app: Pick<App, 'document' | 'dialogs' | 'links'>;
  path: string;
}): JSX.Element {
  const app = props.app;
  const [refused, setRefused] = createSignal('');
  const name = (): string => String(app.document.schema.valueAt(app.document.inForce(), props.path) ?? '');
  const open = async (): Promise<void> => {
    const asked = name();
    const [, router, index] = /^(.*)\.scorers\[(\d+)\]/.exec(props.path) ?? [];
    const settings = router === undefined ? undefined : getAt(app.document.inForce(), router);
    if (settings === undefined) return;
    try {
      const text = await app.links.asExpression(settings, Number(index));
      if (text === null) setRefused(asked);
      else if (asked === name()) {
        const next = { [OPTION]: text };
        const together = app.document.schema.together(app.document.inForce(), props.path, next);
        await app.document.change(together?.path ?? props.path, together?.value ?? next);
      }
    } catch {
      app.dialogs.setNotice({ kind: 'problem', text: 'The expression could not be loaded; check the network.' });
    }
  };
  return (
    <div class="as-expression">
      <button
        type="button"
        class="btn quiet"
        aria-label={`Open as expression: ${sentence(name())}`}
        onClick={() => void open()}
      >
        Open as expression
      </button>
      <Show when={refused() === name()}>
        <p class="help" role="status">
          {sentence(name())} has no expression: it uses more than the signals of one decision.
        </p>
      </Show>
    </div>
  );
}
