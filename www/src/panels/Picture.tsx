// A small picture of a run, from shapes that the simulator made: it scales them and says what they look like, nothing else.
import { For, type JSX, Show } from 'solid-js';
import { theme } from '../base/theme.ts';
import { heatPaint } from '../draw/heat.ts';
import type { Look, Shape, Picture as Shown } from '../generated/boundary.ts';

const WIDTH = 224;
const HEIGHT = 84;
/** Room for marks at the edges. */
const EDGE = 3;
/** The side of the square in which shapes are given. */
const SIDE = 1000;

const x = (of: number): number => EDGE + (of / SIDE) * (WIDTH - 2 * EDGE);
const y = (of: number): number => HEIGHT - EDGE - (of / SIDE) * (HEIGHT - 2 * EDGE);
const at = (n: number): string => n.toFixed(1);

export function Picture(props: { picture: Shown }): JSX.Element {
  return (
    <figure class="picture">
      <figcaption>
        <span>{props.picture.caption}</span>
        <span class="m">{props.picture.range}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <For each={wordsLast(props.picture.shapes)}>{(shape) => <Drawn shape={shape} />}</For>
      </svg>
    </figure>
  );
}

/** No line goes through a word. */
function wordsLast(shapes: readonly Shape[]): readonly Shape[] {
  return [...shapes.filter((shape) => !('words' in shape)), ...shapes.filter((shape) => 'words' in shape)];
}

function Drawn(props: { shape: Shape }): JSX.Element {
  const shape = props.shape;
  if ('line' in shape) return <path class={`line ${shape.line.look}`} d={linePath(shape.line.points)} />;
  if ('dots' in shape)
    return <path class={`dots ${shape.dots.look}`} d={dotsPath(shape.dots.points, shape.dots.look)} />;
  if ('level' in shape) return <path class="level" d={`M0 ${at(y(shape.level.y))}H${WIDTH}`} />;
  if ('bars' in shape)
    return <path class={`bars ${shape.bars.look}`} d={barsPath(shape.bars.bars, shape.bars.lanes)} />;
  if ('words' in shape) return <Words at={shape.words.at} text={shape.words.text} />;
  return <Cells cells={shape.cells} />;
}

function Words(props: { at: readonly number[]; text: string }): JSX.Element {
  const [left = 0, up = 0] = props.at;
  const right = left > SIDE / 2;
  return (
    <text
      x={at(x(left) + (right ? -4 : left === 0 ? 0 : 4))}
      y={at(Math.max(10, Math.min(HEIGHT - 4, y(up) + 4)))}
      text-anchor={right ? 'end' : 'start'}
    >
      {props.text}
    </text>
  );
}

/** One path for each digit, so that hundreds of cells are nine elements. */
function Cells(props: { cells: { x: readonly number[]; columns: number; digits: string } }): JSX.Element {
  const paths = (): readonly (readonly [number, string])[] => {
    const { columns, digits } = props.cells;
    const [from = 0, to = SIDE] = props.cells.x;
    const rows = Math.ceil(digits.length / columns);
    const wide = (x(to) - x(from)) / columns;
    const high = (HEIGHT - 2 * EDGE) / rows;
    const gap = Math.min(wide, high) > 4 ? 1 : 0.2;
    const byDigit = new Map<number, string>();
    [...digits].forEach((digit, i) => {
      const left = x(from) + (i % columns) * wide;
      const top = EDGE + Math.floor(i / columns) * high;
      const cell = `M${at(left)} ${at(top)}h${at(wide - gap)}v${at(high - gap)}h${at(gap - wide)}z`;
      byDigit.set(Number(digit), (byDigit.get(Number(digit)) ?? '') + cell);
    });
    return [...byDigit].sort(([a], [b]) => a - b);
  };
  return (
    <For each={paths()}>
      {([digit, path]) => (
        <Show when={digit > 0} fallback={<path class="empty-cells" d={path} />}>
          <path fill={heatPaint(theme() === 'dark', digit / 10)} d={path} />
        </Show>
      )}
    </For>
  );
}

function linePath(points: readonly (readonly number[])[]): string {
  return points.map(([px = 0, py = 0], i) => `${i === 0 ? 'M' : 'L'}${at(x(px))} ${at(y(py))}`).join('');
}

/** Dots are lines of no length with round ends; what missed is a triangle, so that colour is not alone. */
function dotsPath(points: readonly (readonly number[])[], look: Look): string {
  const mark = look === 'missed' ? 'm-2.2 1.8h4.4l-2.2-4z' : 'h.01';
  return points.map(([px = 0, py = 0]) => `M${at(x(px))} ${at(y(py))}${mark}`).join('');
}

function barsPath(bars: readonly (readonly number[])[], lanes: number): string {
  const lane = (HEIGHT - 2 * EDGE) / lanes;
  const high = Math.min(12, lane * 0.7);
  return bars
    .map(([row = 0, from = 0, to = 0]) => {
      const top = EDGE + row * lane + (lane - high) / 2;
      const wide = Math.max(0.4, x(to) - x(from));
      return `M${at(x(from))} ${at(top)}h${wide.toFixed(2)}v${at(high)}h-${wide.toFixed(2)}z`;
    })
    .join('');
}
