// The scenario as YAML: read, checked and applied as a whole. The run never overwrites typed text.
import { createEffect, createSignal, For, type JSX, on, onCleanup, Show } from 'solid-js';
import type { Json } from '../../base/json.ts';
import { readYaml, writeYaml } from '../../base/yaml.ts';
import type { Diagnostic } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { askExchange } from '../../state/files/exchange.ts';
import { explain } from '../../state/notices/notices.ts';
import Editor from './Editor.tsx';
import './yaml.css';

export default function Yaml(props: { app: Pick<App, 'document'> }): JSX.Element {
  const app = props.app;
  const [text, setText] = createSignal('');
  const [dirty, setDirty] = createSignal(false);
  const [wrong, setWrong] = createSignal<readonly string[]>([]);
  const [wide, setWide] = createSignal(false);

  // The panel is as wide as the form again when the text is left.
  createEffect(() => {
    document.querySelector('.page')?.toggleAttribute('data-wide', wide());
  });
  onCleanup(() => document.querySelector('.page')?.removeAttribute('data-wide'));

  const fill = (scenario: Json): void => {
    writeYaml(scenario).then(
      (written) => {
        setText(written);
        setDirty(false);
        setWrong([]);
      },
      () => setWrong(['YAML could not be loaded; check the network. The form and Save as file work without it.']),
    );
  };
  // The run never overwrites typed text.
  createEffect(
    on(app.document.current, (scenario) => {
      if (!dirty()) fill(scenario);
    }),
  );

  const apply = async (): Promise<void> => {
    try {
      if (await app.document.applyDocument(await readYaml(text()))) fill(app.document.current());
      else setWrong([...app.document.problems().values()].map((d: Diagnostic) => explain(d)));
    } catch (error) {
      // This includes aliases that expand too far: the parser rejects them.
      if (!(error instanceof Error)) throw error;
      setWrong([error.message]);
    }
  };
  return (
    <div class="yaml">
      <Editor
        text={text()}
        schema={app.document.schema}
        invalid={wrong().length > 0}
        check={app.document.check}
        onApply={() => void apply()}
        onText={(typed) => {
          if (typed === text()) return;
          setText(typed);
          setDirty(true);
          // The errors were about an older text.
          setWrong([]);
        }}
      />
      <Show when={wrong().length > 0}>
        <ul class="problems" role="alert">
          <For each={wrong()}>{(line) => <li>{line}</li>}</For>
        </ul>
      </Show>
      <div class="yaml-foot">
        <button type="button" class="btn pri" disabled={!dirty()} onClick={() => void apply()}>
          Apply
        </button>
        <button type="button" class="btn" disabled={!dirty()} onClick={() => fill(app.document.current())}>
          Revert
        </button>
        <span class="m">{dirty() ? 'makes one edit at the playhead, or restarts' : ''}</span>
        <span class="grow" />
        <button
          type="button"
          class="btn wide-only"
          aria-pressed={wide()}
          title="Give the text half of the window"
          onClick={() => setWide(!wide())}
        >
          Wide
        </button>
        <button
          type="button"
          class="btn"
          title="Import configuration of other programs (Ctrl + V anywhere)"
          onClick={() => askExchange({ kind: 'import', texts: [] })}
        >
          Bring your fleet…
        </button>
        <button
          type="button"
          class="btn"
          title="Export the scenario as configuration of other programs"
          onClick={() => askExchange({ kind: 'export' })}
        >
          Take it home…
        </button>
      </div>
    </div>
  );
}
