// A request that is prefilled away from its home: both routing decisions beside each other, and its blocks at both ends.

import { createUniqueId, For, type JSX, Show } from 'solid-js';
import { count, DASH, percent, text } from '../../base/units.ts';
import type { Candidate, HandoverDetail } from '../../generated/boundary.ts';
import { Block } from '../parts/Block.tsx';
import { area, CELL, COLUMNS } from '../parts/blockCells.ts';
import { shownOf } from '../parts/regret.ts';
import { TableHead } from '../parts/TableHead.tsx';

/** Why the decider chose so, in words. */
const REASONS: Readonly<Record<string, string>> = {
  mixed: 'its home prefills its own requests',
  never: 'the decider is “never”',
  'no-prefill': 'no prefill replica serves',
  always: 'the decider is “always”',
  short: 'short enough for its home',
  busy: 'all prefill replicas are busy',
  long: 'too long for its home',
};

type Props = { handover: HandoverDetail; homes: readonly Candidate[]; onReplica: (replica: number) => void };

/** Home first, then prefill. */
export function TwoDecisions(props: Props): JSX.Element {
  const h = (): HandoverDetail => props.handover;
  return (
    <Block title="Two decisions" remark="home, then prefill">
      <p class="say">
        {h().prefill === undefined
          ? `Prefilled at home, r${h().home}`
          : `Prefilled on r${h().prefill} for r${h().home}`}
        : {REASONS[h().reason] ?? h().reason}
        <Show when={h().uncached}>{(tokens) => <>, with {count(tokens())} tokens to compute there</>}</Show>.
      </p>
      <div class="two-decisions">
        <Stage name="home" list={props.homes} load={(c) => c.load} head="load" onReplica={props.onReplica} />
        <Show when={h().prefill !== undefined}>
          <Stage
            name="prefill"
            list={h().prefill_candidates}
            load={(c) => c.in_flight}
            head="in flight"
            onReplica={props.onReplica}
          />
        </Show>
      </div>
    </Block>
  );
}

function Stage(props: {
  name: string;
  list: readonly Candidate[];
  head: string;
  load: (c: Candidate) => number;
  onReplica: (replica: number) => void;
}): JSX.Element {
  const scored = (): boolean => props.list.some((c) => c.parts.length > 0);
  return (
    <Show when={props.list.length > 0} fallback={<p class="say">{props.name}: no longer kept.</p>}>
      <table class="tbl">
        <caption class="visually-hidden">Candidates of the {props.name} decision, as the router saw them</caption>
        <TableHead names={[props.name, props.head, scored() ? 'score' : 'KV']} />
        <tbody>
          <For each={shownOf(props.list)}>
            {(c) => (
              <tr classList={{ pick: c.chosen, unable: c.excluded !== undefined }} title={c.excluded}>
                <th scope="row">
                  <button type="button" class="link" onClick={() => props.onReplica(c.replica)}>
                    r{c.replica}
                  </button>
                </th>
                <td>{count(props.load(c))}</td>
                <td>{c.excluded !== undefined ? DASH : scored() ? c.score.toFixed(2) : text(percent(c.kv_used))}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </Show>
  );
}

/** The most cells of a grid. */
const MOST_CELLS = 480;

/** The blocks of the request at both ends. */
export function BlocksAtBothEnds(props: { handover: HandoverDetail; request: number }): JSX.Element {
  const b = (): HandoverDetail['blocks'] => props.handover.blocks;
  const most = (): number => Math.max(b().prompt, b().cached + b().reserved);
  const per = (): number => Math.max(1, Math.ceil(most() / MOST_CELLS));
  return (
    <Block
      title={`Blocks of #${props.request}`}
      remark={per() > 1 ? `a cell is ${count(per())} blocks` : `${count(b().prompt)} of its prompt`}
    >
      <Show
        when={!props.handover.transfer?.over}
        fallback={
          <Grid
            says={`r${props.handover.home} has all ${count(b().prompt)}, r${props.handover.prefill} gave its blocks back`}
            per={per()}
            parts={[['held', b().prompt]]}
          />
        }
      >
        <Grid says={`r${props.handover.prefill} holds ${count(b().held)}`} per={per()} parts={[['held', b().held]]} />
        <Grid
          says={`r${props.handover.home} set ${count(b().reserved)} aside, has ${count(b().cached)} cached`}
          per={per()}
          parts={[
            ['cached', b().cached],
            ['reserved', b().reserved],
          ]}
        />
        <p class="m note">
          The KV is valid on the prefill replica until it has landed at home. Blocks set aside are room, not contents.
        </p>
      </Show>
    </Block>
  );
}

type GridPart = readonly [state: 'held' | 'cached' | 'reserved', blocks: number];

/** Cells in rows, one state after the other. */
function Grid(props: { says: string; per: number; parts: readonly GridPart[] }): JSX.Element {
  const id = createUniqueId();
  const placed = () => {
    let at = 0;
    return props.parts.map(([state, blocks]) => {
      const from = at;
      at += Math.ceil(blocks / props.per);
      return { state, from, to: at };
    });
  };
  const cells = (): number => placed().at(-1)?.to ?? 0;
  const height = (): number => Math.max(1, Math.ceil(cells() / COLUMNS)) * CELL;
  return (
    <figure class="ends">
      <figcaption>{props.says}</figcaption>
      <svg viewBox={`0 0 ${COLUMNS * CELL} ${height()}`} role="img" aria-label={props.says}>
        <defs>
          <For each={['held', 'cached', 'reserved']}>
            {(state) => (
              <pattern id={`${id}-${state}`} width={CELL} height={CELL} patternUnits="userSpaceOnUse">
                <rect class={`end-${state}`} x="0.5" y="0.5" width={CELL - 1.5} height={CELL - 1.5} />
              </pattern>
            )}
          </For>
        </defs>
        <For each={placed()}>{(part) => <path fill={`url(#${id}-${part.state})`} d={area(part.from, part.to)} />}</For>
      </svg>
    </figure>
  );
}
