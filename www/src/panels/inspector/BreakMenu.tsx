// The menu of the stage: what can break in a replica, with the settings of the chosen kind; what a hand on the stage can change.
// Loaded when it is opened.
import { createSignal, For, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { sentence } from '../../base/keyWords.ts';
import { clock, count, plain } from '../../base/units.ts';
import type { App } from '../../state/app.ts';
import type { BreakAsked } from '../../state/view/breakMenu.ts';
import { FaultGlyph } from '../parts/FaultGlyph.tsx';
import { Settings } from './BreakBlock.tsx';
import { type Breaking, createBreak, type Kind } from './breaking.ts';
import { HandItems } from './HandItems.tsx';

export default function BreakMenu(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies' | 'links' | 'dialogs'>;
  asked: BreakAsked;
  onClose: () => void;
}): JSX.Element {
  const { transport, document: doc, dialogs } = props.app;
  let menu: HTMLDivElement | undefined;
  const [height, setHeight] = createSignal(0);
  /** The open item of what a hand can change, in place of a kind of fault. */
  const [open, setOpen] = createSignal('');
  const replica = (): number => props.asked.replica ?? 0;
  const one = (): boolean => props.asked.replica !== undefined;
  const making = createBreak(props.app, replica);
  const apply = async (): Promise<void> => {
    const name = `r${replica()}`;
    // What is asked for is gone once the menu is closed.
    const applied = making.apply();
    props.onClose();
    if (await applied) return;
    const why = [...doc.problems().values()];
    dialogs.setNotice({ kind: 'info', text: `${name} stays as it is.`, diagnostics: why });
  };
  const items = (): readonly HTMLElement[] => [...(menu?.querySelectorAll<HTMLElement>('.menu-item') ?? [])];
  const move = (by: number): void => {
    const all = items();
    const here = document.activeElement;
    const at = all.findIndex((item) => item === here || item.parentElement?.contains(here));
    const next = (at + by + all.length) % all.length;
    const { kind, hand = '' } = all[next]?.dataset ?? {};
    setOpen(hand);
    if (kind) making.choose(kind);
    items()[next]?.focus();
  };
  const key = (event: KeyboardEvent): void => {
    // Within a field, the arrows change its number.
    const by = event.target instanceof HTMLInputElement ? undefined : { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const applies = one() && event.key === 'Enter' && !(event.target as Element).matches('.break-apply');
    if (event.key === 'Escape') props.onClose();
    else if (by !== undefined) move(by);
    else if (applies) void apply();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  onMount(() => {
    const before = document.activeElement;
    items()[0]?.focus();
    const away = (event: PointerEvent): void => {
      if (event.target instanceof Node && !menu?.contains(event.target)) props.onClose();
    };
    addEventListener('pointerdown', away);
    // Each kind has settings of its own, which make it higher or lower.
    const watch = new ResizeObserver(() => setHeight(menu?.offsetHeight ?? 0));
    if (menu) watch.observe(menu);
    onCleanup(() => {
      watch.disconnect();
      removeEventListener('pointerdown', away);
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    });
  });
  const alone = (): boolean => !transport.frame()?.replicas.some((r) => r.serving && r.id !== replica());
  const place = (): JSX.CSSProperties => {
    const { x, y } = props.asked.at ?? {};
    return x === undefined
      ? { right: '12px', top: '8px' }
      : { '--x': `${x}px`, '--y': `${y}px`, '--height': `${height()}px` };
  };
  return (
    <div
      class="menu break-menu"
      classList={{ placed: props.asked.at !== undefined }}
      role="dialog"
      tabindex="-1"
      aria-label={one() ? `Break r${replica()}` : 'Change the run'}
      ref={menu}
      style={place()}
      on:keydown={key}
    >
      <Show when={one()}>
        <h3>
          Break r{replica()} <span>at {clock(transport.frame()?.now_us ?? 0)} s, as an edit</span>
        </h3>
        <For each={making.kinds()}>
          {(kind) => (
            <Item
              making={making}
              kind={kind}
              open={open() === '' && making.kind()?.tag === kind.tag}
              onChoose={() => {
                setOpen('');
                making.choose(kind.tag);
              }}
              onApply={() => void apply()}
            />
          )}
        </For>
        <Show when={alone()}>
          <p>No other replica serves: a crash leaves nobody to send requests to.</p>
        </Show>
      </Show>
      <HandItems
        app={props.app}
        replica={props.asked.replica}
        request={props.asked.request}
        open={open()}
        onOpen={setOpen}
        onDone={props.onClose}
      />
    </div>
  );
}

/** A kind in the menu: the chosen one is open and shows its settings. */
function Item(props: {
  making: Breaking;
  kind: Kind;
  open: boolean;
  onChoose: () => void;
  onApply: () => void;
}): JSX.Element {
  return (
    <div class="break-item" classList={{ on: props.open }}>
      <button
        type="button"
        class="menu-item"
        data-kind={props.kind.tag}
        aria-expanded={props.open}
        title={props.kind.help}
        onClick={() => props.onChoose()}
      >
        <FaultGlyph kind={props.kind.tag} /> <b>{sentence(props.kind.tag)}</b> <span class="s">{said(props.kind)}</span>
      </button>
      <Show when={props.open}>
        <div class="break-settings">
          <Settings making={props.making} />
          <button type="button" class="btn pri break-apply" onClick={props.onApply}>
            Apply
          </button>
        </div>
      </Show>
    </div>
  );
}

/** The settings of a kind in a few words: `back after 58 s`; 0 s lasts until the end of the run. */
function said({ settings }: Kind): string {
  const words = settings.map(({ label, initial, unit }) => {
    if (initial === 0 && unit === 's') return 'until the end';
    const value = initial >= 1000 ? count(initial) : plain(initial);
    return `${label.toLowerCase()} ${unit === '×' ? `×${value}` : `${value} ${unit}`.trim()}`;
  });
  return words.join(', ');
}
