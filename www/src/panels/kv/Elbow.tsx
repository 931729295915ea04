// The line from the block pointed at to its run in the tree.
import { createEffect, createSignal, type JSX, Show } from 'solid-js';
import { blocks, pointedBlock } from '../../state/kvAnswer.ts';

export function Elbow(): JSX.Element {
  let svg: SVGSVGElement | undefined;
  const [path, setPath] = createSignal('');
  createEffect(() => {
    const b = blocks();
    const block = pointedBlock();
    const run = b && block !== undefined ? b.grid.node[block - b.grid.first] : undefined;
    const body = svg?.parentElement;
    setPath(body && run !== undefined && run >= 0 ? between(body, run) : '');
  });
  return (
    <svg ref={svg} class="kv-elbow" aria-hidden="true">
      <Show when={path()}>{(d) => <path d={d()} />}</Show>
    </svg>
  );
}

/** From the number of the block to the row of the run, while both are on screen. */
function between(body: HTMLElement, run: number): string {
  const row = body.querySelector(`[data-run="${run}"]`);
  const tree = body.querySelector('.kv-tree');
  const canvas = body.querySelector('canvas');
  const pill = body.querySelector('.kv-pill');
  if (!row || !tree || !canvas) return '';
  const [ground, to, within, map] = [body, row, tree, canvas].map((one) => one.getBoundingClientRect());
  if (!ground || !to || !within || !map || to.bottom < within.top || to.top > within.bottom) return '';
  const from = pill?.getBoundingClientRect();
  const fromY = (from ? from.top - 4 : map.top) - ground.top;
  const toY = to.top + to.height / 2 - ground.top;
  const [fromX, toX] = [map.right - ground.left - 4, to.left - ground.left];
  const middle = (fromX + toX) / 2;
  return `M${fromX} ${fromY}H${middle}V${toY}H${toX}`;
}
