// The names at the right of the top bar, the same in every view: what else the page has, the list of commands, the theme.
import { For, type JSX } from 'solid-js';
import type { App } from '../../state/app.ts';
import { tooltip } from '../../state/commands/shortcuts.ts';
import { setLearning } from '../../state/lessons/lesson.ts';
import { ThemeButton } from './ThemeButton.tsx';

export type NamesApp = Pick<App, 'dialogs' | 'studies' | 'links'>;

/** A name in the bar, what it opens, and its name in the menu of a phone if that differs. */
export type Name = {
  readonly name: string;
  readonly title: string;
  readonly does: () => void;
  readonly menu?: string;
  /** Whether what it opens is open, for a name that also closes it. */
  readonly open?: () => boolean;
  /** Its class beside that of buttons. */
  readonly class?: string;
};

export function namesOf({ dialogs, studies, links }: NamesApp): readonly Name[] {
  return [
    {
      name: 'Gallery',
      class: 'wide',
      title: tooltip('Gallery of presets', 'gallery'),
      does: () => dialogs.setGallery(true),
    },
    { name: 'Learn', class: 'wide', title: 'Lessons: predict, do, see, why, try', does: () => setLearning(true) },
    {
      name: 'Compare',
      class: 'wide',
      title: tooltip('Compare this run with another on the same requests', 'compare'),
      open: studies.comparing,
      does: () => studies.setComparing(!studies.comparing()),
    },
    { name: 'Share', title: tooltip('Share this run as a link', 'share'), does: () => links.setSharing(true) },
    {
      name: '⌘K',
      class: 'command',
      menu: 'Find a command',
      title: tooltip('Find a command', 'palette'),
      does: () => dialogs.setPalette(true),
    },
  ];
}

export function NamesRow(props: { app: NamesApp }): JSX.Element {
  return (
    <>
      <For each={namesOf(props.app)}>
        {(of) => (
          <button
            type="button"
            class={of.class === undefined ? 'btn' : `btn ${of.class}`}
            aria-label={of.menu === undefined ? undefined : `${of.name} ${of.menu}`}
            aria-pressed={of.open?.()}
            title={of.title}
            onClick={of.does}
          >
            {of.name}
          </button>
        )}
      </For>
      <ThemeButton />
    </>
  );
}
