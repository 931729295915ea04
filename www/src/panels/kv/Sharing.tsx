// What prompts share: a tree of runs, each as long as it is, where its parent ends. Beside it what the router believes.

import { createMemo, For, Index, type JSX, Show } from 'solid-js';
import { count, DASH } from '../../base/units.ts';
import { ClientShape } from '../../draw/shapes.tsx';
import type { Blocks, PrefixNode } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { pointedBlock, pointedRun, setPointedRun } from '../../state/view/kvAnswer.ts';
import { TableHead } from '../parts/TableHead.tsx';
import { beliefSaid, differs, pictureSaid, runName } from './kvWords.ts';

export function Sharing(props: { app: Pick<App, 'selection'>; blocks: Blocks }): JSX.Element {
  const longest = createMemo(() =>
    props.blocks.tree.reduce((most, node) => Math.max(most, node.from + node.blocks), 1),
  );
  const depths = createMemo(() => depthsOf(props.blocks.tree));
  const pointed = createMemo(() => {
    const block = pointedBlock();
    if (block === undefined) return pointedRun();
    return props.blocks.grid.node[block - props.blocks.grid.first];
  });
  return (
    <div class="kv-sharing">
      <div class="kv-page">
        <b>Sharing</b> <span class="m kv-cut">blocks of a prompt, 0 to {count(longest())}</span>
        <span class="grow" />
        <span class="m kv-refs">refs, own</span>
      </div>
      <Show
        when={props.blocks.tree.length > 0}
        fallback={<p class="empty">No request is here, and no prefix is cached.</p>}
      >
        <ul class="kv-tree" aria-label="Runs of blocks" onMouseLeave={() => setPointedRun(undefined)}>
          <Index each={props.blocks.tree}>
            {(node, i) => (
              <li>
                <Run
                  app={props.app}
                  node={node()}
                  index={i}
                  depth={depths()[i] ?? 0}
                  longest={longest()}
                  pointed={pointed() === i}
                />
              </li>
            )}
          </Index>
        </ul>
        <Show when={props.blocks.more > 0}>
          <p class="m">{count(props.blocks.more)} more runs</p>
        </Show>
      </Show>
      <Beliefs blocks={props.blocks} />
    </div>
  );
}

function depthsOf(tree: readonly PrefixNode[]): number[] {
  const depths: number[] = [];
  for (const node of tree) depths.push(node.parent === null ? 0 : (depths[node.parent] ?? 0) + 1);
  return depths;
}

type RunProps = {
  readonly app: Pick<App, 'selection'>;
  readonly node: PrefixNode;
  readonly index: number;
  readonly depth: number;
  readonly longest: number;
  readonly pointed: boolean;
};

function Run(props: RunProps): JSX.Element {
  const node = (): PrefixNode => props.node;
  const share = (blocks: number): string => `${(100 * blocks) / props.longest}%`;
  const said = (): string =>
    `${runName(node())}, from block ${count(node().from)}, ${count(node().blocks)} blocks, ${count(node().cached)} here, held by ${count(node().refs)}`;
  /** Several prompts begin with it, or could; else it is the rest of one, or of a conversation that is only cached. */
  const isShared = (): boolean => node().mark !== '' || (node().request === null && node().refs > 0);
  const open = (): void => {
    const { request } = node();
    if (request !== null) props.app.selection.select({ request, replica: undefined });
  };
  return (
    <button
      type="button"
      class="kv-run"
      classList={{ shared: isShared(), pointed: props.pointed, gone: node().refs === 0 }}
      data-run={props.index}
      title={said()}
      onMouseEnter={() => setPointedRun(props.index)}
      onFocus={() => setPointedRun(props.index)}
      onBlur={() => setPointedRun(undefined)}
      onClick={open}
    >
      <span class="kv-run-name" style={{ 'padding-left': `${9 * Math.min(4, props.depth)}px` }}>
        <Show when={node().mark !== ''}>
          <b class={node().group === null ? '' : `kv-letter g${node().group}`}>{node().mark}</b>
        </Show>
        <Show when={node().client !== null}>
          <ClientShape client={node().client ?? 0} />
        </Show>
        <span>{node().label}</span>
      </span>
      <span class="kv-run-bar" aria-hidden="true">
        <i class="inherited" style={{ width: share(node().from) }} />
        <i
          class={isShared() || node().request === null ? 'run' : 'own'}
          style={{ left: share(node().from), width: share(node().cached) }}
        />
        <i
          class="missing"
          style={{ left: share(node().from + node().cached), width: share(node().blocks - node().cached) }}
        />
      </span>
      <span class="kv-run-count">
        {isShared() ? `${count(node().refs)} ${node().refs === 1 ? 'ref' : 'refs'}` : count(node().blocks)}
      </span>
    </button>
  );
}

/** What the router believes to be cached here, and what is true. */
function Beliefs(props: { blocks: Blocks }): JSX.Element {
  return (
    <section class="kv-beliefs" aria-label="Seen by the router">
      <h3>
        Seen by the router <span class="m">{pictureSaid(props.blocks.picture)}</span>
      </h3>
      <Show when={props.blocks.groups.length > 0}>
        <table>
          <TableHead names={['Prefix', 'Believed', 'True', 'Of']} />
          <tbody>
            <For each={props.blocks.groups}>
              {(group, i) => (
                <tr title={beliefSaid(group)}>
                  <th scope="row">
                    {String.fromCharCode(65 + i())} {group.name}
                  </th>
                  <td classList={{ warn: differs(group) }}>{group.believed === null ? DASH : count(group.believed)}</td>
                  <td>{count(group.cached)}</td>
                  <td>{count(group.blocks)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </Show>
    </section>
  );
}
