// What a link holds, part by part: what is always in it, and what can be left out.
import { For, type JSX, Show } from 'solid-js';
import type { LinkHolding } from '../../generated/boundary.ts';
import type { NamedRun } from '../../state/run/namedRuns.ts';

/** The parts that can be left out, by the names that the core gives them, and what is said of them then. */
export const FREE = {
  View: 'opens at the start of the run',
  Result: 'not compared when it opens',
  Words: 'title and note of the preset, or none',
  'Second run': 'not in the link',
} as const;
export type FreePart = keyof typeof FREE;
const ORDER = Object.keys(FREE) as readonly FreePart[];

function isFree(part: string): part is FreePart {
  return Object.hasOwn(FREE, part);
}

export function Holds(props: {
  holds: readonly LinkHolding[];
  /** The parts that are in the link; those that cannot be are missing. */
  ticks: ReadonlyMap<FreePart, boolean>;
  onTick: (part: FreePart, on: boolean) => void;
  /** The runs that can be the second one, and the chosen one. */
  others: readonly NamedRun[];
  besideId: number | undefined;
  onBeside: (id: number | undefined) => void;
}): JSX.Element {
  const fixed = (): readonly LinkHolding[] => props.holds.filter(({ part }) => !isFree(part));
  const free = (): readonly FreePart[] => ORDER.filter((part) => props.ticks.has(part));
  const said = (part: FreePart): string => props.holds.find((h) => h.part === part)?.text ?? FREE[part];
  return (
    <dl class="share-holds">
      <For each={fixed()}>
        {(holding) => (
          <div>
            <dt>
              <input type="checkbox" checked disabled aria-label={`${holding.part}, always in the link`} />
              {holding.part}
            </dt>
            <dd>{holding.text}</dd>
          </div>
        )}
      </For>
      <For each={free()}>
        {(part) => (
          <div classList={{ left: !props.ticks.get(part) }}>
            <dt>
              <label>
                <input
                  type="checkbox"
                  checked={props.ticks.get(part) ?? false}
                  onChange={(event) => props.onTick(part, event.currentTarget.checked)}
                />
                {part}
              </label>
            </dt>
            <dd>
              <Show when={part === 'Second run' && props.others.length > 1 && props.ticks.get(part)}>
                <select
                  class="in"
                  aria-label="Which second run"
                  value={props.besideId ?? ''}
                  onChange={(event) => props.onBeside(Number(event.currentTarget.value))}
                >
                  <For each={props.others}>{(run) => <option value={run.id}>{run.name}</option>}</For>
                </select>{' '}
              </Show>
              {said(part)}
            </dd>
          </div>
        )}
      </For>
    </dl>
  );
}
