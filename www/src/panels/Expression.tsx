// The way from a named scorer to the expression that it is; and the field of an expression, whose code is loaded with the first.
import { createSignal, type JSX, lazy, Show } from 'solid-js';
import { getAt } from '../base/json.ts';
import { type Field, sentence } from '../base/schema.ts';
import type { App } from '../state/app.ts';

export const ExpressionField = lazy(() => import('./ExpressionField.tsx'));

const OPTION = 'expression';

/** Whether one of the choices of a field is an expression. */
export function canBeExpression(field: Field): boolean {
  return field.input.kind === 'choice' && field.input.options.some((option) => option.tag === OPTION);
}

/** Puts the expression that a named scorer is in its place. */
export function AsExpression(props: { app: App; path: string }): JSX.Element {
  const app = props.app;
  const [refused, setRefused] = createSignal('');
  const name = (): string => String(getAt(app.inForce(), props.path) ?? '');
  const open = async (): Promise<void> => {
    const asked = name();
    const [, router, index] = /^(.*)\.scorers\[(\d+)\]/.exec(props.path) ?? [];
    const settings = router === undefined ? undefined : getAt(app.inForce(), router);
    if (settings === undefined) return;
    try {
      const text = await app.links.asExpression(settings, Number(index));
      if (text === null) setRefused(asked);
      else if (asked === name()) await app.change(props.path, { [OPTION]: text });
    } catch {
      app.setNotice({ kind: 'problem', text: 'The expression could not be read: there may be no network.' });
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
          {sentence(name())} is no expression: it looks at more than the signals of one decision.
        </p>
      </Show>
    </div>
  );
}
