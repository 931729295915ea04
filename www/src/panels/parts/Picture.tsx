// A small picture of a run, made of shapes from the simulator. It only scales and styles them.
import { For, type JSX, Show } from 'solid-js';
import { theme } from '../../base/theme.ts';
import { heatPaint } from '../../draw/heat.ts';
import type { Look, Shape, Picture as Shown } from '../../generated/boundary.ts';
import './picture.css';

const WIDTH = 224;
const HEIGHT = 84;
/** Room for marks at the edges. */
const EDGE = 3;
/** Height of a line of text. */
const LINE = 12;
/** The side of the square that shapes are defined in. */
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
        <For each={props.picture.shapes.filter((shape) => !('words' in shape))}>
          {(shape) => <Drawn shape={shape} />}
        </For>
        <For each={placed(props.picture.shapes)}>
          {(word) => (
            <text x={at(word.x)} y={at(word.y)} text-anchor={word.right ? 'end' : 'start'}>
              {word.text}
            </text>
          )}
        </For>
      </svg>
    </figure>
  );
}

type Word = { readonly x: number; y: number; readonly right: boolean; readonly text: string };

/**
 * The words of a picture. They come last, so that no line crosses them; overlapping words are moved below each other.
 */
function placed(shapes: readonly Shape[]): readonly Word[] {
  const words: Word[] = [];
  for (const shape of shapes) {
    if (!('words' in shape)) continue;
    const [left = 0, up = 0] = shape.words.at;
    const right = left > SIDE / 2;
    const word = {
      x: x(left) + (right ? -4 : left === 0 ? 0 : 4),
      y: within(y(up) + 4),
      right,
      text: shape.words.text,
    };
    const near = words.find((w) => w.right === right && Math.abs(w.x - word.x) < 60 && Math.abs(w.y - word.y) < LINE);
    if (near) {
      const [upper, lower] = near.y <= word.y ? [near, word] : [word, near];
      upper.y = Math.min(within(lower.y - LINE), HEIGHT - 4 - LINE);
      lower.y = upper.y + LINE;
    }
    words.push(word);
  }
  return words;
}

const within = (high: number): number => Math.max(10, Math.min(HEIGHT - 4, high));

function Drawn(props: { shape: Shape }): JSX.Element {
  const shape = props.shape;
  if ('line' in shape) return <path class={`line ${shape.line.look}`} d={linePath(shape.line.points)} />;
  if ('dots' in shape)
    return <path class={`dots ${shape.dots.look}`} d={dotsPath(shape.dots.points, shape.dots.look)} />;
  if ('level' in shape) return <path class="level" d={`M0 ${at(y(shape.level.y))}H${WIDTH}`} />;
  if ('bars' in shape)
    return <path class={`bars ${shape.bars.look}`} d={barsPath(shape.bars.bars, shape.bars.lanes)} />;
  return 'cells' in shape ? <Cells cells={shape.cells} /> : undefined;
}

/** One path per digit, so that hundreds of cells need only nine elements. */
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

/** Dots are zero-length lines with round ends. Misses are triangles, so that shape says it too, not only colour. */
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
