// A drawn guess beside the engine's curve as a table. Before the answer it has the guess alone.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { placeText, rangeText, unitText } from '../../../base/lessonUnits.ts';
import { DASH, sig3 } from '../../../base/units.ts';
import type { DrawQuestion, GuessRow, StepVerdict } from '../../../generated/boundary.ts';
import type { Points } from '../../../state/lessons/lessonGuess.ts';
import { heightAt } from './guessScale.ts';

/** `draft`: the curve that is being drawn, where there is no answer to show. */
export function GuessTable(props: {
  readonly ask: DrawQuestion;
  readonly verdict: StepVerdict | undefined;
  readonly draft?: Points | undefined;
}): JSX.Element {
  const answered = (): boolean => props.verdict !== undefined && props.verdict.seeds > 0;
  const rows = createMemo((): readonly GuessRow[] => {
    const found = props.verdict;
    const rest = { engine: null, lo: null, hi: null, factor: null };
    if (!found || !answered())
      return props.ask.values.map((x) => ({ ...rest, x, guess: heightAt(props.draft ?? [], x) ?? null }));
    if (found.guess) return found.guess.rows;
    return (found.curve?.points ?? []).map(({ x, y }) => ({
      ...rest,
      x,
      guess: null,
      engine: y.mean,
      lo: y.lo,
      hi: y.hi,
    }));
  });
  const worst = (row: GuessRow): boolean => row.factor !== null && row.factor === props.verdict?.guess?.factor;
  return (
    <table class="guess-table">
      <caption class="visually-hidden">
        {props.ask.y.label} against {props.ask.x.label}
      </caption>
      <thead>
        <tr>
          <th scope="col">{props.ask.x.label}</th>
          <th scope="col">you drew</th>
          <Show when={answered()}>
            <th scope="col">engine</th>
            <th scope="col">95 %</th>
            <th scope="col">
              <abbr title="engine by guess">factor</abbr>
            </th>
          </Show>
        </tr>
      </thead>
      <tbody>
        <For each={rows()}>
          {(row) => (
            <tr classList={{ worst: worst(row) }}>
              <th scope="row">{placeText(row.x, props.ask.x.unit)}</th>
              <td class="mine">{unitText(row.guess, props.ask.y.unit)}</td>
              <Show when={answered()}>
                <td class="engine">{unitText(row.engine, props.ask.y.unit)}</td>
                <td class="band">{rangeText(row.lo, row.hi, props.ask.y.unit)}</td>
                <td>{row.factor === null ? DASH : sig3(row.factor)}</td>
              </Show>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}
