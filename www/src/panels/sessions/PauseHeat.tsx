// Returns of very many sessions: by instant and by the length of the pause, coloured by the share computed again.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { count, durationUs, text } from '../../base/units.ts';
import { heatPaint } from '../../draw/heat.ts';
import { pagePalette } from '../../draw/palette.ts';
import type { PauseCell, PauseMap, SessionRows } from '../../generated/boundary.ts';
import { heatCells, nextCell } from './heatLayout.ts';
import { TimeTicks } from './SessionPicture.tsx';
import { SIDES } from './sessionLayout.ts';
import { cellWords } from './sessionWords.ts';

const STEPS = [0.01, 0.25, 0.5, 0.75, 1] as const;

export function PauseHeat(props: {
  of: SessionRows;
  map: PauseMap;
  width: number;
  chosen: number | undefined;
  onSelect: (request: number) => void;
}): JSX.Element {
  const palette = pagePalette();
  const plan = createMemo(() => heatCells(props.map, props.width));
  const [place, setPlace] = createSignal<Pick<PauseCell, 'column' | 'row'>>();
  const pointed = createMemo((): PauseCell | undefined => {
    const now = place();
    return props.map.cells.find((cell) => cell.column === now?.column && cell.row === now.row);
  });
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const cell = pointed();
    if (event.key === 'Enter' && cell) props.onSelect(cell.request);
    else {
      const next = nextCell(props.map.cells, cell, event.key);
      if (!next) return;
      setPlace(next);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <figure class="session-heat">
      <figcaption>
        <b>Length of the pause</b> <span class="m">share computed again</span>
        <span class="session-heat-steps">
          <i class="none" /> none
          <For each={STEPS}>{(step) => <i style={{ background: heatPaint(palette().dark, step - 0.001) }} />}</For>
          all
        </span>
      </figcaption>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys go from cell to cell
        tabIndex={0}
        aria-label={`Returns of ${count(props.of.sessions)} sessions by instant and length of the pause: arrow keys go from cell to cell, Enter selects the turn that computed most again`}
        onKeyDown={press}
      >
        <svg
          class="session-rows"
          width={props.width}
          height={plan().height}
          viewBox={`0 0 ${props.width} ${plan().height}`}
          role="img"
          aria-label={`${count(props.of.returns)} returns; ${count(props.of.again_tokens)} tokens computed again`}
        >
          <For each={plan().edges}>
            {(edge) => (
              <text x={SIDES.left - 8} y={edge.y + 4} text-anchor="end">
                {text(durationUs(edge.us))}
              </text>
            )}
          </For>
          <For each={plan().cells}>
            {({ cell, x, y, w, h }) => (
              // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the section go to it
              <rect
                class="cell"
                classList={{ none: cell.again_tokens === 0 }}
                x={x}
                y={y}
                width={w}
                height={h}
                style={cell.again_tokens > 0 ? { fill: heatPaint(palette().dark, cell.again_share) } : undefined}
                onPointerEnter={() => setPlace(cell)}
                onClick={() => props.onSelect(cell.request)}
              />
            )}
          </For>
          <Show when={plan().cells.find(({ cell }) => cell === pointed())}>
            {(mark) => <rect class="chosen" x={mark().x} y={mark().y} width={mark().w} height={mark().h} />}
          </Show>
          <TimeTicks
            of={props.of}
            width={props.width}
            left={SIDES.left}
            right={props.width - SIDES.right}
            y={plan().height - 6}
          />
        </svg>
      </section>
      <p class="m" aria-live="polite">
        <Show when={pointed()} fallback="Point at a cell, or go to it with the arrow keys.">
          {(cell) => <>{cellWords(props.of, props.map, cell())}</>}
        </Show>
      </p>
    </figure>
  );
}
