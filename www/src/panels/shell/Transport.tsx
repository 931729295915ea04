// Play, step, speed, clock and the scrubber.
import { Slider } from '@ark-ui/solid/slider';
import {
  type Accessor,
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
import { clock, plain, secondsOf, speed as speedText } from '../../base/units.ts';
import { Scrubber } from '../../charts/Scrubber.tsx';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { type Progress, sayErrand } from '../../state/errand.ts';
import { sayWanted } from '../../state/occasions.ts';
import { type ShortcutName, tooltip } from '../../state/shortcuts.ts';
import { behind, caption, LABELLED, SPEEDS } from '../../state/speeds.ts';
import { Deferred } from '../parts/Deferred.tsx';
import { Flyout } from '../parts/Flyout.tsx';
import { LazyPart } from '../parts/LazyPart.tsx';
import { NoticeLine } from '../parts/Notices.tsx';

/** The size of the thumb of the speed, in pixels: measured, it would make the browser lay the page out while it is built. */
const THUMB = { width: 14, height: 14 };

export function Transport(props: { app: App }): JSX.Element {
  const app = props.app;
  const end = createMemo(() => {
    const frame = app.frame();
    const horizon = frame?.horizon_us || (app.trace() && frame?.axis_end_us) || 0;
    return horizon > 0 ? `of ${plain(horizon / 1e6)} s` : 's';
  });
  let openFlags: (() => void) | undefined;
  const asked = createMemo(() => speedText(app.speed()));
  const got = createMemo(() => (app.playing() && app.achieved() > 0 ? speedText(app.achieved()) : '–'));
  return (
    <section class="foot" aria-label="Transport">
      <Deferred>
        <Scrubber
          data={app.data().health}
          frame={app.frame()}
          warmUpS={app.warmUpS()}
          anomalies={app.anomalies()}
          onAnomaly={(mark) => void app.showAnomaly(mark)}
          onSeek={(us) => void app.seek(us / 1e6)}
          onSeekBy={app.seekBy}
          onMoveFlag={(index, us) => void app.moveEdit(index, us)}
          onFlags={(indices) => {
            app.setOpenFlags(indices);
            openFlags?.();
          }}
        />
      </Deferred>
      <div class="ctl">
        <FlagStops
          app={app}
          onOpen={(index) => {
            app.setOpenFlags([index]);
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
          {clock(app.frame()?.now_us ?? 0)} <small>{end()}</small>
          <small class="phone-only">
            <Show when={app.progress()} fallback={`${asked()} · got ${got()}`}>
              {(progress) => underWay(progress())}
            </Show>
          </small>
        </span>
        <TimeField app={app} />
        <span class="run-to">
          <button
            type="button"
            class="btn box"
            disabled={app.studying()}
            title={tooltip(`Run to the next ${sayWanted(app.wanted())}`, 'run-to')}
            onClick={() => app.runTo()}
          >
            Run to <b>next {sayWanted(app.wanted())}</b>
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
        <Show when={!app.progress()}>
          <button
            type="button"
            class="btn box desk"
            title={tooltip('Keep this run as it is and go on in another one', 'branch')}
            onClick={() => void app.branch()}
          >
            Branch here
          </button>
        </Show>
        <Show when={app.namedRuns().all.length > 0}>
          <Flyout
            label="Runs of this scenario"
            name={`Runs ${app.namedRuns().all.length} of this scenario`}
            class="btn box"
            trigger={
              <>
                Runs <b>{app.namedRuns().all.length}</b>
                <Icon name="down" />
              </>
            }
          >
            {() => <LazyPart app={app} what="The list of runs" load={() => import('./Runs.tsx')} />}
          </Flyout>
        </Show>
        <Switch fallback={<NoticeLine app={app} />}>
          <Match when={app.progress()}>
            {(progress) => (
              <span class="errand">
                <span role="status">{sayErrand(progress().errand, (us) => clock(us))}</span>{' '}
                <Show when={progress().share !== undefined}>
                  <progress aria-label="Done" max={1} value={progress().share ?? 0} /> <b>{percent(progress())}</b>
                </Show>{' '}
                <button type="button" class="btn box" onClick={() => app.pause()}>
                  Cancel
                </button>
              </span>
            )}
          </Match>
          <Match when={app.frame()?.trouble}>
            {(trouble) => (
              <span class="trouble wa" title={trouble()}>
                {trouble()}
              </span>
            )}
          </Match>
        </Switch>
        <Speed app={app} asked={asked} got={got} />
      </div>
    </section>
  );
}

/** The buttons that move the run: to its start, back, on, by a step, to its end. */
function Steps(props: { app: App }): JSX.Element {
  const app = props.app;
  /** What the large button does now. */
  const doing = (): 'Stop' | 'Pause' | 'Play' => (app.progress() ? 'Stop' : app.playsOn() ? 'Pause' : 'Play');
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
      disabled={app.studying()}
      title={tooltip(step.title ?? step.name, step.key)}
      onClick={() => void step.does()}
    >
      <Icon name={step.icon} />
    </button>
  );
  return (
    <>
      <Step name="Restart" key="restart" icon="start" does={app.restart} />
      <Step name="Step back" title="Step back to the event before" key="step-back" icon="back" does={app.stepBack} />
      <button
        type="button"
        class="play"
        aria-label={doing()}
        disabled={app.studying()}
        title={tooltip(doing(), 'play')}
        onClick={() => void app.toggle()}
      >
        <Icon name={doing() === 'Stop' ? 'stop' : doing() === 'Pause' ? 'pause' : 'play'} />
      </button>
      <Step name="Step one event" key="step-event" icon="event" does={() => app.step('event')} />
      <Step name="Step one engine step" key="step-engine" icon="engine" does={() => app.step('engine-step')} />
      <Step name="Run to the end" key="to-end" icon="end" does={app.toEnd} />
    </>
  );
}

/** The speed asked for and the one that was got, and the slider between the speeds. */
function Speed(props: { app: App; asked: Accessor<string>; got: Accessor<string> }): JSX.Element {
  const { app, asked, got } = props;
  return (
    <div class="speed">
      <span class="desk r asked">
        <span class="s">{caption(app.speed())}</span>
        <br />
        <span class="m" classList={{ wa: behind(app.speed(), app.achieved()) }}>
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
            value={[app.speedIndex()]}
            onValueChange={({ value }) => app.setSpeed(value[0] ?? 0)}
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
                      data-on={stop === app.speed() ? '' : undefined}
                      onClick={() => app.setSpeed(SPEEDS.indexOf(stop))}
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

/** The list of occasions, which closes once one was chosen. */
async function runToList(close: () => void): Promise<(props: { app: App }) => JSX.Element> {
  const { default: RunTo } = await import('./RunTo.tsx');
  return (props) => <RunTo app={props.app} onDone={close} />;
}

/** Edits at most that are stops of the tab key; all of them are in the list of changes. */
const MOST_STOPS = 20;

/** The flags of the timeline as controls: each is shown when it has the focus, goes to its instant, and is moved by arrows. */
function FlagStops(props: { app: App; onOpen: (index: number) => void }): JSX.Element {
  const flags = createMemo(() => (props.app.throttledFrame()?.flags ?? []).slice(0, MOST_STOPS), [], {
    equals: (a, b) =>
      a.length === b.length &&
      a.every((f, i) => f.at_us === b[i]?.at_us && f.label === b[i]?.label && f.off === b[i]?.off),
  });
  const key = (event: KeyboardEvent, index: number, atUs: number): void => {
    const { app } = props;
    const step = (app.frame()?.axis_end_us ?? 0) / (event.shiftKey ? 2000 : 200);
    const acts: Readonly<Record<string, () => unknown>> = {
      ArrowLeft: () => app.moveEdit(index, atUs - step),
      ArrowRight: () => app.moveEdit(index, atUs + step),
      Delete: () => app.removeEdit(index),
      Backspace: () => app.removeEdit(index),
      x: () => app.switchEdit(index),
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
            onClick={() => void props.app.seek(flag().at_us / 1e6)}
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

/** The instant to go to, typed: what is no time stays, and says so. */
function TimeField(props: { app: App }): JSX.Element {
  const [wrong, setWrong] = createSignal(false);
  const go = (input: HTMLInputElement): void => {
    const text = input.value.trim().replaceAll(',', '');
    if (text === '') {
      setWrong(false);
      return;
    }
    const seconds = secondsOf(text);
    const end = props.app.frame()?.horizon_us ?? 0;
    const fits = seconds !== undefined && (end === 0 || seconds * 1e6 <= end) && seconds <= 2 ** 32;
    setWrong(!fits);
    if (!fits || seconds === undefined) return;
    input.value = '';
    // The keys are those of the page again.
    input.blur();
    void props.app.seek(seconds);
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
        placeholder={wrong() ? 'no such time' : 'time'}
        inputmode="decimal"
        autocomplete="off"
        size={7}
        onInput={() => setWrong(false)}
        onChange={(event) => go(event.currentTarget)}
      />
      <Show when={wrong()}>
        <span class="wa" role="alert">
          from 0 to {plain((props.app.frame()?.horizon_us || 2 ** 32 * 1e6) / 1e6)} s
        </span>
      </Show>
    </label>
  );
}
