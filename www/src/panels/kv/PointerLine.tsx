// The line from the block pointed at to its run in the tree.
import { createEffect, createSignal, type JSX, Show } from 'solid-js';
import { ACROSS, kvLayout, rowsOf } from '../../closeup/kvPicture.ts';
import type { Blocks } from '../../generated/boundary.ts';
import { blocks, pointedBlock } from '../../state/view/kvAnswer.ts';

export function PointerLine(): JSX.Element {
  let svg: SVGSVGElement | undefined;
  const [path, setPath] = createSignal('');
  createEffect(() => {
    const b = blocks();
    const index = b === undefined ? -1 : (pointedBlock() ?? -1) - b.grid.first;
    const run = b?.grid.node[index];
    const body = svg?.parentElement;
    setPath(b && body && run !== undefined && run >= 0 ? between(body, b, index, run) : '');
  });
  return (
    <svg ref={svg} class="kv-elbow" aria-hidden="true">
      <Show when={path()}>{(d) => <path d={d()} />}</Show>
    </svg>
  );
}

/** From the row of the block to the row of the run, while that is on screen. */
function between(body: HTMLElement, b: Blocks, index: number, run: number): string {
  const row = body.querySelector(`[data-run="${run}"]`);
  const tree = body.querySelector('.kv-tree');
  const canvas = body.querySelector('canvas');
  if (!row || !tree || !canvas) return '';
  const [ground, to, within, map] = [body, row, tree, canvas].map((one) => one.getBoundingClientRect());
  if (!ground || !to || !within || !map || to.bottom < within.top || to.top > within.bottom) return '';
  const l = kvLayout(Math.floor(map.width), rowsOf(b.grid.states.length), b.total);
  const fromY = map.top - ground.top + l.gridTop + (Math.floor(index / ACROSS) + 0.5) * l.pitch;
  const fromX = map.left - ground.left + l.left + l.width + 1;
  const [toX, toY] = [to.left - ground.left, to.top + to.height / 2 - ground.top];
  const middle = (fromX + toX) / 2;
  return `M${fromX} ${fromY}H${middle}V${toY}H${toX}`;
}
