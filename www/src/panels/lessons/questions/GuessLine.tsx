// What the reader set: the guess as a violet dashed line, the point that the keys are at, and the field's present value.
import { createMemo, type JSX, Show } from 'solid-js';
import { axisText, unitText } from '../../../base/lessonUnits.ts';
import { durationUs, text } from '../../../base/units.ts';
import type { DrawQuestion } from '../../../generated/boundary.ts';
import { guesses } from '../../../state/lessons/lesson.ts';
import { draftOf, isOpen, type Points } from '../../../state/lessons/lessonGuess.ts';
import { heightAt, type Plot, pathOf } from './guessScale.ts';

/** The line on the chart: the one being drawn, or the one handed in. */
export function shownLine(step: number): Points {
  if (isOpen(step)) return draftOf(step);
  const guess = guesses()[step];
  return guess && 'draw' in guess ? guess.draw : [];
}

export function GuessLine(props: { readonly plot: Plot; readonly step: number; readonly line: Points }): JSX.Element {
  const end = (): readonly [number, number] | undefined => {
    const last = isOpen(props.step) ? props.line.at(-1) : undefined;
    return last && [props.plot.x.at(last[0]), props.plot.y.at(last[1])];
  };
  return (
    <Show when={props.line.length > 0}>
      <path class="guess-line" d={pathOf(props.line, props.plot)} />
      <Show when={end()}>
        {(at) => <path class="guess-pen" d="M0 0l2-5 8-8 3 3-8 8z" transform={`translate(${at()[0]} ${at()[1]})`} />}
      </Show>
    </Show>
  );
}

/** The point that the keys are at. */
export function KeyPoint(props: {
  readonly plot: Plot;
  readonly step: number;
  readonly x: number | undefined;
  readonly unit: string;
}): JSX.Element {
  const at = createMemo(() => {
    const height = props.x === undefined ? undefined : heightAt(draftOf(props.step), props.x);
    if (props.x === undefined || height === undefined) return undefined;
    return { x: props.plot.x.at(props.x), y: props.plot.y.at(height), height };
  });
  const before = (): boolean => (at()?.x ?? 0) > (props.plot.box.left + props.plot.box.right) / 2;
  return (
    <Show when={at()}>
      {(found) => (
        <>
          <path class="guess-key" d={`M${found().x} ${props.plot.box.top}V${props.plot.box.bottom}`} />
          <circle class="guess-mine" cx={found().x} cy={found().y} r="5" />
          <text
            class="guess-name"
            x={found().x + (before() ? -10 : 10)}
            y={Math.max(props.plot.box.top + 10, found().y - 8)}
            text-anchor={before() ? 'end' : 'start'}
          >
            {unitText(found().height, props.unit)}
          </text>
        </>
      )}
    </Show>
  );
}

/** The present value of the field that varies. */
export function Now(props: {
  readonly plot: Plot;
  readonly unit: string;
  readonly value: number | undefined;
}): JSX.Element {
  return (
    <Show when={props.value !== undefined}>
      {(_) => {
        const x = (): number => props.plot.x.at(props.value ?? 0);
        const words = (): string => axisText(props.value ?? 0, props.unit);
        const width = (): number => 10 + words().length * 7;
        /** It stays within the picture. */
        const chip = (): number => Math.min(props.plot.box.right + 18 - width() / 2, x());
        return (
          <>
            <path class="guess-now" d={`M${x()} ${props.plot.box.top}V${props.plot.box.bottom}`} />
            <rect
              class="guess-chip"
              x={chip() - width() / 2}
              y={props.plot.box.bottom + 4}
              width={width()}
              height="15"
              rx="2"
            />
            <text class="guess-chip-text" x={chip()} y={props.plot.box.bottom + 15} text-anchor="middle">
              {words()}
            </text>
          </>
        );
      }}
    </Show>
  );
}

/** The objective of TTFT, where the chart is of TTFT in a unit of time and has room for it. */
export function objectiveOf(
  ask: DrawQuestion,
  plot: Plot,
  sloUs: number,
): { readonly y: number; readonly text: string } | undefined {
  const { label, unit, from, to } = ask.y;
  if (!/ttft/i.test(label) || (unit !== 'ms' && unit !== 's')) return undefined;
  const value = sloUs / (unit === 's' ? 1e6 : 1e3);
  return value > from && value < to ? { y: plot.y.at(value), text: `SLO ${text(durationUs(sloUs))}` } : undefined;
}
