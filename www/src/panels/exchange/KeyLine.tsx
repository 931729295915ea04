// The line from the selected key in a text to its row: the only line that crosses the border between the two.
import { createEffect, createSignal, type JSX, on, onCleanup, onMount } from 'solid-js';
import type { Importing } from './importing.ts';

/** The corner of the line. */
const TURN = 6;
/** Where it goes up or down, from the border between the two sides. */
const WITHIN = 11;

type Box = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

/** The line from the end of a key to the beginning of a row, with its corner beyond the border. */
export function threadPath(key: Box, row: Box, border: number): string {
  const [x1, y1, x2, y2] = [key.right + 2, (key.top + key.bottom) / 2, row.left, (row.top + row.bottom) / 2];
  const x = border + WITHIN;
  const turn = Math.min(TURN, Math.abs(y2 - y1) / 2) * Math.sign(y2 - y1);
  const bend = Math.abs(turn);
  return `M${x1} ${y1}H${x - bend}Q${x} ${y1} ${x} ${y1 + turn}V${y2 - turn}Q${x} ${y2} ${x + bend} ${y2}H${x2}`;
}

/** Whether all of a box is within another. */
const isWithin = (box: Box, around: Box): boolean => box.top >= around.top - 1 && box.bottom <= around.bottom + 1;

/** The line for the present places of key and row; empty if one of them is not in sight. */
function pathIn(host: HTMLElement, selected: number | undefined): string {
  if (selected === undefined) return '';
  const key = host.querySelector(`[data-key="${selected}"]`);
  const row = host.querySelector(`[data-row="${selected}"]`);
  const sides = ['.pasted', '.pasted-texts', '.meaning-rows'].map((name) => host.querySelector(name));
  const [left, texts, rows] = sides.map((side) => side?.getBoundingClientRect());
  if (!key || !row || !left || !texts || !rows) return '';
  const [from, to, frame] = [key, row, host].map((el) => el.getBoundingClientRect());
  if (!from || !to || !frame || !isWithin(from, texts) || !isWithin(to, rows)) return '';
  // On a phone one is below the other.
  if (rows.left < left.right - 2) return '';
  const moved = (box: Box): Box => ({
    left: box.left - frame.left,
    right: box.right - frame.left,
    top: box.top - frame.top,
    bottom: box.bottom - frame.top,
  });
  return threadPath(moved(from), moved(to), left.right - frame.left);
}

export function KeyLine(props: { model: Importing; host: () => HTMLElement | undefined }): JSX.Element {
  const [path, setPath] = createSignal('');
  const draw = (): void => {
    const host = props.host();
    if (host) setPath(pathIn(host, props.model.selected()));
  };
  const { model } = props;
  createEffect(
    on([model.selected, model.found, model.filter, model.pieces], () => requestAnimationFrame(draw), { defer: true }),
  );
  onMount(() => {
    const host = props.host();
    if (!host) return;
    const sized = new ResizeObserver(draw);
    sized.observe(host);
    host.addEventListener('scroll', draw, { capture: true, passive: true });
    onCleanup(() => {
      sized.disconnect();
      host.removeEventListener('scroll', draw, { capture: true });
    });
  });
  return (
    <svg class="thread" aria-hidden="true">
      <path d={path()} />
    </svg>
  );
}
