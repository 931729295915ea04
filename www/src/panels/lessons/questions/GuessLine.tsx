// What the reader set: the guess as a violet dashed line, the point that the keys are at, the field's present value; and the
// objective as a line.
import { createMemo, type JSX, Show } from 'solid-js';
import { axisText, unitText } from '../../../base/lessonUnits.ts';
import { durationUs, text } from '../../../base/units.ts';
import type { DrawQuestion } from '../../../generated/boundary.ts';
import type { App } from '../../../state/app.ts';
import { guesses } from '../../../state/lesson.ts';
import { draftOf, isOpen, type Points } from '../../../state/lessonGuess.ts';
import { heightAt, type Plot, pathOf } from './guessScale.ts';

/** The line on the chart: the one being drawn, or the one handed in. */
export function shownLine(step: number): Points {
  if (isOpen(step)) return draftOf(step);
  const guess = guesses()[step];
  return guess && 'draw' in guess ? guess.draw : [];
}

/** `again`: the word of a further guess. */
export function GuessLine(props: { readonly plot: Plot; readonly step: number; readonly again: string }): JSX.Element {
  const line = createMemo(() => shownLine(props.step));
  /** The name stands above the line, a fifth of the way along. */
  const nameAt = (): readonly [number, number] => {
    const { box, x, y } = props.plot;
    const first = line()[0]?.[0] ?? 0;
    const px = Math.max(x.at(first), box.left + 12);
    const heights = [0, 40, 80, 120].flatMap((d) => heightAt(line(), x.of(px + d)) ?? []);
    const top = Math.min(...heights.map((h) => y.at(h)), box.bottom - 4);
    return [px, Math.max(box.top + 10, top - 8)];
  };
  const end = (): readonly [number, number] | undefined => {
    const last = line().at(-1);
    return last && [props.plot.x.at(last[0]), props.plot.y.at(last[1])];
  };
  return (
    <Show when={line().length > 0}>
      <path class="guess-line" d={pathOf(line(), props.plot)} />
      <Show when={isOpen(props.step) && end()}>
        {(at) => <path class="guess-pen" d="M0 0l2-5 8-8 3 3-8 8z" transform={`translate(${at()[0]} ${at()[1]})`} />}
      </Show>
      <Show when={!isOpen(props.step)}>
        <text class="guess-name" x={nameAt()[0]} y={nameAt()[1]}>
          {props.again === '' ? 'your guess, drawn before the answer' : `your ${props.again} guess`}
        </text>
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
        return (
          <>
            <path class="guess-now" d={`M${x()} ${props.plot.box.top}V${props.plot.box.bottom}`} />
            <rect
              class="guess-chip"
              x={x() - width() / 2}
              y={props.plot.box.bottom + 4}
              width={width()}
              height="15"
              rx="2"
            />
            <text class="guess-chip-text" x={x()} y={props.plot.box.bottom + 15} text-anchor="middle">
              {words()}
            </text>
          </>
        );
      }}
    </Show>
  );
}

/** The objective of TTFT, where the chart is of TTFT in a unit of time and has room for it. */
export function Objective(props: {
  readonly app: Pick<App, 'transport'>;
  readonly plot: Plot;
  readonly ask: DrawQuestion;
}): JSX.Element {
  const us = (): number => {
    const { label, unit } = props.ask.y;
    if (!/ttft/i.test(label) || (unit !== 'ms' && unit !== 's')) return 0;
    return props.app.transport.figuresFrame()?.key.slo_ttft_us ?? 0;
  };
  const value = (): number => us() / (props.ask.y.unit === 's' ? 1e6 : 1e3);
  const fits = (): boolean => us() > 0 && value() > props.ask.y.from && value() < props.ask.y.to;
  const y = (): number => props.plot.y.at(value());
  return (
    <Show when={fits()}>
      <path class="guess-slo" d={`M${props.plot.box.left} ${y()}H${props.plot.box.right}`} />
      <text class="guess-slo-name" x={props.plot.box.left + 6} y={y() - 4}>
        SLO {text(durationUs(us()))}
      </text>
    </Show>
  );
}
