// What a link to a preset is about, in place of the stage until its run is there.
import { createResource, For, type JSX, Show } from 'solid-js';
import { getAt, type Json } from '../../base/json.ts';
import { readDocument } from '../../base/text.ts';
import { type LinkedPreset, presetText } from '../../state/run/presets.ts';
import './linkAhead.css';

export function LinkAhead(props: { linked: LinkedPreset }): JSX.Element {
  const [document] = createResource(async () => readDocument(await presetText(props.linked.preset)));
  return (
    <section class="link-ahead" aria-label="What the link opens">
      <h2>{props.linked.changed ? `From “${props.linked.preset.title}”` : props.linked.preset.title}</h2>
      {/* What a link changes of its preset is known once it was read. */}
      <Show when={!props.linked.changed && document()}>
        {(found) => (
          <>
            <ul>
              <For each={poolsOf(found())}>{(pool) => <li>{pool}</li>}</For>
            </ul>
            <p>{noteOf(found())}</p>
          </>
        )}
      </Show>
    </section>
  );
}

/** Its links work once the run is there. */
const noteOf = (document: Json): string =>
  String(getAt(document, 'note') ?? '').replace(/\[([^[\]]+)\]\([^()]*\)/g, '$1');

/** The pools of a document: how many replicas, and of what, as far as it says. */
function poolsOf(document: Json): readonly string[] {
  const found = getAt(document, 'cluster.pools');
  const pools = Array.isArray(found) ? found : [];
  return pools.map((pool) => {
    const [name, model, gpu] = ['name', 'model', 'gpu'].map((key) => {
      const word = getAt(pool, key);
      return typeof word === 'string' ? word : '';
    });
    const replicas = Number(getAt(pool, 'replicas') ?? 1);
    const before = name && pools.length > 1 ? `${name}: ` : '';
    return `${before}${replicas} ${replicas === 1 ? 'replica' : 'replicas'}${model ? ` of ${model}` : ''}${gpu ? ` on ${gpu}` : ''}`;
  });
}
