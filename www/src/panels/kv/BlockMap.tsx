// The map of blocks: a strip of all of them and a page of them as a grid, with pointer and keys, and a table behind it.

import { createEffect, createMemo, createSignal, For, type JSX, on, onCleanup, onMount, Show, untrack } from 'solid-js';
import { offsetIn } from '../../base/pointer.ts';
import { count } from '../../base/units.ts';
import {
  ACROSS,
  changesOf,
  type KvMark,
  type KvPicture,
  kvLayout,
  looksOf,
  MARKED_MS,
  placeAt,
  rowsOf,
  runBeside,
  togetherWith,
} from '../../closeup/kvPicture.ts';
import { closeUpPainter } from '../../closeup/painter.ts';
import { attachSurface, type Surface } from '../../draw/canvas.ts';
import { pagePalette } from '../../draw/palette.ts';
import type { Blocks } from '../../generated/boundary.ts';
import { blockColour, chosenBlock, setBlockColour, setChosenBlock } from '../../state/view/closeup.ts';
import { pointedBlock, pointedRun, setBlockPage, setPointedBlock } from '../../state/view/kvAnswer.ts';
import { TableHead } from '../parts/TableHead.tsx';
import { blockSaid, COLOURS, stateName } from './kvWords.ts';

type Props = {
  readonly blocks: Blocks;
  /** There are very many pages: the strip alone, until a page is asked for. */
  readonly onlyStrip: boolean;
  readonly onReplica: (by: number) => void;
  readonly reducedMotion: boolean;
  readonly playing: boolean;
};

const PAGE = 4096;

export function BlockMap(props: Props): JSX.Element {
  let host: HTMLDivElement | undefined;
  let canvas: HTMLCanvasElement | undefined;
  let surface: Surface | undefined;
  const palette = pagePalette();
  const [width, setWidth] = createSignal(480);
  const [alone, setAlone] = createSignal(untrack(() => props.onlyStrip));
  const grid = (): Blocks['grid'] => props.blocks.grid;
  const size = (): number => (alone() ? 0 : grid().states.length);
  const layout = createMemo(() => kvLayout(width(), rowsOf(size()), props.blocks.total));
  const looks = createMemo(() => looksOf(grid(), blockColour()));
  const at = createMemo(() => indexOf(props.blocks, pointedBlock()));
  const pinned = createMemo(() => {
    const pin = chosenBlock();
    return pin && pin.replica === props.blocks.replica ? indexOf(props.blocks, pin.block) : undefined;
  });
  const lit = createMemo<readonly number[]>(() => {
    const run = pointedRun();
    if (run !== undefined) return grid().node.flatMap((node, i) => (node === run ? [i] : []));
    const index = at() ?? pinned();
    return index === undefined || alone() ? [] : togetherWith(grid(), index);
  });
  const marks = createMarks(props);

  const picture = (): KvPicture => ({
    of: 'kv',
    layout: layout(),
    first: grid().first,
    page: props.blocks.page,
    pages: props.blocks.pages,
    strip: props.blocks.strip,
    bytes: alone() ? new Uint8Array() : looks().slice(),
    lit: lit(),
    pinned: pinned(),
    pointed: at(),
    ...marks(),
  });
  onMount(() => {
    if (!host || !canvas) return;
    surface = attachSurface(canvas, host, {
      palette,
      by: closeUpPainter(),
      fit: (w) => {
        setWidth(w);
        return untrack(layout).height;
      },
      picture: () => untrack(picture),
    });
    onCleanup(() => surface?.dispose());
  });
  createEffect(() => {
    void [looks(), lit(), pinned(), at(), palette(), layout(), marks(), props.blocks.strip];
    surface?.request();
  });

  const goTo = (block: number): void => {
    const { pages } = props.blocks;
    const bounded = Math.max(0, Math.min(pages * PAGE - 1, block));
    setAlone(false);
    setBlockPage(Math.floor(bounded / PAGE));
    setPointedBlock(bounded);
  };
  const onPoint = (event: MouseEvent, pins: boolean): void => {
    if (!canvas) return;
    const { offsetX, offsetY } = offsetIn(canvas, event);
    const place = placeAt(layout(), offsetX, offsetY, size(), props.blocks.pages);
    if (place?.kind === 'block') {
      const block = grid().first + place.index;
      setPointedBlock(block);
      if (pins) pin(props.blocks, block);
    } else if (place?.kind === 'page' && pins) {
      setAlone(false);
      setBlockPage(place.page);
    } else if (!pins) setPointedBlock(undefined);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = keyOf(event, props, { at: at() ?? pinned(), goTo });
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  const said = createMemo(() => {
    const index = at();
    return index === undefined ? '' : blockSaid(props.blocks, index);
  });
  return (
    <div class="kv-map">
      <PageHead blocks={props.blocks} alone={alone()} goTo={goTo} />
      <div
        ref={host}
        class="kv-canvas"
        role="application"
        tabindex="0"
        aria-label={`Blocks of r${props.blocks.replica}, ${alone() ? 'all pages' : `page ${props.blocks.page + 1} of ${props.blocks.pages}`}`}
        aria-describedby="kv-keys"
        onKeyDown={onKey}
        onBlur={() => setPointedBlock(undefined)}
        onPointerMove={(event) => event.pointerType !== 'touch' && onPoint(event, false)}
        onPointerLeave={() => setPointedBlock(undefined)}
        onClick={(event) => onPoint(event, true)}
      >
        <canvas ref={canvas} />
        <Show when={at() !== undefined && !alone() && said()}>
          <span class="kv-pill" ref={(pill) => createEffect(() => placePill(pill, layout(), at()))}>
            {count(pointedBlock() ?? 0)}
          </span>
        </Show>
      </div>
      <p class="kv-hidden" id="kv-keys">
        Arrow keys move over the blocks, with Shift from run to run. Page up and page down turn pages, C changes the
        colours, brackets change the replica, Enter pins a block, Escape lets it go.
      </p>
      <p class="kv-hidden" aria-live="polite">
        {said()}
      </p>
      <Show when={!alone()}>
        <Rows blocks={props.blocks} />
      </Show>
    </div>
  );
}

/** The marks of what changed on the page between the two latest answers. */
function createMarks(props: Props): () => { readonly marks: readonly KvMark[]; readonly markedUntil: number } {
  const [marks, setMarks] = createSignal<{ marks: readonly KvMark[]; markedUntil: number }>({
    marks: [],
    markedUntil: 0,
  });
  createEffect(
    on(
      () => props.blocks,
      (now, before) => {
        const changed = props.reducedMotion ? [] : changesOf(before, now);
        if (changed.length > 0) setMarks({ marks: changed, markedUntil: Date.now() + MARKED_MS });
        else if (untrack(marks).marks.length > 0 && Date.now() > untrack(marks).markedUntil)
          setMarks({ marks: [], markedUntil: 0 });
      },
    ),
  );
  return marks;
}

/** The place of a block on the page, if it is on it. */
function indexOf(b: Blocks, block: number | undefined): number | undefined {
  const index = (block ?? -1) - b.grid.first;
  return index >= 0 && index < b.grid.states.length ? index : undefined;
}

function pin(b: Blocks, block: number): void {
  const known = chosenBlock();
  setChosenBlock(known?.block === block && known.replica === b.replica ? undefined : { replica: b.replica, block });
}

type Where = { readonly at: number | undefined; readonly goTo: (block: number) => void };

/** What a key does on the map. */
function keyOf(event: KeyboardEvent, props: Props, { at, goTo }: Where): (() => void) | undefined {
  const { blocks: b } = props;
  const from = b.grid.first + (at ?? 0);
  const step = (by: number): (() => void) => {
    if (at === undefined) return () => goTo(b.grid.first);
    if (!event.shiftKey) return () => goTo(from + by);
    return () => goTo(b.grid.first + runBeside(b.grid, at, by > 0 ? 1 : -1));
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowRight: step(1),
    ArrowLeft: step(-1),
    ArrowDown: step(ACROSS),
    ArrowUp: step(-ACROSS),
    PageDown: () => goTo(Math.min(b.pages - 1, b.page + 1) * PAGE),
    PageUp: () => goTo(Math.max(0, b.page - 1) * PAGE),
    c: nextColour,
    C: nextColour,
    '[': () => props.onReplica(-1),
    ']': () => props.onReplica(1),
    Enter: () => {
      if (at !== undefined) pin(b, from);
    },
    Escape: () => {
      setChosenBlock(undefined);
      setPointedBlock(undefined);
    },
  };
  return keys[event.key];
}

function nextColour(): void {
  const names = COLOURS.map(([name]) => name);
  setBlockColour(names[(names.indexOf(blockColour()) + 1) % names.length] ?? 'owner');
}

/** The number of the block pointed at stands below it, or above where there is no room. */
function placePill(pill: HTMLElement, l: ReturnType<typeof kvLayout>, index: number | undefined): void {
  if (index === undefined) return;
  const row = Math.floor(index / ACROSS);
  const top = l.gridTop + row * l.pitch;
  const below = top + l.pitch + 26 < l.height;
  pill.style.top = `${below ? top + l.pitch + 4 : top - 24}px`;
  pill.style.left = `${Math.min(l.left + l.width - 64, l.left + (index % ACROSS) * l.pitch)}px`;
}

/** Which page is shown, and what it holds. */
function PageHead(props: { blocks: Blocks; alone: boolean; goTo: (block: number) => void }): JSX.Element {
  const b = (): Blocks => props.blocks;
  const last = (): number => b().grid.first + b().grid.states.length - 1;
  const turn = (by: number): void => props.goTo(Math.max(0, Math.min(b().pages - 1, b().page + by)) * PAGE);
  return (
    <div class="kv-page">
      <Show
        when={!props.alone}
        fallback={
          <span class="m">
            All {count(b().pages)} pages of 4,096 blocks: choose a place on the strip to see its page.
          </span>
        }
      >
        <b>
          Page {count(b().page + 1)} of {count(b().pages)}
        </b>{' '}
        <span class="m">
          blocks {count(b().grid.first)}–{count(last())}
        </span>
        <Show when={b().pages > 1}>
          <button type="button" class="btn sq slim" aria-label="Previous page" onClick={() => turn(-1)}>
            ‹
          </button>
          <button type="button" class="btn sq slim" aria-label="Next page" onClick={() => turn(1)}>
            ›
          </button>
        </Show>
        <span class="grow" />
        <span class="m kv-counts">
          used {count(b().grid.counts[0])} + cached {count(b().grid.counts[1])} + free {count(b().grid.counts[2])}
        </span>
      </Show>
    </div>
  );
}

/** The page as a table: its blocks in stretches of one state and one run. */
function Rows(props: { blocks: Blocks }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const stretches = createMemo(() => (open() ? stretchesOf(props.blocks) : []));
  return (
    <details class="kv-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      <Show when={open()}>
        <table>
          <TableHead names={['Blocks', 'State', 'Run']} />
          <tbody>
            <For each={stretches()}>
              {(stretch) => (
                <tr>
                  <td>{stretch.blocks}</td>
                  <td>{stretch.state}</td>
                  <td>{stretch.run}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </Show>
    </details>
  );
}

const MOST_ROWS = 500;

function stretchesOf(b: Blocks): { blocks: string; state: string; run: string }[] {
  const { grid } = b;
  const all = [];
  for (let from = 0; from < grid.states.length && all.length < MOST_ROWS; ) {
    const state = grid.states[from] ?? '.';
    let end = from + 1;
    while (end < grid.states.length && grid.states[end] === state && grid.node[end] === grid.node[from]) end += 1;
    const numbers = [from, end - 1].map((i) => count(grid.first + i));
    const node = b.tree[grid.node[from] ?? -1];
    all.push({
      blocks: end - from === 1 ? (numbers[0] ?? '') : numbers.join('–'),
      state: stateName(state),
      run: node ? `${node.mark} ${node.label}`.trim() : '–',
    });
    from = end;
  }
  return all;
}
