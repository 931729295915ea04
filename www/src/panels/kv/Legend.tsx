// What the colours and shapes of the map mean.
import { createMemo, For, type JSX } from 'solid-js';
import { groupShape, LEGEND_SHAPES } from '../../closeup/kvLegend.ts';
import { NO_GROUP } from '../../closeup/kvPicture.ts';
import { BLOCKS, type BlockState } from '../../draw/looks.ts';
import type { Blocks } from '../../generated/boundary.ts';
import { type BlockColour, blockColour } from '../../state/view/closeup.ts';
import { AGE_ENDS } from './kvWords.ts';

type Entry = { readonly swatch: string; readonly name: string; readonly shape?: string };

export function Legend(props: { blocks: Blocks }): JSX.Element {
  const entries = createMemo<readonly Entry[]>(() => ENTRIES[blockColour()](props.blocks));
  return (
    <ul class="kv-legend" aria-label="Legend">
      <For each={entries()}>
        {(entry) => (
          <li>
            <svg class={`kv-swatch ${entry.swatch}`} viewBox="0 0 8 8" aria-hidden="true">
              <rect class="ground" width="8" height="8" />
              <path class="shape" d={entry.shape ?? ''} />
            </svg>
            {entry.name}
          </li>
        )}
      </For>
    </ul>
  );
}

const FREE: Entry = { swatch: 'of-kf', name: 'free' };
const CACHED: Entry = { swatch: 'of-kc', name: 'cached', shape: LEGEND_SHAPES.stroke };

const ENTRIES: Readonly<Record<BlockColour, (blocks: Blocks) => readonly Entry[]>> = {
  owner: ({ grid }) => {
    const has = (state: BlockState): boolean => grid.states.includes(BLOCKS[state].letter);
    return [
      { swatch: 'of-ku', name: 'held by one' },
      { swatch: 'of-ks', name: 'by two or more' },
      CACHED,
      FREE,
      ...(has('held') ? [{ swatch: 'of-ku', name: 'held for a hand-over', shape: LEGEND_SHAPES.dot }] : []),
      ...(has('reserved') ? [{ swatch: 'of-kr', name: 'set aside' }] : []),
      ...(has('out') ? [{ swatch: 'of-kx', name: 'out of service' }] : []),
      { swatch: 'hit', name: 'just hit' },
      { swatch: 'evicted', name: 'just evicted', shape: LEGEND_SHAPES.cross },
      { swatch: 'preempted', name: 'just preempted' },
    ];
  },
  group: ({ groups }) => [
    ...groups.map((group, i) => ({
      swatch: `g${i}`,
      name: `${String.fromCharCode(65 + i)} ${group.name}`,
      shape: groupShape(i),
    })),
    { swatch: `g${NO_GROUP}`, name: 'other' },
    { ...CACHED, name: 'thin: cached only' },
    FREE,
  ],
  age: () => [
    { swatch: 'young', name: AGE_ENDS[0] },
    { swatch: 'old', name: `${AGE_ENDS[1]} unused` },
    { swatch: 'of-kr', name: 'held' },
    FREE,
  ],
  references: () => [
    ...['1', '2', '3–7', '8 or more'].map((name, i) => ({
      swatch: i === 0 ? 'q1' : 'q2',
      name,
      shape: LEGEND_SHAPES.quarters[i] ?? '',
    })),
    CACHED,
    FREE,
  ],
};
