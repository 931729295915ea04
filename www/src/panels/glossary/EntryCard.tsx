// What the glossary says of a word: unit, formula, meaning, the formula with the numbers of this run, signs, source.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { titled } from '../../base/keyWords.ts';
import { DASH } from '../../base/units.ts';
import { isFew, lastSpan } from '../../base/view.ts';
import { EvidenceGlyph } from '../../draw/glyphs.tsx';
import type { EvidenceOf, GlossaryEntry, NamedValue, Quantity } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { type FigureBasis, figureBasis } from '../parts/evidenceWords.ts';
import { type Values, valuesOf } from './answers.ts';
import { inFormula, withUnit } from './numbers.ts';
import { parted, rightSide } from './words.ts';

const KINDS: Readonly<Record<Quantity['rests_on'], readonly EvidenceOf[]>> = {
  exact: [],
  steps: ['steps'],
  blocks: ['steps', 'blocks'],
};

type Slices = Pick<App, 'selection' | 'transport'>;

export function EntryCard(props: { app: Slices; entry: GlossaryEntry; said: string }): JSX.Element {
  const values = valuesOf(props.app, () => props.entry);
  return (
    <>
      <Show when={props.entry.quantity?.formula.length}>
        <p class="term-formula">
          <For each={props.entry.quantity?.formula}>{(piece) => <Sign piece={piece} />}</For>
        </p>
      </Show>
      <p class="term-meaning" id={props.said}>
        {titled(props.entry.meaning)}.
      </p>
      <dl class="term-rows">
        <Show when={props.entry.quantity}>
          {(quantity) => <Numbers app={props.app} entry={props.entry} quantity={quantity()} values={values()} />}
        </Show>
        <Source app={props.app} entry={props.entry} />
      </dl>
    </>
  );
}

/** A piece of a formula; the subscript of a sign is set lower. */
function Sign(props: { piece: string }): JSX.Element {
  return (
    <Show when={/^\p{L}\w*_/u.test(props.piece)} fallback={props.piece}>
      {parted(props.piece)[0]}
      <sub>{parted(props.piece)[1]}</sub>
    </Show>
  );
}

/** The formula with numbers, the values of the run and the latest ones, and the signs. */
function Numbers(props: { app: Slices; entry: GlossaryEntry; quantity: Quantity; values: Values }): JSX.Element {
  const q = (): Quantity => props.quantity;
  const right = createMemo(() => rightSide(props.entry));
  const result = (): string => withUnit(props.values(q().result), q().unit);
  const known = (named: readonly NamedValue[]): boolean => named.some((one) => props.values(one.value) !== undefined);
  /** Nothing is known of the run, although it could be. */
  const without = (): boolean =>
    (q().result !== undefined || q().of_run.length + q().now.length > 0) &&
    result() === DASH &&
    !known(q().of_run) &&
    !known(q().now);
  return (
    <>
      <Show when={result() !== DASH}>
        <div class="term-here">
          <dt>here</dt>
          <dd>
            <For each={right()}>
              {(piece) => (piece.sign ? inFormula(props.values(piece.sign.value), piece.sign.unit) : piece.text)}
            </For>
            {' = '}
            <b>{result()}</b>
          </dd>
        </div>
      </Show>
      <Show when={without()}>
        <div class="term-here">
          <dt>here</dt>
          <dd>
            {DASH}
            <Show when={q().runs_with}>
              {' '}
              <span class="m">only runs with {q().runs_with} have it</span>
            </Show>
          </dd>
        </div>
      </Show>
      <Show when={known(q().of_run)}>
        <Named head="this run" named={q().of_run} unit={q().unit} values={props.values} />
      </Show>
      <Show when={known(q().now)}>
        <Named
          head={q().latest ? lastSpan(props.app.transport.figuresFrame()) : 'now'}
          named={q().now}
          unit={q().unit}
          values={props.values}
        />
      </Show>
      <For each={q().signs}>
        {(sign) => (
          <div>
            <dt>
              <Sign piece={sign.sign} />
            </dt>
            <dd>
              {sign.meaning}
              <Show when={props.values(sign.value) !== undefined}>
                , <span class="term-number">{withUnit(props.values(sign.value), sign.unit)}</span>
              </Show>
            </dd>
          </div>
        )}
      </For>
    </>
  );
}

/** Values with their names. A p99 of few values has a lighter ink, beside their number. */
function Named(props: { head: string; named: readonly NamedValue[]; unit: string; values: Values }): JSX.Element {
  const few = (): boolean => isFew(props.values(props.named.find((one) => one.name === 'n')?.value) ?? 0);
  const shown = (one: NamedValue): string =>
    one.name === 'n' ? inFormula(props.values(one.value), '') : withUnit(props.values(one.value), props.unit);
  return (
    <div>
      <dt>{props.head}</dt>
      <dd>
        <For each={props.named}>
          {(one) => (
            <span class="term-named">
              <Show when={one.name}>
                <span class="m">{one.name}</span>{' '}
              </Show>
              <b classList={{ few: one.name === 'p99' && few() }}>{shown(one)}</b>
            </span>
          )}
        </For>
      </dd>
    </div>
  );
}

function Source(props: { app: Slices; entry: GlossaryEntry }): JSX.Element {
  const basis = createMemo((): FigureBasis | undefined => {
    const kinds = KINDS[props.entry.quantity?.rests_on ?? 'exact'];
    return kinds.length > 0 ? figureBasis(props.app.transport.evidence(), kinds) : undefined;
  });
  return (
    <div>
      <dt>source</dt>
      <dd>
        <Show
          when={basis()}
          fallback={
            <Show when={props.entry.quantity?.rests_on === 'exact'}>
              <p>Exact: settings, counts and the clock.</p>
            </Show>
          }
        >
          {(known) => (
            <p>
              <EvidenceGlyph basis={known().basis} outside={known().outside !== ''} /> {known().says.split(';')[0]}.{' '}
              {known().outside}
            </p>
          )}
        </Show>
        <p class="m">{props.entry.source.split('#')[0]}</p>
      </dd>
    </div>
  );
}
