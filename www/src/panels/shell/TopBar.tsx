// Title, preset, seed, files, theme, help.

import { type Component, createMemo, createSignal, type JSX, Show } from 'solid-js';
import { getAt } from '../../base/json.ts';
import { awaitField } from '../../base/typedAhead.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { tooltip } from '../../state/commands/shortcuts.ts';
import { setLearning } from '../../state/lessons/lesson.ts';
import { Deferred } from '../parts/Deferred.tsx';
import { FileButton } from '../parts/FileButton.tsx';
import { Flyout } from '../parts/Flyout.tsx';
import { LazyPart } from '../parts/LazyPart.tsx';
import { Seed } from '../parts/Seed.tsx';
import { ThemeButton } from '../parts/ThemeButton.tsx';
import { isGuess, shortOf, weakest } from '../parts/trustWords.ts';

export function TopBar(props: {
  app: Pick<App, 'selection' | 'document' | 'studies' | 'dialogs' | 'links' | 'transport'>;
}): JSX.Element {
  const app = props.app;
  const title = createMemo(() => String(getAt(app.document.current(), 'title') ?? '') || 'Untitled run');
  let openPresets: (() => void) | undefined;
  const shownName = (): string => (app.document.presetName() === title() ? '' : app.document.presetName());
  const changesSaid = (): string => (app.document.differences() > 0 ? `+${app.document.differences()}` : '');
  return (
    <header class="top">
      <Deferred>
        <span class="logo">
          <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
            <path class="logo-lines" d="M2 10h4c4 0 4-6 8-6h4M6 10h12M6 10c4 0 4 6 8 6h4" />
            <circle class="logo-dot" cx="4" cy="10" r="2.4" />
          </svg>
          <span class="wide">Tokenyard</span>
        </span>
        <span class="vr wide" />
        <Title app={app} title={title()} />
        <Flyout
          below
          label="Presets"
          name={`${shownName()} ${changesSaid()} Presets`.trim()}
          class="btn"
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
              <span class="preset-name wide">{shownName()}</span>{' '}
              <Show when={changesSaid()}>{(said) => <span class="ac">{said()}</span>}</Show>
              <Icon name="down" />
            </>
          }
        >
          {(close) => (
            <LazyPart app={app} what="The menu of presets" load={async () => ({ default: await presetMenu(close) })} />
          )}
        </Flyout>
        <button
          type="button"
          class="btn wide"
          title={tooltip('Gallery of presets', 'gallery')}
          onClick={() => app.dialogs.setGallery(true)}
        >
          Gallery
        </button>
        <button
          type="button"
          class="btn wide"
          title="Lessons: predict, do, see, why, try"
          onClick={() => setLearning(true)}
        >
          Lessons
        </button>
        <span class="grow" />
        <FileButton
          class="btn desk"
          label="Open trace…, scenario or benchmark file"
          takes="Trace, scenario or benchmark file"
          accept=".csv,.jsonl,.json,.yaml,.yml,.txt,.log,.prom"
          onFile={(file) => void app.document.openFile(file)}
        >
          <Icon name="file" />
          <span class="wide roomy">Open trace…</span>
        </FileButton>
        <button
          type="button"
          class="btn box wide"
          aria-pressed={app.studies.comparing()}
          title={tooltip('Compare this run with another on the same requests', 'compare')}
          onClick={() => app.studies.setComparing(!app.studies.comparing())}
        >
          Compare
        </button>
        <HowTrue app={app} />
        <span class="vr wide" />
        <Seed app={app} class="wide" />
        <button
          type="button"
          class="btn pri share"
          aria-label="Share"
          title={tooltip('Share this run as a link', 'share')}
          onClick={() => app.links.setSharing(true)}
        >
          <Icon name="share" />
          <span class="wide roomy">Share</span>
        </button>
        <span class="vr wide" />
        <button
          type="button"
          class="btn sq wide-sq narrow-only"
          aria-label="Inspector"
          aria-expanded={app.selection.drawer()}
          onClick={() => app.selection.setDrawer(!app.selection.drawer())}
        >
          <Icon name="panel" />
        </button>
        <button
          type="button"
          class="btn sq wide-sq"
          aria-label="Help and keyboard"
          title={tooltip('Help and keyboard', 'help')}
          onClick={() => app.dialogs.setHelp(true)}
        >
          ?
        </button>
        <ThemeButton />
      </Deferred>
    </header>
  );
}

/** The menu of presets; it closes after a choice. */
async function presetMenu(
  close: () => void,
): Promise<Component<{ app: Pick<App, 'document' | 'dialogs' | 'studies'> }>> {
  awaitField('.preset-menu input');
  const { default: PresetMenu } = await import('./PresetMenu.tsx');
  return (props) => <PresetMenu app={props.app} onDone={close} />;
}

/** The title of the run; pressed, it is a field. */
function Title(props: { app: Pick<App, 'document'>; title: string }): JSX.Element {
  const [edited, setEdited] = createSignal(false);
  let button: HTMLButtonElement | undefined;
  const edit = (): void => {
    awaitField('.title-field');
    setEdited(true);
  };
  const done = (): void => {
    setEdited(false);
    button?.focus();
  };
  const field = async (): Promise<{ default: Component<{ app: Pick<App, 'document'> }> }> => {
    const { default: TitleField } = await import('./TitleField.tsx');
    return { default: (inner) => <TitleField app={inner.app} onDone={done} /> };
  };
  return (
    <>
      <h1 class="title" classList={{ edited: edited() }}>
        <button ref={button} type="button" class="title-button" title="Edit the title" onClick={edit}>
          {props.title}
        </button>
      </h1>
      <Show when={edited()}>
        <LazyPart app={props.app} what="The field of the title" load={field} />
      </Show>
    </>
  );
}

/** Opens the measured runs; beside the name the class of the weakest pool and its measured error. */
function HowTrue(props: { app: Pick<App, 'studies' | 'transport'> }): JSX.Element {
  const app = props.app;
  const trusted = createMemo(() => weakest(app.transport.evidence()?.pools));
  return (
    <>
      <button
        type="button"
        class="btn"
        aria-label="How true is this?"
        aria-description={trusted()?.chip}
        aria-pressed={app.studies.measured()}
        title="How true is this? Measured runs and your own benchmark beside the simulation"
        onClick={() => app.studies.setMeasured(!app.studies.measured())}
      >
        <svg class="evidence-bars" width="12" height="10" viewBox="0 0 12 10" aria-hidden="true">
          <path class="on" d="M.5 6.500h2.500v3H.5zM4.500 4h2.500v5.500H4.500zM8.500 1.500h2.500v8H8.500z" />
        </svg>
        <span class="wide roomy">How true?</span>
      </button>
      <Show when={trusted()}>
        {(pool) => (
          <span class="wide roomy top-trust" classList={{ wa: isGuess(pool().class) }}>
            {shortOf(pool())}
          </span>
        )}
      </Show>
    </>
  );
}
