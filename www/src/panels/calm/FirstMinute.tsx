// The first minute: a line under the stage with one thing to do, which wears the ring; on a phone it stands in the sentence's place.
// Nothing is covered and everything else works meanwhile. Loaded when the minute begins.
import { createEffect, createMemo, createSignal, For, type JSX, onCleanup, Show, untrack } from 'solid-js';
import { createMedia, NARROW_PHONE } from '../../base/media.ts';
import { speed } from '../../base/units.ts';
import type { App } from '../../state/app.ts';
import { tooltip } from '../../state/commands/shortcuts.ts';
import { PRESETS } from '../../state/run/presets.ts';
import { SPEEDS } from '../../state/run/speeds.ts';
import { switchView } from '../../state/view/calm.ts';
import {
  endMinute,
  MINUTE_LINE,
  minute,
  minuteAsked,
  setMinute,
  setMinuteAsked,
  setRing,
  setWasUs,
} from '../../state/view/minute.ts';
import { SAME } from './CalmHead.tsx';
import { firstStep, goOn, isDown, onStage, type Sight, toBreak } from './minuteSteps.ts';
import { type Line, lineOf } from './minuteWords.ts';
import { PlayheadRing } from './PlayheadRing.tsx';
import { routersOf } from './router.ts';
import './firstMinute.css';

type Page = Pick<App, 'transport' | 'document' | 'selection' | 'dialogs'>;

const STEPS = [1, 2, 3, 4] as const;
/** While p99 settles the run plays fast; while a request that moved is to be caught it plays slowly. */
const FAST = SPEEDS.indexOf(5);
const SLOW = SPEEDS.indexOf(0.1);
/** Most lines of the event log that name requests that moved. */
const LINES = 500;

export default function FirstMinute(props: { app: Page }): JSX.Element {
  const { transport } = props.app;
  const phone = createMedia(NARROW_PHONE);
  const routers = routersOf(props.app);
  const sight = (): Sight | undefined => {
    const [figures, frame] = [transport.figuresFrame(), transport.frame()];
    if (!figures || !frame) return undefined;
    return { figures, frame, router: routers.current(), request: props.app.selection.selected().request };
  };
  // The steps are about the opening run.
  createEffect(() => {
    if (props.app.document.presetName() !== PRESETS[0]?.name) endMinute();
  });
  createEffect(() => {
    const now = sight();
    if (!now) return;
    const before = untrack(minute);
    if (before) setMinute(goOn(before, now));
    else if (minuteAsked() && isOpen(now)) {
      setMinuteAsked(false);
      setMinute(firstStep(now));
    }
  });
  const moved = createMoved(props.app);
  const target = createTarget(props.app, moved);
  createGuide(props.app);
  createRing(props.app, target);
  const line = createMemo((): Line | undefined => {
    const [at, now] = [minute(), sight()];
    if (!at || !now) return undefined;
    return lineOf(at, {
      ...now,
      nameOf: routers.nameOf,
      taps: phone(),
      paused: !transport.playsOn(),
      speed: speed(transport.speed()),
      target: toBreak(now.frame),
      moved: moved(),
      onStage: target() !== undefined,
      detail: props.app.selection.detail(),
    });
  });
  onCleanup(() => {
    setRing(undefined);
    setWasUs(undefined);
    // A reader who has opened the work view needs no step any more.
    if (minute()?.step === 5) endMinute();
  });
  return (
    <Show when={minute()}>
      {(at) => (
        <>
          <StepLine app={props.app} step={at().step} line={line()} phone={phone()} />
          <Show when={at().step === 4 && at().fault}>
            {(fault) => <PlayheadRing frame={transport.frame()} toUs={fault().atUs} />}
          </Show>
        </>
      )}
    </Show>
  );
}

/** Whether the numbers on screen are those of the opening instant, or of a later one of the same run. */
const isOpen = ({ figures, frame }: Sight): boolean =>
  figures.now_us >= (PRESETS[0]?.opens_us ?? 0) && figures.now_us <= frame.now_us;

function StepLine(props: { app: Page; step: number; line: Line | undefined; phone: boolean }): JSX.Element {
  const said = (): string => [props.line?.said, props.line?.asks].filter(Boolean).join(' ');
  return (
    <section class="calm-hint minute" aria-label="The first minute">
      <span
        class="minute-dots"
        role="img"
        aria-label={props.step > 4 ? 'All four steps done' : `Step ${props.step} of 4`}
      >
        <For each={STEPS}>
          {(step) => <i data-is={step < props.step ? 'done' : step === props.step ? 'at' : undefined} />}
        </For>
      </span>
      <p id={MINUTE_LINE}>
        <Show when={props.line?.said}>{(words) => <b>{words()}</b>}</Show> {props.line?.asks}
        <Show when={props.line?.link}>
          {(request) => (
            <>
              {' '}
              <button
                type="button"
                class="minute-link"
                onClick={() => props.app.selection.select({ request: request(), replica: undefined })}
              >
                #{request()}
              </button>
            </>
          )}
        </Show>
        <Show when={props.step === 5 && !props.phone}>
          Everything else is one key away: <kbd>W</kbd> opens the instrument, <kbd>W</kbd> brings you back.
        </Show>
      </p>
      <Spoken step={props.step} said={said()} />
      <Show
        when={props.step === 5}
        fallback={
          <button type="button" class="btn" title={tooltip('Skip the steps', 'leave')} onClick={endMinute}>
            Skip
          </button>
        }
      >
        <button
          type="button"
          class="btn pri"
          title={tooltip('Open the whole page', 'view')}
          onClick={() => {
            endMinute();
            switchView();
          }}
        >
          Open the instrument
        </button>
      </Show>
    </section>
  );
}

/** Says the line when it changes in more than its numbers, which go on. */
function Spoken(props: { step: number; said: string }): JSX.Element {
  const [spoken, setSpoken] = createSignal('');
  createEffect(() => {
    const words = props.step === 5 ? `${SAME} Done. W opens the instrument, W brings you back.` : props.said;
    const without = (text: string): string => text.replace(/→\s[\d.,]+\s\S+/u, '');
    if (without(words) !== without(untrack(spoken))) setSpoken(words);
  });
  return (
    <span class="visually-hidden" role="status">
      {spoken()}
    </span>
  );
}

/** The requests whose attempts the fault broke: those whose answer had begun come first. */
function createMoved({ selection }: Page): () => readonly number[] {
  const [moved, setMoved] = createSignal<readonly number[]>([]);
  const fault = createMemo(() => minute()?.fault, undefined, {
    equals: (a, b) => a?.atUs === b?.atUs && a?.replica === b?.replica,
  });
  createEffect(() => {
    const of = fault();
    setMoved([]);
    if (!of) return;
    void selection.events({ kinds: ['broken'], replica: of.replica, limit: LINES }).then(
      ({ rows }) => {
        if (fault() !== of) return;
        const its = rows.filter((row) => row.at_us >= of.atUs);
        const begun = its.toSorted(
          (a, b) => Number(/\b0 tokens shown/u.test(a.text)) - Number(/\b0 tokens shown/u.test(b.text)),
        );
        setMoved([...new Set(begun.flatMap((row) => row.request ?? []))]);
      },
      () => {},
    );
  });
  return moved;
}

/** The request on the stage to click; it stays the same as long as it is there. */
function createTarget({ transport }: Page, moved: () => readonly number[]): () => number | undefined {
  return createMemo((before: number | undefined) => {
    const at = minute();
    const stage = transport.writtenFrame();
    // The stage follows the latest frame, and may still be of before the fault.
    if (at?.step !== 3 || !stage || stage.now_us <= (at.fault?.atUs ?? 0)) return undefined;
    return onStage(stage, before === undefined ? moved() : [before, ...moved()])?.request;
  });
}

/** Sets the speed while a step waits for its number or a request is to be caught, and then the one before. */
function createGuide({ transport }: Page): void {
  const wanted = createMemo(() => {
    const at = minute();
    return at?.step === 1 && at.changedUs !== undefined ? FAST : at?.step === 3 ? SLOW : undefined;
  });
  let before: number | undefined;
  let own: number | undefined;
  const back = (): void => {
    // A speed that the reader chose meanwhile stays.
    if (before !== undefined && transport.speedIndex() === own) transport.setSpeed(before);
    before = undefined;
  };
  createEffect(() => {
    const next = wanted();
    untrack(() => {
      back();
      if (next === undefined) return;
      before = transport.speedIndex();
      own = next;
      transport.setSpeed(next);
    });
  });
  onCleanup(() => untrack(back));
}

/** What wears the ring, and the value that stands grey before p99. */
function createRing({ transport }: Page, target: () => number | undefined): void {
  createEffect(() => {
    const at = minute();
    const paused = !transport.playsOn();
    const waits = transport.frame()?.replicas.some((r) => isDown(transport.frame(), r.id)) ?? false;
    setWasUs(at === undefined ? undefined : wasOf());
    if (at?.step === 1) setRing(at.changedUs === undefined ? { on: 'router' } : paused ? { on: 'play' } : undefined);
    else if (at?.step === 2)
      setRing(waits ? (paused ? { on: 'play' } : undefined) : { on: 'break', id: toBreak(transport.frame()) });
    else if (at?.step === 3) setRing(target() === undefined ? undefined : { on: 'request', id: target() });
    else setRing(at?.step === 4 ? { on: 'playhead' } : undefined);
  });
  function wasOf(): number | undefined {
    const at = minute();
    if (at?.step === 1) return at.changedUs === undefined ? (at.worse ? at.fromUs : undefined) : at.beforeUs;
    if (at?.step === 2) return at.fromUs;
    return at?.step === 4 && isDown(transport.figuresFrame(), at.fault?.replica) ? at.beforeUs : undefined;
  }
}
