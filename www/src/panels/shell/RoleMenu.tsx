// The menu of a card's role: it sets the role of the card's pool by an edit. Loaded when it is opened.
import { createMemo, For, type JSX, onCleanup, onMount } from 'solid-js';
import { getAt, type Json } from '../../base/json.ts';
import type { App } from '../../state/app.ts';
import './roleMenu.css';

/** Where the menu is asked for: a replica, and a point in the stage. */
export type RoleAsked = { readonly replica: number; readonly x: number; readonly y: number };

const ROLES = [
  ['mixed', 'prefills and decodes its own requests'],
  ['prefill', 'prefills for decode replicas'],
  ['decode', 'decodes, and answers clients'],
] as const;

export default function RoleMenu(props: {
  app: Pick<App, 'transport' | 'document' | 'dialogs'>;
  asked: RoleAsked;
  onClose: () => void;
}): JSX.Element {
  const { document: doc, transport, dialogs } = props.app;
  let menu: HTMLDivElement | undefined;
  const pool = (): string => transport.frame()?.replicas.find((r) => r.id === props.asked.replica)?.pool ?? '';
  const index = createMemo(() => {
    const pools = getAt(doc.inForce(), 'cluster.pools');
    return Array.isArray(pools) ? pools.findIndex((p: Json) => getAt(p, 'name') === pool()) : -1;
  });
  const path = (): string => `cluster.pools[${index()}].role`;
  const now = (): Json => getAt(doc.inForce(), path()) ?? 'mixed';
  const choose = async (role: string): Promise<void> => {
    props.onClose();
    if (index() < 0 || (await doc.change(path(), role))) return;
    const why = doc.problems().get(path());
    dialogs.setNotice({ kind: 'info', text: `Pool ${pool()} stays as it is.`, diagnostics: why ? [why] : [] });
  };
  const items = (): readonly HTMLElement[] => [...(menu?.querySelectorAll('button') ?? [])];
  const key = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') props.onClose();
    if (event.key !== 'Escape' && by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const at = items().findIndex((item) => item === document.activeElement);
    items()
      .at((at + (by ?? 0)) % ROLES.length)
      ?.focus();
  };
  onMount(() => {
    const before = document.activeElement;
    items()[
      Math.max(
        0,
        ROLES.findIndex(([role]) => role === now()),
      )
    ]?.focus();
    const away = (event: PointerEvent): void => {
      if (event.target instanceof Node && !menu?.contains(event.target)) props.onClose();
    };
    addEventListener('pointerdown', away);
    onCleanup(() => {
      removeEventListener('pointerdown', away);
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    });
  });
  return (
    <div
      class="menu role-menu"
      role="menu"
      tabindex="-1"
      aria-label={`Role of pool ${pool()}`}
      ref={menu}
      style={{ '--x': `${props.asked.x}px`, '--y': `${props.asked.y}px` }}
      on:keydown={key}
    >
      <For each={ROLES}>
        {([role, says]) => (
          <button
            type="button"
            class="menu-item"
            role="menuitemradio"
            aria-checked={role === now()}
            data-state={role === now() ? 'checked' : 'unchecked'}
            onClick={() => void choose(role)}
          >
            <b>{role}</b> <span class="s">{says}</span>
          </button>
        )}
      </For>
    </div>
  );
}
