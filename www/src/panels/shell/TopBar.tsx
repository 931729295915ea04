// Title, which is the menu of scenarios, how true the run is, and the names of the other views.

import { type Component, createMemo, type JSX, Show } from 'solid-js';
import { getAt } from '../../base/json.ts';
import { awaitField } from '../../base/typedAhead.ts';
import { NBSP, percent, text } from '../../base/units.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { setTitleEdited, titleEdited } from '../../state/view/titleEdited.ts';
import { Deferred } from '../parts/Deferred.tsx';
import { Flyout } from '../parts/Flyout.tsx';
import { LazyPart } from '../parts/LazyPart.tsx';
import { Logo } from '../parts/Logo.tsx';
import { NamesRow } from '../parts/NamesRow.tsx';
import { isGuess, keyOf, shortOf, weakest } from '../parts/trustWords.ts';

export function TopBar(props: {
  app: Pick<App, 'selection' | 'document' | 'studies' | 'dialogs' | 'links' | 'transport'>;
}): JSX.Element {
  const app = props.app;
  return (
    <header class="top">
      <Deferred>
        <Logo />
        <Title app={app} />
        <HowTrue app={app} />
        <span class="grow" />
        <NamesRow app={app} />
        <button
          type="button"
          class="btn sq wide-sq narrow-only"
          aria-label="Inspector"
          aria-expanded={app.selection.drawer()}
          onClick={() => app.selection.setDrawer(!app.selection.drawer())}
        >
          <Icon name="panel" />
        </button>
      </Deferred>
    </header>
  );
}

/** The title of the run, which opens the menu of scenarios; while it is edited, a field. */
function Title(props: { app: Pick<App, 'document' | 'dialogs' | 'studies'> }): JSX.Element {
  const doc = props.app.document;
  const title = createMemo(() => String(getAt(doc.current(), 'title') ?? '') || 'Untitled run');
  const preset = (): string => (doc.presetName() === title() ? '' : doc.presetName());
  const changes = (): string => (doc.differences() > 0 ? `+${doc.differences()}` : '');
  let openPresets: (() => void) | undefined;
  return (
    <>
      <h1 class="visually-hidden">{title()}</h1>
      <Show when={!titleEdited()} fallback={<LazyPart app={props.app} what="The field of the title" load={field} />}>
        <Flyout
          below
          label="Presets"
          name={[title(), preset(), changes(), 'Presets'].filter(Boolean).join(' ')}
          title={`${title()}: open another scenario`}
          class="btn title-menu"
          ref={(open) => {
            openPresets = open;
          }}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            openPresets?.();
          }}
          trigger={
            <>
              <span class="title">{title()}</span>
              <span class="visually-hidden preset-name">{preset()}</span>
              <Show when={changes()}>{(said) => <span class="visually-hidden ac">{said()}</span>}</Show>
              <Icon name="down" />
            </>
          }
        >
          {(close) => (
            <LazyPart
              app={props.app}
              what="The menu of presets"
              load={async () => ({ default: await presetMenu(close) })}
            />
          )}
        </Flyout>
      </Show>
    </>
  );
}

const field = async (): Promise<{ default: Component<{ app: Pick<App, 'document'> }> }> => {
  const { default: TitleField } = await import('./TitleField.tsx');
  const done = (): void => {
    setTitleEdited(false);
    document.querySelector<HTMLElement>('.title-menu')?.focus();
  };
  return { default: (inner) => <TitleField app={inner.app} onDone={done} /> };
};

/** The menu of presets; it closes after a choice. */
async function presetMenu(
  close: () => void,
): Promise<Component<{ app: Pick<App, 'document' | 'dialogs' | 'studies'> }>> {
  awaitField('.preset-menu input');
  const { default: PresetMenu } = await import('./PresetMenu.tsx');
  return (props) => <PresetMenu app={props.app} onDone={close} />;
}

/** Opens the measured runs; its words are the measured error of the pool of which least is known. */
function HowTrue(props: { app: Pick<App, 'studies' | 'transport'> }): JSX.Element {
  const app = props.app;
  const trusted = createMemo(() => weakest(app.transport.evidence()?.pools));
  const said = (): string => {
    const pool = trusted();
    if (!pool) return '';
    if (isGuess(pool.class)) return shortOf(pool);
    const { error, small } = keyOf(pool);
    return error === undefined
      ? small.join(' ')
      : `${small.join(' ')} ±${text(percent(error, error < 0.0995 ? 1 : 0))}`;
  };
  return (
    <button
      type="button"
      class="btn how-true"
      classList={{ wa: isGuess(trusted()?.class ?? 'fitted') }}
      aria-label={`${said()} How true is this?`.trim()}
      aria-description={trusted()?.chip}
      aria-pressed={app.studies.measured()}
      title="How true is this? Measured runs and your own benchmark beside the simulation"
      onClick={() => app.studies.setMeasured(!app.studies.measured())}
    >
      {said() || `How${NBSP}true?`}
    </button>
  );
}
