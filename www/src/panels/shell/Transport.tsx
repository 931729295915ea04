// Play, step, speed, clock and the scrubber.
import { type Component, createEffect, createMemo, For, Index, type JSX, Match, on, Show, Switch } from 'solid-js';
import { getAt } from '../../base/json.ts';
import { createMedia, PHONE } from '../../base/media.ts';
import { hasMarks } from '../../base/note.ts';
import { clock, plain, speed as speedText, tenths } from '../../base/units.ts';
import { Scrubber } from '../../charts/Scrubber.tsx';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { keyText, type ShortcutName, tooltip } from '../../state/commands/shortcuts.ts';
import { sayWanted } from '../../state/run/occasions.ts';
import { scalingMarks } from '../../state/run/scalingMarks.ts';
import { behind, caption, SPEEDS } from '../../state/run/speeds.ts';
import { type Progress, targetWords } from '../../state/run/target.ts';
import type { Loading } from '../../state/slices/transport.ts';
import { timeWindow } from '../../state/view/closeup.ts';
import { describedBy, hasRing } from '../../state/view/minute.ts';
import { Deferred } from '../parts/Deferred.tsx';
import { Flyout } from '../parts/Flyout.tsx';
import { LazyPart } from '../parts/LazyPart.tsx';
import { NoticeLine } from '../parts/Notices.tsx';
import { TimeField } from './TimeField.tsx';
import { waits, whyWaits } from './waits.ts';

/** `calm`: only what the first view has, which is play, the clock, the way to the start and the speed. */
export function Transport(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies'>;
  calm?: boolean;
}): JSX.Element {
  const app = props.app;
  const end = createMemo(() => {
    const frame = app.transport.frame();
    const horizon = frame?.horizon_us || (app.document.trace() && frame?.axis_end_us) || 0;
    return horizon > 0 ? `of ${plain(horizon / 1e6)} s` : 's';
  });
  let openFlags: (() => void) | undefined;
  createEffect(on(app.document.openFlags, () => openFlags?.(), { defer: true }));
  const openRun = (): void => {
    app.selection.setRightTab('run');
    app.selection.setDrawer(true);
    app.selection.setPhoneTab('inspector');
  };
  /** The speed of the run, once it falls behind. */
  const got = createMemo(() =>
    app.transport.playing() && behind(app.transport.speed(), app.transport.achieved())
      ? speedText(app.transport.achieved())
      : undefined,
  );
  return (
    <section class="foot" aria-label="Transport">
      <Deferred>
        <Scrubber
          data={app.transport.data().health}
          beside={app.studies.besideHealth()}
          frame={app.transport.frame()}
          few={props.calm ?? false}
          describedBy={describedBy('playhead')}
          warmUpS={props.calm ? 0 : app.document.warmUpS()}
          anomalies={app.transport.anomalies()}
          window={timeWindow()}
          decisions={scalingMarks()}
          onAnomaly={(mark) => void app.transport.showAnomaly(mark)}
          onSeek={(us) => void app.transport.seek(us / 1e6)}
          onSeekBy={app.transport.seekBy}
          onMoveFlag={(index, us) => void app.document.moveEdit(index, us)}
          onStretchFlag={(index, us) => void app.document.stretchEdit(index, us)}
          onFlags={app.document.setOpenFlags}
        />
      </Deferred>
      <Show when={hasMarks(String(getAt(app.document.current(), 'note') ?? ''))}>
        <LazyPart app={app} what="The marks of the note" load={() => import('./NoteMarks.tsx')} />
      </Show>
      <div class="ctl">
        <FlagStops app={app} onOpen={(index) => app.document.setOpenFlags([index])} />
        <Flyout
          label="Edits on the timeline"
          class="flag-anchor"
          trigger={undefined}
          ref={(open) => {
            openFlags = open;
          }}
        >
          {() => <LazyPart app={app} what="The edit" load={() => import('./FlagPanel.tsx')} />}
        </Flyout>
        <Play app={app} />
        <span class="time">
          <span class="clock" role="timer" aria-label="Simulated time">
            {props.calm ? tenths(app.transport.frame()?.now_us ?? 0) : clock(app.transport.frame()?.now_us ?? 0)}{' '}
            <small>{props.calm ? 's' : end()}</small>
            <small class="phone-only">
              <Show when={app.transport.progress()}>{(progress) => underWay(progress())}</Show>
            </small>
          </span>
          <Show when={!props.calm}>
            <TimeField app={app} />
          </Show>
        </span>
        <Switch fallback={<NoticeLine app={app} />}>
          <Match when={app.transport.loading()}>{(loading) => <LoadingLine loading={loading()} />}</Match>
          <Match when={app.transport.progress()}>
            {(progress) => (
              <span class="run-target">
                <span role="status">{targetWords(progress().target, (us) => clock(us))}</span>{' '}
                <Show when={progress().share !== undefined}>
                  <progress aria-label="Done" max={1} value={progress().share ?? 0} /> <b>{percent(progress())}</b>
                </Show>{' '}
                <button type="button" class="btn box" onClick={() => app.transport.pause()}>
                  Cancel
                </button>
              </span>
            )}
          </Match>
          <Match when={app.transport.frame()?.trouble}>
            {(trouble) => (
              <span class="trouble">
                <button type="button" class="note-line wa" title={trouble()} onClick={openRun}>
                  {trouble().split(':')[0]}
                </button>
              </span>
            )}
          </Match>
        </Switch>
        <Show when={got()}>
          <span class="got wa" title="The speed that this computer reaches">
            got <b>{got()}</b>
          </span>
        </Show>
        <span class="grow" />
        <Show when={!props.calm}>
          <StepMenu app={app} />
          <RunTools app={app} />
        </Show>
        <Show when={!props.calm && app.document.namedRuns().all.length > 0}>
          <Flyout
            label="Runs of this scenario"
            name={`Runs ${app.document.namedRuns().all.length} of this scenario`}
            class="btn box"
            trigger={
              <>
                Runs <b>{app.document.namedRuns().all.length}</b>
                <Icon name="down" />
              </>
            }
          >
            {() => <LazyPart app={app} what="The list of runs" load={() => import('./Runs.tsx')} />}
          </Flyout>
        </Show>
        <Speed app={app} />
      </div>
    </section>
  );
}

/** How much of the simulation has come, while it is loaded. */
function LoadingLine(props: { loading: Loading }): JSX.Element {
  return (
    <span class="run-target loading-line">
      <span role="status">Loading the simulation</span>{' '}
      <progress aria-label="Loaded" max={props.loading.of} value={props.loading.bytes} />{' '}
      <b>{loadedWords(props.loading)}</b>
    </span>
  );
}

/** Where the run goes: to an occasion, or on in another run. */
function RunTools(props: { app: Pick<App, 'transport' | 'selection' | 'document' | 'studies'> }): JSX.Element {
  const app = props.app;
  return (
    <>
      <span class="run-to">
        <button
          type="button"
          class="btn"
          disabled={waits(app)}
          title={whyWaits(app) ?? tooltip(`Run to the next ${sayWanted(app.transport.wanted())}`, 'run-to')}
          onClick={() => app.transport.runTo()}
        >
          Run to <b>next {sayWanted(app.transport.wanted())}</b>
        </button>
        <Flyout
          label="Choose what to run to"
          class="btn run-to-choice"
          title={tooltip('Choose what to run to', 'choose-run-to')}
          trigger={<Icon name="down" />}
        >
          {(close) => <LazyPart app={app} what="The list" load={async () => ({ default: await runToList(close) })} />}
        </Flyout>
      </span>
      <Show when={!app.transport.progress()}>
        <button
          type="button"
          class="btn desk"
          disabled={waits(app)}
          title={whyWaits(app) ?? tooltip('Keep this run and continue in another one', 'branch')}
          onClick={() => void app.document.branch()}
        >
          Branch here
        </button>
      </Show>
    </>
  );
}

/** Single steps, on and back, and the way to the end. It stays open, as one step is seldom the last. */
function StepMenu(props: { app: Pick<App, 'transport' | 'studies'> }): JSX.Element {
  const { transport } = props.app;
  const Step = (step: { name: string; key: ShortcutName; does: () => unknown }): JSX.Element => (
    <button
      type="button"
      class="menu-item step-item"
      aria-label={step.name}
      disabled={waits(props.app)}
      title={whyWaits(props.app)}
      onClick={() => void step.does()}
    >
      {step.name} <kbd>{keyText(step.key)}</kbd>
    </button>
  );
  return (
    <Flyout
      label="Step"
      class="btn step-menu"
      title="Step by an event or an engine step"
      trigger={
        <>
          Step <Icon name="down" />
        </>
      }
    >
      {() => (
        <>
          <Step name="Step one event" key="step-event" does={() => transport.step('event')} />
          <Step name="Step one engine step" key="step-engine" does={() => transport.step('engine-step')} />
          <Step name="Step back" key="step-back" does={() => transport.stepBack()} />
          <Step name="Step back one engine step" key="back-engine" does={() => transport.stepBack('engine-step')} />
          <Step name="Run to the end" key="to-end" does={() => transport.toEnd()} />
        </>
      )}
    </Flyout>
  );
}

/** The large button. */
function Play(props: { app: Pick<App, 'transport' | 'studies'> }): JSX.Element {
  const app = props.app;
  /** What the large button does at present. */
  const doing = (): 'Stop' | 'Pause' | 'Play' =>
    app.transport.progress() ? 'Stop' : app.transport.playsOn() ? 'Pause' : 'Play';
  return (
    <button
      type="button"
      class="play"
      classList={{ ring: hasRing('play') }}
      aria-label={doing()}
      aria-describedby={describedBy('play')}
      disabled={waits(app)}
      title={whyWaits(app) ?? tooltip(doing(), 'play')}
      onClick={() => void app.transport.toggle()}
    >
      <Icon name={doing() === 'Stop' ? 'stop' : doing() === 'Pause' ? 'pause' : 'play'} />
    </button>
  );
}

/** The way to the start and the speed, at the right. */
function Speed(props: { app: Pick<App, 'transport' | 'studies'> }): JSX.Element {
  const { transport } = props.app;
  const phone = createMedia(PHONE);
  return (
    <>
      <button
        type="button"
        class="btn sq"
        aria-label="Restart"
        disabled={waits(props.app)}
        title={whyWaits(props.app) ?? tooltip('Restart', 'restart')}
        onClick={() => void transport.restart()}
      >
        <Icon name="start" />
      </button>
      <select
        class="speed"
        aria-label="Speed"
        title={caption(transport.speed())}
        onChange={(event) => transport.setSpeed(Number(event.currentTarget.value))}
      >
        <For each={SPEEDS}>
          {(stop, i) => (
            <option value={i()} selected={i() === transport.speedIndex()}>
              {phone() ? speedText(stop) : `Speed ${speedText(stop)}`}
            </option>
          )}
        </For>
      </select>
    </>
  );
}

/** The list of occasions; it closes after a choice. */
async function runToList(close: () => void): Promise<Component<{ app: Pick<App, 'transport' | 'selection'> }>> {
  const { default: RunTo } = await import('./RunTo.tsx');
  return (props) => <RunTo app={props.app} onDone={close} />;
}

/** At most this many edits are stops of the Tab key; the list of changes has all of them. */
const MOST_STOPS = 20;

/**
 * The flags of the timeline as controls. A flag is visible while focused; Enter goes to its instant, arrows move it.
 */
function FlagStops(props: { app: Pick<App, 'transport' | 'document'>; onOpen: (index: number) => void }): JSX.Element {
  const flags = createMemo(() => (props.app.transport.throttledFrame()?.flags ?? []).slice(0, MOST_STOPS), [], {
    equals: (a, b) =>
      a.length === b.length &&
      a.every((f, i) => f.at_us === b[i]?.at_us && f.label === b[i]?.label && f.off === b[i]?.off),
  });
  const key = (event: KeyboardEvent, index: number, atUs: number): void => {
    const { app } = props;
    const step = (app.transport.frame()?.axis_end_us ?? 0) / (event.shiftKey ? 2000 : 200);
    const acts: Readonly<Record<string, () => unknown>> = {
      ArrowLeft: () => app.document.moveEdit(index, atUs - step),
      ArrowRight: () => app.document.moveEdit(index, atUs + step),
      Delete: () => app.document.removeEdit(index),
      Backspace: () => app.document.removeEdit(index),
      x: () => app.document.switchEdit(index),
      e: () => props.onOpen(index),
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    void act();
  };
  return (
    <div class="flag-stops">
      <Index each={flags()}>
        {(flag, index) => (
          <button
            type="button"
            class="btn pri"
            aria-keyshortcuts="ArrowLeft ArrowRight Delete x e"
            title="Arrows move it, Delete removes it, x switches it off, e edits it"
            onKeyDown={(event) => key(event, index, flag().at_us)}
            onClick={() => void props.app.transport.seek(flag().at_us / 1e6)}
          >
            {flag().off ? 'Switched-off edit' : 'Edit'} at {clock(flag().at_us)} s: {flag().label}. Go there
          </button>
        )}
      </Index>
    </div>
  );
}

function percent(progress: Progress): string {
  return progress.share === undefined ? '' : `${Math.floor(progress.share * 100)} %`;
}

/** How much has come, in kilobytes of 1,000 bytes. */
function loadedWords({ bytes, of }: Loading): string {
  return `${plain(Math.floor(bytes / 1000))} of ${plain(Math.ceil(of / 1000))} KB`;
}

function underWay(progress: Progress): string {
  return progress.share === undefined ? 'looking…' : `${percent(progress)} of the way`;
}
