// Title, preset, seed, files, theme, help. What does not exist yet has no button.
import { Menu } from '@ark-ui/solid/menu';
import { createMemo, For, type JSX, Show } from 'solid-js';
import { Portal } from 'solid-js/web';
import { getAt } from '../base/json.ts';
import { setTheme, theme } from '../base/theme.ts';
import { Icon } from '../draw/glyphs.tsx';
import type { App } from '../state/app.ts';
import { tooltip } from '../state/shortcuts.ts';
import { Seed } from './Seed.tsx';

export function TopBar(props: { app: App }): JSX.Element {
  const app = props.app;
  const title = createMemo(() => String(getAt(app.document(), 'title') ?? '') || 'Untitled run');
  let picker: HTMLInputElement | undefined;

  return (
    <header class="top">
      <span class="logo">
        <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
          <path class="logo-lines" d="M2 10h4c4 0 4-6 8-6h4M6 10h12M6 10c4 0 4 6 8 6h4" />
          <circle class="logo-dot" cx="4" cy="10" r="2.4" />
        </svg>
        <span class="wide">Tokenyard</span>
      </span>
      <span class="vr wide" />
      <h1 class="title">{title()}</h1>
      <Menu.Root
        onSelect={({ value }) => {
          const preset = app.presets().find((p) => p.name === value);
          if (preset) void app.openPreset(preset);
        }}
      >
        <Menu.Trigger class="btn">
          <span class="visually-hidden">Presets</span>
          <span class="preset-name wide">{app.presetName()}</span>
          <Show when={app.differences() > 0}>
            <span class="ac">+{app.differences()}</span>
          </Show>
          <Icon name="down" />
        </Menu.Trigger>
        <Portal>
          <Menu.Positioner>
            <Menu.Content class="menu" aria-label="Presets">
              <For each={app.presets()}>
                {(preset) => (
                  <Menu.Item class="menu-item tall" value={preset.name}>
                    <b>{preset.title || preset.name}</b>
                    <span class="s">{preset.note}</span>
                  </Menu.Item>
                )}
              </For>
            </Menu.Content>
          </Menu.Positioner>
        </Portal>
      </Menu.Root>
      <span class="grow" />
      <button type="button" class="btn" aria-label="Open trace… or scenario file" onClick={() => picker?.click()}>
        <Icon name="file" />
        <span class="wide">Open trace…</span>
      </button>
      <input
        ref={picker}
        class="visually-hidden"
        type="file"
        tabIndex={-1}
        aria-label="Trace or scenario file"
        accept=".csv,.jsonl,.json,.yaml,.yml,.txt"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = '';
          if (file) void app.openFile(file);
        }}
      />
      <span class="vr wide" />
      <Seed app={app} class="wide" />
      <span class="vr wide" />
      <button
        type="button"
        class="btn sq wide-sq narrow-only"
        aria-label="Inspector"
        aria-expanded={app.drawer()}
        onClick={() => app.setDrawer(!app.drawer())}
      >
        <Icon name="panel" />
      </button>
      <button
        type="button"
        class="btn sq wide-sq"
        aria-label="Help and keyboard"
        title={tooltip('Help and keyboard', 'help')}
        onClick={() => app.setHelp(true)}
      >
        ?
      </button>
      <button
        type="button"
        class="btn sq"
        aria-label={theme() === 'dark' ? 'Light theme' : 'Dark theme'}
        onClick={() => setTheme(theme() === 'dark' ? 'light' : 'dark')}
      >
        <svg class="icon" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <circle cx="7" cy="7" r="5.5" />
          <path class="solid" d="M7 1.500a5.500 5.500 0 0 1 0 11z" />
        </svg>
      </button>
    </header>
  );
}
