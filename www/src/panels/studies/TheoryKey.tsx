// The law drawn, and its assumptions that the run violates.
import { createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';
import { Icon } from '../../draw/glyphs.tsx';
import type { Theory } from '../../generated/boundary.ts';
import './theory.css';

/** The choice of a law; empty for the best one. */
export function LawChoice(props: {
  theory: Theory | undefined;
  law: string;
  onLaw: (law: string) => void;
  label: string;
}): JSX.Element {
  const titleOf = (law: string | undefined): string => props.theory?.laws.find((l) => l.law === law)?.title ?? '';
  const best = (): string => (props.law === '' && props.theory ? `best: ${titleOf(props.theory.chosen)}` : 'best law');
  const laws = (fits: boolean) => (props.theory?.laws ?? []).filter((l) => l.fits === fits);
  return (
    <select
      class="theory-law"
      aria-label={props.label}
      value={props.law}
      onChange={(event) => props.onLaw(event.currentTarget.value)}
      onClick={(event) => event.stopPropagation()}
    >
      <option value="">{best()}</option>
      <For each={[true, false]}>
        {(fits) => (
          <Show when={laws(fits).length > 0}>
            <optgroup label={fits ? 'Same structure as this cluster' : 'Other structure'}>
              <For each={laws(fits)}>
                {(l) => (
                  <option value={l.law} selected={props.law === l.law}>
                    {l.title}
                  </option>
                )}
              </For>
            </optgroup>
          </Show>
        )}
      </For>
    </select>
  );
}

/** The violated assumptions: their number, and all of them in a list that opens. */
export function Violated(props: { texts: readonly string[]; kept: readonly string[] }): JSX.Element {
  const id = createUniqueId();
  const [at, setAt] = createSignal({ left: 0, top: 0 });
  const many = (): string => {
    const n = props.texts.length;
    return n === 0 ? 'all assumptions kept' : `${n} ${n === 1 ? 'assumption' : 'assumptions'} violated`;
  };
  return (
    <>
      <button
        type="button"
        class="theory-violated"
        classList={{ bad: props.texts.length > 0 }}
        popovertarget={id}
        title="Assumptions of the law"
        onClick={(event) => {
          event.stopPropagation();
          const box = event.currentTarget.getBoundingClientRect();
          // With little room below, the list opens higher.
          const top = Math.min(box.bottom + 4, Math.max(8, window.innerHeight - 400));
          setAt({ left: Math.max(8, Math.min(box.left, window.innerWidth - 348)), top });
        }}
      >
        <Show when={props.texts.length > 0}>
          <svg width="14" height="10" viewBox="0 0 14 10" aria-hidden="true">
            <path d="M1 9L4 1M5.500 9L8.500 1M10 9L13 1" />
          </svg>
        </Show>
        <span>
          {many()}
          <span class="visually-hidden">{props.texts.length === 0 ? '' : `: ${props.texts.join(' · ')}`}</span>
        </span>
        <Icon name="down" />
      </button>
      <div
        id={id}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
        tabIndex={0}
        popover="auto"
        class="theory-list"
        style={{ left: `${at().left}px`, top: `${at().top}px`, 'max-height': `calc(100vh - ${at().top + 8}px)` }}
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => event.stopPropagation()}
        role="note"
      >
        <Show when={props.texts.length > 0}>
          <b>Violated</b>
          <ul class="theory-bad">
            <For each={props.texts}>{(text) => <li>{text}</li>}</For>
          </ul>
        </Show>
        <Show when={props.kept.length > 0}>
          <b>Kept</b>
          <ul>
            <For each={props.kept}>{(text) => <li>{text}</li>}</For>
          </ul>
        </Show>
      </div>
    </>
  );
}

/** The violated assumptions for a run. */
export function ViolatedOf(props: { theory: Theory }): JSX.Element {
  const texts = (verdict: string): readonly string[] => {
    const chosen = props.theory.laws.find((l) => l.law === props.theory.chosen);
    return (chosen?.assumptions ?? []).filter((a) => a.verdict === verdict).map((a) => a.text);
  };
  return <Violated texts={texts('violated')} kept={texts('kept')} />;
}
