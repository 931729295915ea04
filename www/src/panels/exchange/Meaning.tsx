// The right side of the dialog of imports: what each key means here, trouble first.
import { createEffect, createSignal, For, type JSX, on, Show } from 'solid-js';
import { count } from '../../base/units.ts';
import type { Standing } from '../../sim/exchangeTypes.ts';
import type { Filter, Importing, Row } from './importing.ts';
import { lastName, shortName } from './lines.ts';
import { MappingMark } from './marks.tsx';
import { SAYING } from './standings.ts';
import { many, plainValue, sayings } from './words.ts';

export function Meaning(props: { model: Importing }): JSX.Element {
  const model = props.model;
  return (
    <section class="meaning" aria-label="What it means here">
      <div class="exchange-bar">
        <h3>What it means here</h3>
        <span class="grow" />
        <Chips model={model} />
      </div>
      <Show
        when={model.found()}
        fallback={<p class="say meaning-none">Here stands what each key means: exact, near, ignored or unknown.</p>}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys go from row to row */}
        <div class="meaning-rows" onKeyDown={moveByArrows}>
          <Show when={model.shown().trouble.length > 0}>
            <div class="map-row map-names" aria-hidden="true">
              <span>line</span>
              <span>theirs</span>
              <span />
              <span>ours</span>
              <span>how it differs, or why not</span>
            </div>
            <ul>
              <For each={model.shown().trouble}>{(row) => <TroubleRow model={model} row={row} />}</For>
            </ul>
          </Show>
          <Show when={model.shown().exact.length > 0}>
            <div class="map-sub">
              <b>Exact</b> the same meaning, the same number
              <span class="grow" />
              where · theirs · ours
            </div>
            <ul class="map-exact">
              <For each={model.shown().exact}>{(row) => <ExactRow model={model} row={row} />}</For>
            </ul>
          </Show>
          <Shape model={model} />
        </div>
      </Show>
    </section>
  );
}

/** The filter, with the number of keys of each kind. */
function Chips(props: { model: Importing }): JSX.Element {
  const counts = () => props.model.found()?.counts;
  const chip = (filter: Filter, n: () => number, mark?: Standing): JSX.Element => (
    <button type="button" aria-pressed={props.model.filter() === filter} onClick={() => props.model.setFilter(filter)}>
      <Show when={mark}>{(standing) => <MappingMark hidden standing={standing()} />}</Show>
      {filter === 'all' ? 'All' : filter} <b>{count(n())}</b>
    </button>
  );
  return (
    <Show when={counts()}>
      {(found) => (
        <fieldset class="seg map-chips" aria-label="Keys to show">
          {chip('all', () => sayings(found()))}
          <For each={SAYING.filter((one) => found()[one] > 0 || props.model.filter() === one)}>
            {(one) => chip(one, () => found()[one], one)}
          </For>
        </fieldset>
      )}
    </Show>
  );
}

const ROWS = 'li[tabindex]';

/** ↑ and ↓ go to the row before and after. */
function moveByArrows(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (by === 0 || !(event.target instanceof HTMLElement) || event.ctrlKey || event.metaKey) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(ROWS)];
  const at = rows.findIndex((row) => row.contains(event.target as Node));
  rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
  event.preventDefault();
}

/** The parts that all rows share: hover or focus selects the key, and the selected one is scrolled to. */
function MapRow(props: { model: Importing; row: Row; class: string; children: JSX.Element }): JSX.Element {
  const { model, row } = props;
  const [host, setHost] = createSignal<HTMLLIElement>();
  const isOn = (): boolean => model.selected() === row.index;
  const isFirst = (): boolean => (model.shown().trouble[0] ?? model.shown().exact[0])?.index === row.index;
  const stops = (): boolean => isOn() || (isFirst() && !hasRow(model));
  createEffect(on(isOn, (here) => here && host()?.scrollIntoView({ block: 'nearest' }), { defer: true }));
  const key = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.target !== event.currentTarget) return;
    event.preventDefault();
    host()?.querySelector<HTMLElement>('input, button')?.click();
  };
  return (
    <li
      ref={setHost}
      class={props.class}
      classList={{ sel: isOn() }}
      data-row={row.index}
      aria-current={isOn() ? 'true' : undefined}
      tabindex={stops() ? 0 : -1}
      onFocusIn={() => model.select(row.index)}
      onPointerEnter={() => model.select(row.index)}
      onKeyDown={key}
    >
      <span class="map-at">
        {row.document + 1}
        {row.line === 0 ? '' : `:${row.line}`}
      </span>
      {props.children}
    </li>
  );
}

const hasRow = (model: Importing): boolean => {
  const { trouble, exact } = model.shown();
  return [...trouble, ...exact].some(({ index }) => index === model.selected());
};

function Theirs(props: { row: Row }): JSX.Element {
  return (
    <code class="map-theirs" title={`${props.row.key} ${props.row.found}`.trim()}>
      {shortName(props.row.key)} <span class="m">{props.row.found}</span>
    </code>
  );
}

function TroubleRow(props: { model: Importing; row: Row }): JSX.Element {
  const { row } = props;
  return (
    <MapRow model={props.model} row={row} class="map-row">
      <Theirs row={row} />
      <MappingMark standing={row.standing} />
      <span class="map-ours">
        <Ours model={props.model} row={row} />
      </span>
      <span class="map-why">
        {(row.standing === 'conflict' && props.model.conflictOf(row.field)?.note) || row.becomes}
      </span>
    </MapRow>
  );
}

function Ours(props: { model: Importing; row: Row }): JSX.Element {
  const { model, row } = props;
  const conflict = () => (row.standing === 'conflict' ? model.conflictOf(row.field) : undefined);
  const choice = (): number => conflict()?.choices.findIndex(({ key }) => key === row.index) ?? -1;
  return (
    <>
      <Show when={choice() >= 0}>
        <label class="map-pick">
          <input
            type="radio"
            name={`conflict-${row.field}`}
            checked={conflict()?.chosen === choice()}
            onChange={() => model.settle(row.field, choice())}
          />
          <code title={row.field}>
            {lastName(row.field)} <b>{plainValue(conflict()?.choices[choice()]?.value ?? row.value)}</b>
          </code>
        </label>
      </Show>
      <Show when={row.standing === 'unknown' && row.nearest !== ''}>
        <button type="button" class="btn box map-read" onClick={() => model.takeNearest(row.index)}>
          Read as {row.nearest}
        </button>
      </Show>
      <Show when={row.standing === 'near'}>
        <Show when={row.field !== ''} fallback={<span class="m">–</span>}>
          <code title={row.field}>
            {lastName(row.field)} <span class="m">{row.value}</span>
          </code>
        </Show>
      </Show>
      <Show when={row.standing === 'ignored' || (row.standing === 'unknown' && row.nearest === '')}>
        <span class="m">–</span>
      </Show>
    </>
  );
}

function ExactRow(props: { model: Importing; row: Row }): JSX.Element {
  const { row } = props;
  return (
    <MapRow model={props.model} row={row} class="map-exact-row">
      <Theirs row={row} />
      {/* A key that sets its field together with others has a sentence. */}
      <Show
        when={row.field !== ''}
        fallback={
          <span class="map-ours map-why" title={row.becomes}>
            {row.becomes}
          </span>
        }
      >
        <code class="map-ours" title={row.becomes}>
          {row.field} {row.value}
        </code>
      </Show>
    </MapRow>
  );
}

/** The keys that only say what a text is, once they are asked for. */
function Shape(props: { model: Importing }): JSX.Element {
  const [shown, setShown] = createSignal(false);
  const keys = (): readonly Row[] => props.model.shown().shape;
  const names = (): string => [...new Set(keys().map(({ key }) => key))].slice(0, 2).join(', ');
  return (
    <Show when={keys().length > 0}>
      <div class="map-shape">
        <span>
          {many(keys().length, 'key')} of shape: {names()}
          {keys().length > 2 ? ', …' : ''}
        </span>
        <button type="button" class="btn" aria-expanded={shown()} onClick={() => setShown(!shown())}>
          {shown() ? 'Hide' : 'Show'}
        </button>
      </div>
      <Show when={shown()}>
        <ul class="map-shapes">
          <For each={keys()}>
            {(row) => (
              <li>
                {row.document + 1}:{row.line} <code>{row.key}</code> <span class="m">{row.found}</span>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </Show>
  );
}
