// The menu of a card: what can break in its replica, with the settings of the chosen kind. Loaded when it is opened.
import { createSignal, For, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { sentence } from '../../base/schema.ts';
import { clock, count, plain } from '../../base/units.ts';
import type { App } from '../../state/app.ts';
import type { BreakAsked } from '../../state/view/breakMenu.ts';
import { FaultGlyph } from '../parts/FaultGlyph.tsx';
import { Settings } from './BreakBlock.tsx';
import { type Breaking, createBreak, type Kind } from './breaking.ts';

export default function BreakMenu(props: {
  app: Pick<App, 'transport' | 'document' | 'dialogs'>;
  asked: BreakAsked;
  onClose: () => void;
}): JSX.Element {
  const { transport, document: doc, dialogs } = props.app;
  let menu: HTMLDivElement | undefined;
  const [height, setHeight] = createSignal(0);
  const replica = (): number => props.asked.replica;
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
    const all = making.kinds();
    const at = all.findIndex((k) => k.tag === making.kind()?.tag);
    const next = (at + by + all.length) % all.length;
    making.choose(all[next]?.tag ?? '');
    items()[next]?.focus();
  };
  const key = (event: KeyboardEvent): void => {
    // Within a field, the arrows change its number.
    const by = event.target instanceof HTMLInputElement ? undefined : { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const applies = event.key === 'Enter' && !(event.target as Element).matches('.break-apply');
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
      aria-label={`Break r${replica()}`}
      ref={menu}
      style={place()}
      on:keydown={key}
    >
      <h3>
        Break r{replica()} <span>at {clock(transport.frame()?.now_us ?? 0)} s, as an edit</span>
      </h3>
      <For each={making.kinds()}>{(kind) => <Item making={making} kind={kind} onApply={() => void apply()} />}</For>
      <Show when={alone()}>
        <p>No other replica serves: a crash leaves nobody to send requests to.</p>
      </Show>
    </div>
  );
}

/** A kind in the menu: the chosen one is open and shows its settings. */
function Item(props: { making: Breaking; kind: Kind; onApply: () => void }): JSX.Element {
  const open = (): boolean => props.making.kind()?.tag === props.kind.tag;
  return (
    <div class="break-item" classList={{ on: open() }}>
      <button
        type="button"
        class="menu-item"
        aria-expanded={open()}
        title={props.kind.help}
        onClick={() => props.making.choose(props.kind.tag)}
      >
        <FaultGlyph kind={props.kind.tag} /> <b>{sentence(props.kind.tag)}</b> <span class="s">{said(props.kind)}</span>
      </button>
      <Show when={open()}>
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
