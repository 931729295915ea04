// Tabs: a row of names, of which one is chosen, and what it shows. Arrows, Home and End walk the names.
import { createContext, createMemo, createUniqueId, type JSX, Show, useContext } from 'solid-js';

type Chosen = { readonly id: string; readonly value: () => string; readonly choose: (value: string) => void };
const Context = createContext<Chosen>();

function chosen(): Chosen {
  const found = useContext(Context);
  if (!found) throw new Error('a tab is outside of <Tabs>');
  return found;
}

export function Tabs(props: { value: string; onChoose: (value: string) => void; children: JSX.Element }): JSX.Element {
  const id = createUniqueId();
  return (
    <Context.Provider value={{ id, value: () => props.value, choose: (value) => props.onChoose(value) }}>
      <div class="tabs">{props.children}</div>
    </Context.Provider>
  );
}

/** The row of names. */
export function TabList(props: { label: string; children: JSX.Element }): JSX.Element {
  const walk = (event: KeyboardEvent & { currentTarget: HTMLElement }): void => {
    const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')];
    const at = tabs.findIndex((tab) => tab === event.target);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
    const next = to === undefined || at < 0 ? undefined : tabs.at(to % tabs.length);
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.click();
  };
  return (
    <div class="seg" role="tablist" aria-label={props.label} onKeyDown={walk}>
      {props.children}
    </div>
  );
}

export function Tab(props: { value: string; children: JSX.Element }): JSX.Element {
  const { id, value, choose } = chosen();
  return (
    <button
      type="button"
      role="tab"
      id={`${id}-tab-${props.value}`}
      aria-selected={value() === props.value}
      aria-controls={value() === props.value ? `${id}-${props.value}` : undefined}
      tabIndex={value() === props.value ? 0 : -1}
      onClick={() => choose(props.value)}
    >
      {props.children}
    </button>
  );
}

/** What a tab shows: made when it is first chosen, and with `kept` hidden afterwards where it is unmade without. */
export function TabPanel(props: {
  value: string;
  kept?: boolean;
  ref?: (el: HTMLDivElement) => void;
  children: JSX.Element;
}): JSX.Element {
  const { id, value } = chosen();
  const on = (): boolean => value() === props.value;
  const there = createMemo((before: boolean) => on() || (before && props.kept === true), false);
  return (
    <Show when={there()}>
      <div
        ref={(el) => props.ref?.(el)}
        class="tab"
        role="tabpanel"
        id={`${id}-${props.value}`}
        aria-labelledby={`${id}-tab-${props.value}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what a tab shows is scrolled by keys
        tabIndex={0}
        hidden={!on()}
      >
        {props.children}
      </div>
    </Show>
  );
}
