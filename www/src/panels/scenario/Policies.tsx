// Policies pasted from another program. The page shows what each key becomes before anything changes, and one click
// makes one edit.
import { createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { readDocument, writeDocument } from '../../base/text.ts';
import { readYamlDocuments } from '../../base/yaml.ts';
import type { AdoptedPolicies } from '../../generated/boundary.ts';
import { BenchmarkClient, spawnBenchmark } from '../../sim/benchmarkClient.ts';
import type { App } from '../../state/app.ts';
import { explain } from '../../state/notices.ts';
import { dropInto } from '../parts/dropInto.ts';
import './policies.css';

const READ_MS = 250;

const EXAMPLE = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
spec:
  minReplicas: 2
  …`;

export default function Policies(props: { app: Pick<App, 'document'> }): JSX.Element {
  const app = props.app;
  const reader = new BenchmarkClient(spawnBenchmark);
  onCleanup(() => reader.end());
  const [text, setText] = createSignal('');
  const [read, setRead] = createSignal<AdoptedPolicies>();
  const [wrong, setWrong] = createSignal<readonly string[]>([]);
  const [used, setUsed] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Translates the pasted text for the scenario in force. */
  const adopt = async (): Promise<AdoptedPolicies | undefined> => {
    const asked = text();
    let found: AdoptedPolicies | undefined;
    let problems: readonly string[] = [];
    if (asked.trim() !== '') {
      try {
        const { documents, texts } = await readYamlDocuments(asked);
        const scenario = writeDocument(app.document.current());
        const [all, within] = [JSON.stringify(documents), JSON.stringify(texts)];
        found = await reader.ask({ kind: 'policies', scenario, documents: all, texts: within });
        problems = found.problems.map(explain);
      } catch (error) {
        // This includes aliases that expand too far: the parser rejects them.
        if (!(error instanceof Error)) throw error;
        problems = [error.message];
      }
    }
    if (asked !== text()) return undefined;
    const sound = problems.length === 0 ? found : undefined;
    setRead(sound);
    setWrong(problems);
    return sound;
  };
  const typed = (next: string): void => {
    setText(next);
    setUsed(false);
    clearTimeout(timer);
    timer = setTimeout(() => void adopt(), READ_MS);
  };
  const apply = async (): Promise<void> => {
    // The scenario may have changed since.
    const found = await adopt();
    if (!found) return;
    if (await app.document.applyDocument(readDocument(found.scenario))) setUsed(true);
    else setWrong([...new Set([...app.document.problems().values()].map(explain))]);
  };
  const keys = (counterpart: boolean): AdoptedPolicies['mappings'] =>
    read()?.mappings.filter((m) => m.has_counterpart === counterpart) ?? [];
  return (
    <div class="policies">
      <textarea
        aria-label="Policies of another program, as YAML or JSON"
        placeholder={EXAMPLE}
        spellcheck={false}
        autocomplete="off"
        wrap="off"
        rows="10"
        value={text()}
        aria-invalid={wrong().length > 0}
        onInput={(event) => typed(event.currentTarget.value)}
        onDrop={dropInto(app, typed)}
      />
      <Show when={wrong().length > 0}>
        <ul class="problems" role="alert">
          <For each={wrong()}>{(line) => <li>{line}</li>}</For>
        </ul>
      </Show>
      <Show
        when={read()}
        fallback={
          <Show when={wrong().length === 0}>
            <p class="help">
              Paste HorizontalPodAutoscaler, ScaledObject or VariantAutoscaling objects, a ConfigMap of an analyser, an
              EndpointPickerConfig of llm-d's router, a List of them, or a policy bundle (admission, priority, routing,
              scheduler, autoscale). Nothing changes before you apply it, and nothing leaves this computer.
            </p>
          </Show>
        }
      >
        <div class="policies-foot">
          <button
            type="button"
            class="btn pri"
            disabled={used() || keys(true).length === 0}
            onClick={() => void apply()}
          >
            {used() ? 'Applied' : 'Apply'}
          </button>
          <span class="m">{used() ? '' : 'makes one edit at the playhead, or restarts'}</span>
        </div>
        <Show when={(read()?.warnings.length ?? 0) > 0}>
          <ul class="problems" role="status">
            <For each={read()?.warnings}>{(warning) => <li>{explain(warning)}</li>}</For>
          </ul>
        </Show>
        <Keys title="What it sets" rows={keys(true)} none="Nothing in this text has a counterpart here." />
        <Keys title="What has no counterpart" rows={keys(false)} none="" />
      </Show>
    </div>
  );
}

/** Keys, each with its value and its translation. */
function Keys(props: { title: string; rows: AdoptedPolicies['mappings']; none: string }): JSX.Element {
  return (
    <Show when={props.rows.length > 0 || props.none !== ''}>
      <h2>{props.title}</h2>
      <Show when={props.rows.length > 0} fallback={<p class="help">{props.none}</p>}>
        <dl class="policy-keys">
          <For each={props.rows}>
            {(m) => (
              <div>
                <dt>
                  <code>{m.key}</code> <span class="m">{m.found}</span>
                </dt>
                <dd>{m.becomes}</dd>
              </div>
            )}
          </For>
        </dl>
      </Show>
    </Show>
  );
}
