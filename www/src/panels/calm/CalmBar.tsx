// The top bar of the first view: the names of the other views, the list of commands and the theme; on a phone one menu.
import { For, type JSX, Show } from 'solid-js';
import { createMedia, NARROW_PHONE } from '../../base/media.ts';
import { setTheme, theme } from '../../base/theme.ts';
import { Deferred } from '../parts/Deferred.tsx';
import { Flyout } from '../parts/Flyout.tsx';
import { Logo } from '../parts/Logo.tsx';
import { type Name, type NamesApp, NamesRow, namesOf } from '../parts/NamesRow.tsx';

export function CalmBar(props: { app: NamesApp }): JSX.Element {
  const phone = createMedia(NARROW_PHONE);
  return (
    <header class="top">
      <Deferred>
        <Logo />
        <span class="grow" />
        <Show when={!phone()} fallback={<PhoneNames names={namesOf(props.app)} />}>
          <NamesRow app={props.app} />
        </Show>
      </Deferred>
    </header>
  );
}

/** All names behind one button, and the gallery beside it, which is the first way on. */
function PhoneNames(props: { names: readonly Name[] }): JSX.Element {
  return (
    <>
      <Show when={props.names[0]}>
        {(of) => (
          <button type="button" class="btn" title={of().title} onClick={() => of().does()}>
            {of().name}
          </button>
        )}
      </Show>
      <NamesMenu names={props.names} />
    </>
  );
}

/** The names behind one button. */
function NamesMenu(props: { names: readonly Name[] }): JSX.Element {
  const other = (): 'light' | 'dark' => (theme() === 'dark' ? 'light' : 'dark');
  return (
    <Flyout
      below
      label="Menu"
      class="btn sq calm-menu"
      trigger={
        <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 4h12M2 8h12M2 12h12" />
        </svg>
      }
    >
      {(close) => (
        <div class="calm-names">
          <For each={props.names}>
            {({ name, menu, does }) => (
              <button
                type="button"
                onClick={() => {
                  close();
                  does();
                }}
              >
                {menu ?? name}
              </button>
            )}
          </For>
          <button
            type="button"
            onClick={() => {
              close();
              setTheme(other());
            }}
          >
            {other() === 'dark' ? 'Dark theme' : 'Light theme'}
          </button>
        </div>
      )}
    </Flyout>
  );
}
