// What the policy gained: the scenario as it was imported or opened against the one in force, over paired seeds.
import { createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { equal, type Json } from '../../base/json.ts';
import { DASH, text } from '../../base/units.ts';
import type { Difference } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import type { App } from '../../state/app.ts';
import { brought } from '../../state/files/exchange.ts';
import { createOverSeeds } from '../../state/studies/overSeeds.ts';
import {
  changeText,
  FIGURES,
  type Figure,
  IntervalBar,
  intervalText,
  VerdictGlyph,
  WORDS,
} from '../studies/CompareFigures.tsx';
import '../studies/compare.css';

const SEEDS = 20;
/** The figures, by their names in a comparison, and the names here. */
const SHOWN: ReadonlyMap<string, string> = new Map([
  ['TTFT p99', 'TTFT p99'],
  ['TPOT p99', 'TPOT p99'],
  ['Goodput', 'Goodput'],
  ['Cost / M output tokens', 'Cost, /M tok'],
]);

export function PolicyDifference(props: { app: Pick<App, 'document'>; scenario: Json }): JSX.Element {
  const original = props.app.document.original();
  const imported = brought(original);
  const before = imported?.scenario ?? original;
  const since = imported ? 'imported' : 'opened';
  const changed = !equal(before, props.scenario);
  const [trouble, setTrouble] = createSignal('');
  const thread = new Asking('compare');
  const over = createOverSeeds(
    thread,
    () => before,
    () => props.scenario,
    setTrouble,
  );
  if (changed) void over.begin(SEEDS);
  onCleanup(() => {
    over.stop();
    thread.end();
  });
  const progress = () => over.seeds()?.progress;
  const found = () => over.seeds()?.comparison;
  return (
    <section class="export-blk">
      <header>
        <h3>What it gained here</h3>
        <span class="m" role="status">
          <Show when={changed} fallback={`as it was ${since}`}>
            {since} → now · {found() ? `${SEEDS} paired seeds, 95 %` : `${progress()?.done ?? 0} of ${SEEDS} seeds`}
          </Show>
        </span>
      </header>
      <Show
        when={changed}
        fallback={<p class="s">Nothing has changed since it was {since}, so there is nothing to compare.</p>}
      >
        <Show when={trouble() === ''} fallback={<p class="mi">{trouble()}</p>}>
          <ul class="gains">
            <For each={FIGURES.filter(({ name }) => SHOWN.has(name))}>
              {(figure) => {
                const of = () => {
                  const comparison = found();
                  return comparison && figure.of(comparison);
                };
                return <GainRow figure={figure} of={of()} />;
              }}
            </For>
          </ul>
          <p class="m">Simulated, both with the same requests.</p>
        </Show>
      </Show>
    </section>
  );
}

function GainRow(props: { figure: Figure; of: Difference | undefined }): JSX.Element {
  const say = (value: number | null | undefined): string =>
    value === null || value === undefined ? DASH : text(props.figure.say(value));
  const ends = (of: Difference): string => {
    const sayChange = props.figure.sayChange ?? props.figure.say;
    if (of.lo !== null && of.hi !== null) return intervalText(of.lo, of.hi, sayChange);
    return of.diff === null ? DASH : changeText(of.diff, sayChange);
  };
  return (
    <li>
      <span class="s" title={props.figure.name}>
        {SHOWN.get(props.figure.name)}
      </span>
      <span>
        {say(props.of?.a)} → <b>{say(props.of?.b)}</b>
      </span>
      <Show when={props.of} fallback={<span class="gain-waits" aria-hidden="true" />}>
        {(of) => (
          <>
            <span class={`compare-verdict gain-mark ${of().verdict}`}>
              <VerdictGlyph verdict={of().verdict} />
              <span class="visually-hidden">{WORDS[of().verdict]}</span>
              <IntervalBar of={of()} />
            </span>
            <span class="gain-ends">{ends(of())}</span>
          </>
        )}
      </Show>
    </li>
  );
}
