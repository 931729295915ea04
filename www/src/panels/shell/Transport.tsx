// Play, step, speed, clock and the scrubber.
import { Slider } from '@ark-ui/solid/slider';
import {
  type Accessor,
  type Component,
  type ComponentProps,
  createMemo,
  createSignal,
  For,
  Index,
  type JSX,
  Match,
  Show,
  Switch,
} from 'solid-js';
import { getAt } from '../../base/json.ts';
import { hasMarks } from '../../base/note.ts';
import { clock, plain, secondsOf, speed as speedText } from '../../base/units.ts';
import { Scrubber } from '../../charts/Scrubber.tsx';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { type ShortcutName, tooltip } from '../../state/commands/shortcuts.ts';
import { sayWanted } from '../../state/run/occasions.ts';
import { scalingMarks } from '../../state/run/scalingMarks.ts';
import { behind, caption, LABELLED, SPEEDS } from '../../state/run/speeds.ts';
import { type Progress, targetWords } from '../../state/run/target.ts';
import { timeWindow } from '../../state/view/closeup.ts';
import { Deferred } from '../parts/Deferred.tsx';
import { Flyout } from '../parts/Flyout.tsx';
import { LazyPart } from '../parts/LazyPart.tsx';
import { NoticeLine } from '../parts/Notices.tsx';

/** The size of the speed slider's thumb in pixels. Measuring it would force a layout while the page is built. */
const THUMB = { width: 14, height: 14 };

export function Transport(props: { app: Pick<App, 'transport' | 'selection' | 'document' | 'studies'> }): JSX.Element {
  const app = props.app;
  const end = createMemo(() => {
    const frame = app.transport.frame();
    const horizon = frame?.horizon_us || (app.document.trace() && frame?.axis_end_us) || 0;
    return horizon > 0 ? `of ${plain(horizon / 1e6)} s` : 's';
  });
  let openFlags: (() => void) | undefined;
  const openRun = (): void => {
    app.selection.setRightTab('run');
    app.selection.setDrawer(true);
    app.selection.setPhoneTab('inspector');
  };
  const asked = createMemo(() => speedText(app.transport.speed()));
  const got = createMemo(() =>
    app.transport.playing() && app.transport.achieved() > 0 ? speedText(app.transport.achieved()) : '–',
  );
  return (
    <section class="foot" aria-label="Transport">
      <Deferred>
        <Scrubber
          data={app.transport.data().health}
          beside={app.studies.besideHealth()}
          frame={app.transport.frame()}
          warmUpS={app.document.warmUpS()}
          anomalies={app.transport.anomalies()}
          window={timeWindow()}
          decisions={scalingMarks()}
          onAnomaly={(mark) => void app.transport.showAnomaly(mark)}
          onSeek={(us) => void app.transport.seek(us / 1e6)}
          onSeekBy={app.transport.seekBy}
          onMoveFlag={(index, us) => void app.document.moveEdit(index, us)}
          onStretchFlag={(index, untilUs, us) => void app.document.stretchEdit(index, untilUs, us)}
          onFlags={(indices) => {
            app.document.setOpenFlags(indices);
            openFlags?.();
          }}
        />
      </Deferred>
      <Show when={hasMarks(String(getAt(app.document.current(), 'note') ?? ''))}>
        <LazyPart app={app} what="The marks of the note" load={() => import('./NoteMarks.tsx')} />
      </Show>
      <div class="ctl">
        <FlagStops
          app={app}
          onOpen={(index) => {
            app.document.setOpenFlags([index]);
            openFlags?.();
          }}
        />
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
        <Steps app={app} />
        <span class="clock" role="timer" aria-label="Simulated time">
          {clock(app.transport.frame()?.now_us ?? 0)} <small>{end()}</small>
          <small class="phone-only">
            <Show when={app.transport.progress()} fallback={`${asked()} · got ${got()}`}>
              {(progress) => underWay(progress())}
            </Show>
          </small>
        </span>
        <TimeField app={app} />
        <span class="run-to">
          <button
            type="button"
            class="btn box"
            disabled={app.studies.studying()}
            title={tooltip(`Run to the next ${sayWanted(app.transport.wanted())}`, 'run-to')}
            onClick={() => app.transport.runTo()}
          >
            Run to <b>next {sayWanted(app.transport.wanted())}</b>
          </button>
          <Flyout
            label="Choose what to run to"
            class="btn box run-to-choice"
            title={tooltip('Choose what to run to', 'choose-run-to')}
            trigger={<Icon name="down" />}
          >
            {(close) => <LazyPart app={app} what="The list" load={async () => ({ default: await runToList(close) })} />}
          </Flyout>
        </span>
        <Show when={!app.transport.progress()}>
          <button
            type="button"
            class="btn box desk"
            disabled={app.studies.studying()}
            title={tooltip('Keep this run and continue in another one', 'branch')}
            onClick={() => void app.document.branch()}
          >
            Branch here
          </button>
        </Show>
        <Show when={app.document.namedRuns().all.length > 0}>
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
        <Switch fallback={<NoticeLine app={app} />}>
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
        <Speed app={app} asked={asked} got={got} />
      </div>
    </section>
  );
}

/** The buttons that move the run: to its start, a step back, play, a step on, to its end. */
function Steps(props: { app: Pick<App, 'transport' | 'studies'> }): JSX.Element {
  const app = props.app;
  /** What the large button does at present. */
  const doing = (): 'Stop' | 'Pause' | 'Play' =>
    app.transport.progress() ? 'Stop' : app.transport.playsOn() ? 'Pause' : 'Play';
  const Step = (step: {
    name: string;
    title?: string;
    key: ShortcutName;
    icon: ComponentProps<typeof Icon>['name'];
    does: () => unknown;
  }): JSX.Element => (
    <button
      type="button"
      class="btn sq"
      aria-label={step.name}
      disabled={app.studies.studying()}
      title={tooltip(step.title ?? step.name, step.key)}
      onClick={() => void step.does()}
    >
      <Icon name={step.icon} />
    </button>
  );
  return (
    <>
      <Step name="Restart" key="restart" icon="start" does={app.transport.restart} />
      <Step
        name="Step back"
        title="Step back to the event before"
        key="step-back"
        icon="back"
        does={app.transport.stepBack}
      />
      <button
        type="button"
        class="play"
        aria-label={doing()}
        disabled={app.studies.studying()}
        title={tooltip(doing(), 'play')}
        onClick={() => void app.transport.toggle()}
      >
        <Icon name={doing() === 'Stop' ? 'stop' : doing() === 'Pause' ? 'pause' : 'play'} />
      </button>
      <Step name="Step one event" key="step-event" icon="event" does={() => app.transport.step('event')} />
      <Step
        name="Step one engine step"
        key="step-engine"
        icon="engine"
        does={() => app.transport.step('engine-step')}
      />
      <Step name="Run to the end" key="to-end" icon="end" does={app.transport.toEnd} />
    </>
  );
}

/** The requested and the actual speed, and the slider that sets it. */
function Speed(props: { app: Pick<App, 'transport'>; asked: Accessor<string>; got: Accessor<string> }): JSX.Element {
  const { app, asked, got } = props;
  return (
    <div class="speed">
      <span class="desk r asked">
        <span class="s">{caption(app.transport.speed())}</span>
        <br />
        <span class="m" classList={{ wa: behind(app.transport.speed(), app.transport.achieved()) }}>
          asked {asked()} · got <b>{got()}</b>
        </span>
      </span>
      <div class="slider">
        <Deferred>
          <Slider.Root
            min={0}
            max={SPEEDS.length - 1}
            step={1}
            thumbSize={THUMB}
            value={[app.transport.speedIndex()]}
            onValueChange={({ value }) => app.transport.setSpeed(value[0] ?? 0)}
            aria-label={['Speed']}
            getAriaValueText={({ value }) => `${speedText(SPEEDS[value] ?? 1)}, ${caption(SPEEDS[value] ?? 1)}`}
          >
            <Slider.Control class="slider-control">
              <Slider.Track class="slider-track">
                <Slider.Range class="slider-range" />
              </Slider.Track>
              <Slider.Thumb index={0} class="slider-thumb">
                <Slider.HiddenInput />
              </Slider.Thumb>
            </Slider.Control>
            <Deferred>
              <Slider.MarkerGroup class="slider-marks">
                <For each={LABELLED}>
                  {(stop) => (
                    <Slider.Marker
                      value={SPEEDS.indexOf(stop)}
                      class="slider-mark"
                      style={{ 'pointer-events': 'auto' }}
                      data-on={stop === app.transport.speed() ? '' : undefined}
                      onClick={() => app.transport.setSpeed(SPEEDS.indexOf(stop))}
                    >
                      {speedText(stop)}
                    </Slider.Marker>
                  )}
                </For>
              </Slider.MarkerGroup>
            </Deferred>
          </Slider.Root>
        </Deferred>
      </div>
    </div>
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

function underWay(progress: Progress): string {
  return progress.share === undefined ? 'looking…' : `${percent(progress)} of the way`;
}

/** A field for the instant to go to. Invalid input stays, with an error. */
function TimeField(props: { app: Pick<App, 'transport'> }): JSX.Element {
  const [wrong, setWrong] = createSignal(false);
  const go = (input: HTMLInputElement): void => {
    const text = input.value.trim().replaceAll(',', '');
    if (text === '') {
      setWrong(false);
      return;
    }
    const seconds = secondsOf(text);
    const end = props.app.transport.frame()?.horizon_us ?? 0;
    const fits = seconds !== undefined && (end === 0 || seconds * 1e6 <= end) && seconds <= 2 ** 32;
    setWrong(!fits);
    if (!fits || seconds === undefined) return;
    input.value = '';
    // Keys go to the page again.
    input.blur();
    void props.app.transport.seek(seconds);
  };
  return (
    <label class="goto">
      <span class="desk">Go to</span>
      <input
        class="in"
        id="time-field"
        aria-label="Go to time, in seconds"
        aria-invalid={wrong()}
        title={tooltip('A time in seconds, or minutes:seconds', 'time')}
        placeholder={wrong() ? 'not a time' : 'time'}
        inputmode="decimal"
        autocomplete="off"
        size={7}
        onInput={() => setWrong(false)}
        onChange={(event) => go(event.currentTarget)}
      />
      <Show when={wrong()}>
        <span class="wa" role="alert">
          from 0 to {plain((props.app.transport.frame()?.horizon_us || 2 ** 32 * 1e6) / 1e6)} s
        </span>
      </Show>
    </label>
  );
}
