// Play, step, speed, clock and the scrubber.
import { Menu } from '@ark-ui/solid/menu';
import { Slider } from '@ark-ui/solid/slider';
import { createMemo, createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import { Portal } from 'solid-js/web';
import { clock, plain, secondsOf, speed as speedText } from '../base/units.ts';
import { Scrubber } from '../charts/Scrubber.tsx';
import { Icon } from '../draw/glyphs.tsx';
import type { StepKind } from '../generated/boundary.ts';
import type { App } from '../state/app.ts';
import { type Progress, sayErrand } from '../state/errand.ts';
import { tooltip } from '../state/shortcuts.ts';
import { behind, caption, LABELLED, SPEEDS } from '../state/speeds.ts';
import { NoticeLine } from './Notices.tsx';

const RUN_TO: readonly { readonly kind: StepKind; readonly label: string }[] = [
  { kind: 'arrival', label: 'next arrival' },
  { kind: 'completion', label: 'next completion' },
  { kind: 'preemption', label: 'next preemption' },
];

export function Transport(props: { app: App }): JSX.Element {
  const app = props.app;
  const end = createMemo(() => {
    const horizon = app.frame()?.horizon_us ?? 0;
    return horizon > 0 ? `of ${plain(horizon / 1e6)} s` : 's';
  });
  /** What the large button does now. */
  const doing = (): 'Stop' | 'Pause' | 'Play' => (app.progress() ? 'Stop' : app.playsOn() ? 'Pause' : 'Play');
  const asked = createMemo(() => speedText(app.speed()));
  const got = createMemo(() => (app.playing() && app.achieved() > 0 ? speedText(app.achieved()) : '–'));
  return (
    <section class="foot" aria-label="Transport">
      <Scrubber
        data={app.data().health}
        frame={app.frame()}
        warmUpS={app.warmUpS()}
        anomalies={app.anomalies()}
        onAnomaly={(mark) => void app.showAnomaly(mark)}
        onSeek={(us) => void app.seek(us / 1e6)}
        onSeekBy={app.seekBy}
      />
      <div class="ctl">
        <FlagStops app={app} />
        <button
          type="button"
          class="btn sq"
          aria-label="Restart"
          title={tooltip('Restart', 'restart')}
          onClick={() => void app.restart()}
        >
          <Icon name="start" />
        </button>
        <button
          type="button"
          class="btn sq"
          aria-label="Step back"
          title={tooltip('Step back to the event before', 'step-back')}
          onClick={() => void app.stepBack()}
        >
          <Icon name="back" />
        </button>
        <button
          type="button"
          class="play"
          aria-label={doing()}
          title={tooltip(doing(), 'play')}
          onClick={() => void app.toggle()}
        >
          <Icon name={doing() === 'Stop' ? 'stop' : doing() === 'Pause' ? 'pause' : 'play'} />
        </button>
        <button
          type="button"
          class="btn sq"
          aria-label="Step one event"
          title={tooltip('Step one event', 'step-event')}
          onClick={() => app.step('event')}
        >
          <Icon name="event" />
        </button>
        <button
          type="button"
          class="btn sq"
          aria-label="Step one engine step"
          title={tooltip('Step one engine step', 'step-engine')}
          onClick={() => app.step('engine-step')}
        >
          <Icon name="engine" />
        </button>
        <button
          type="button"
          class="btn sq"
          aria-label="Run to the end"
          title={tooltip('Run to the end', 'to-end')}
          onClick={() => app.toEnd()}
        >
          <Icon name="end" />
        </button>
        <span class="clock" role="timer" aria-label="Simulated time">
          {clock(app.frame()?.now_us ?? 0)} <small>{end()}</small>
          <small class="phone-only">
            <Show when={app.progress()} fallback={`${asked()} · got ${got()}`}>
              {(progress) => underWay(progress())}
            </Show>
          </small>
        </span>
        <TimeField app={app} />
        <Menu.Root
          onSelect={({ value }) => {
            const kind = RUN_TO.find((r) => r.kind === value)?.kind;
            if (kind) app.step(kind);
          }}
        >
          <Menu.Trigger class="btn box run-to">
            Run to <b>next…</b>
            <Icon name="down" />
          </Menu.Trigger>
          <Portal>
            <Menu.Positioner>
              <Menu.Content class="menu" aria-label="Run to">
                <For each={RUN_TO}>
                  {(item) => (
                    <Menu.Item class="menu-item" value={item.kind}>
                      {item.label}
                    </Menu.Item>
                  )}
                </For>
              </Menu.Content>
            </Menu.Positioner>
          </Portal>
        </Menu.Root>
        <Switch fallback={<NoticeLine app={app} />}>
          <Match when={app.progress()}>
            {(progress) => (
              <span class="errand">
                <span role="status">{sayErrand(progress().errand, (us) => clock(us))}</span>{' '}
                <Show when={progress().share !== undefined}>
                  <progress aria-label="Done" max={1} value={progress().share ?? 0} /> {percent(progress())}
                </Show>{' '}
                <button type="button" class="btn box" onClick={() => app.pause()}>
                  Cancel
                </button>
              </span>
            )}
          </Match>
          <Match when={app.frame()?.trouble}>{(trouble) => <span class="trouble wa">{trouble()}</span>}</Match>
        </Switch>
        <div class="speed">
          <span class="desk r asked">
            <span class="s">{caption(app.speed())}</span>
            <br />
            <span class="m" classList={{ wa: behind(app.speed(), app.achieved()) }}>
              asked {asked()} · got <b>{got()}</b>
            </span>
          </span>
          <Slider.Root
            class="slider"
            min={0}
            max={SPEEDS.length - 1}
            step={1}
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
          </Slider.Root>
        </div>
      </div>
    </section>
  );
}

/** Edits at most that are stops of the tab key; all of them are in the list of changes. */
const MOST_STOPS = 20;

/** The flags of the timeline as controls: each is shown when it has the focus, and goes to its instant. */
function FlagStops(props: { app: App }): JSX.Element {
  const flags = createMemo(() => (props.app.throttledFrame()?.flags ?? []).slice(0, MOST_STOPS), [], {
    equals: (a, b) => a.length === b.length && a.every((f, i) => f.at_us === b[i]?.at_us && f.label === b[i]?.label),
  });
  return (
    <div class="flag-stops">
      <For each={flags()}>
        {(flag) => (
          <button type="button" class="btn pri" onClick={() => void props.app.seek(flag.at_us / 1e6)}>
            Edit at {clock(flag.at_us)} s: {flag.label}. Go there
          </button>
        )}
      </For>
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
