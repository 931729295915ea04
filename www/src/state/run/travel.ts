// Movement of the run: play, steps, seeks to instants and occasions, and the speed.
import { type Accessor, createMemo, createSignal, type Setter } from 'solid-js';
import type { NoteTarget } from '../../base/note.ts';
import type { Selection } from '../../base/view.ts';
import type { AnomalyMark, Frame, StepKind } from '../../generated/boundary.ts';
import { type Client, ignoreLost } from '../../sim/client.ts';
import type { Mode } from '../../sim/protocol.ts';
import type { Notice } from '../notices/notices.ts';
import { firstWanted, sayWanted, type Wanted } from './occasions.ts';
import { FASTEST, FIRST_SPEED, SPEEDS } from './speeds.ts';
import type { Progress, RunTarget } from './target.ts';

const END_OF_TIME = Number.MAX_SAFE_INTEGER;
/** After this time, an unfinished seek is replaced by a later one. */
const GIVES_WAY_MS = 50;
/** Frames per second for the step by a frame, which goes as far as play does in one frame. */
const FRAMES_PER_S = 60;

/** The part of the page's state used to move the run. */
type Surroundings = {
  readonly client: () => Client;
  readonly frame: Accessor<Frame | undefined>;
  readonly mode: Accessor<Mode>;
  readonly setMode: Setter<Mode>;
  readonly progress: () => Progress | undefined;
  readonly setTarget: (target: RunTarget) => void;
  readonly setNotice: Setter<Notice | undefined>;
  readonly select: (selection: Selection) => void;
  /** Shows the stage if it has its own tab. */
  readonly showStage: () => void;
};

export type Travel = ReturnType<typeof createTravel>;

export function createTravel(page: Surroundings) {
  const { client, frame, mode, setMode, progress } = page;
  const [speedIndex, setSpeedIndex] = createSignal(FIRST_SPEED);
  const speed: Accessor<number> = createMemo(() => SPEEDS[speedIndex()] ?? 1);
  /** Whether the run plays, or will play once it has reached its target. */
  const [playsOn, setPlaysOn] = createSignal(false);
  const { arrived, forget, seek, ...way } = createWay(page);

  function onFrame(next: Frame): void {
    arrived(next);
    if (mode() === 'playing') setPlaysOn(true);
    else if (mode() !== 'seeking') setPlaysOn(false);
  }

  /** Forgets the target of the run. */
  function stop(): void {
    forget();
    setPlaysOn(false);
  }

  async function toggle(): Promise<void> {
    // A button labelled "Stop" stops, one labelled "Pause" pauses: neither ever starts play.
    if (progress() !== undefined || playsOn()) {
      pause();
      return;
    }
    if (frame()?.finished) await seek(0);
    setPlaysOn(true);
    if (mode() !== 'seeking') setMode('playing');
    client().play(speed());
  }

  /** Stops everything under way: play, a seek, a search for an event. */
  function pause(): void {
    stop();
    client().pause();
  }

  function setSpeed(index: number): void {
    setSpeedIndex(Math.max(0, Math.min(SPEEDS.length - 1, index)));
    if (playsOn()) client().play(speed());
  }

  const pauseIfPlaying = (): void => {
    if (playsOn()) pause();
  };
  /** Steps by one frame at the set speed, ahead or back. */
  function stepFrame(direction: 1 | -1): void {
    pauseIfPlaying();
    const perSecond = Number.isFinite(speed()) ? speed() : FASTEST;
    way.seekBy((direction * perSecond * 1e6) / FRAMES_PER_S);
  }

  const steps = createSteps(page, pauseIfPlaying);
  const play = { speed, speedIndex, setSpeed, playsOn, onFrame, stop, toggle, pause, stepFrame };
  return { ...play, seek, ...way, ...steps, ...createVisits(page, pause, seek) };
}

/** A seek to an instant, ahead or back. */
function createWay({ client, frame, mode, setTarget }: Surroundings) {
  /** The target of the run, until a frame has come from there. */
  let aimUs: number | undefined;
  let seekTo: number | undefined;
  let seeking: Promise<void> | undefined;

  /** Goes to an instant, ahead or back. */
  function seek(timeS: number): Promise<void> {
    seekTo = Math.max(0, Math.round(timeS * 1e6));
    aimUs = seekTo;
    // A dragged playhead seeks often; only the latest target matters.
    seeking ??= seekOn().finally(() => {
      seeking = undefined;
    });
    return seeking;
  }

  async function seekOn(): Promise<void> {
    while (seekTo !== undefined) {
      const untilUs: number = seekTo;
      seekTo = undefined;
      setTarget({ kind: 'instant', toUs: untilUs });
      const reached = client().seek(untilUs).catch(ignoreLost);
      // A later seek replaces a slow one.
      for (let there = false; !there && seekTo === undefined; )
        there = await Promise.race([reached.then(() => true), waited(GIVES_WAY_MS)]);
    }
  }

  /** Seeks relative to the target of a seek under way or the present instant, so that each of several keys counts. */
  function seekBy(us: number): void {
    const now = frame()?.now_us ?? 0;
    const from = aimUs ?? now;
    const end = frame()?.axis_end_us ?? 0;
    void seek(Math.min(Math.max(0, from + us), Math.max(end, now)) / 1e6);
  }

  function toEnd(): void {
    setTarget({ kind: 'instant', toUs: END_OF_TIME });
    client().seek(END_OF_TIME).catch(ignoreLost);
  }

  return {
    seek,
    seekBy,
    toEnd,
    aim: () => aimUs,
    /** Called with the target of a rebuild before it begins. */
    onWay: (toUs: number) => {
      aimUs = toUs;
      setTarget({ kind: 'instant', toUs });
    },
    /** Handles a frame, which may be from the target of the run. */
    arrived: (next: Frame) => {
      if (next.now_us === aimUs || next.finished || ['playing', 'stepping'].includes(mode())) aimUs = undefined;
    },
    forget: () => {
      seekTo = undefined;
      aimUs = undefined;
    },
  };
}

/** Stops at an instant and shows the related view. */
function createVisits(page: Surroundings, pause: () => void, seek: (timeS: number) => Promise<void>) {
  const { setMode, select } = page;

  async function restart(): Promise<void> {
    pause();
    setMode('paused');
    await seek(0);
  }

  /** Stops at the beginning of an anomaly and shows its request and replica. */
  async function showAnomaly(mark: AnomalyMark): Promise<void> {
    await visit({ timeS: mark.at_us / 1e6, request: mark.request, replica: mark.replica });
  }

  /** Stops at an instant and shows a request or replica, if one is given. */
  async function visit({ timeS, request, replica }: NoteTarget): Promise<void> {
    pause();
    setMode('paused');
    if (timeS !== undefined) await seek(timeS);
    if (request !== undefined || replica !== undefined) select({ request, replica });
    else page.showStage();
  }

  return { restart, showAnomaly, visit };
}

/** Steps by events, and runs to occasions. */
function createSteps({ client, frame, setTarget, setNotice, select }: Surroundings, pauseIfPlaying: () => void) {
  /** The latest occasion that the run was run to. */
  const [wanted, setWanted] = createSignal(firstWanted());

  function step(kind: StepKind): void {
    setTarget({ kind: 'event', step: kind, back: false });
    client()
      .step(kind)
      .then(({ stop, nowUs }) => (stop === 'until' && kind === 'event' ? tellStep(nowUs) : undefined))
      .catch(ignoreLost);
  }

  /** Shows what has just happened. An existing problem or offer stays. */
  async function tellStep(nowUs: number): Promise<void> {
    const { stepSaid } = await import('../notices/stepResult.ts');
    const text = await stepSaid(client(), nowUs);
    setNotice((now) => (now === undefined || now.kind === 'info' ? { kind: 'info', text, diagnostics: [] } : now));
  }

  /** Runs to the next time of an occasion, by default the one chosen last. If it does not come, the run stays. */
  async function runTo(occasion: Wanted = wanted()): Promise<void> {
    setWanted(occasion);
    setTarget({ kind: 'occasion', what: sayWanted(occasion) });
    const { stop, nowUs } = await client().runTo(occasion.occasion);
    if (stop === 'events') return;
    const { noneSaid, requestOf } = await import('../notices/stepResult.ts');
    if (stop === 'finished') {
      setNotice({ kind: 'info', text: noneSaid(occasion, frame()), diagnostics: [] });
      return;
    }
    const request = await requestOf(client(), occasion, nowUs);
    if (request !== undefined) select({ request, replica: undefined });
  }

  /** Steps back, one key after the other: each starts at the result of the previous one. */
  let backs: Promise<void> = Promise.resolve();
  function stepBack(kind: StepKind = 'event'): Promise<void> {
    pauseIfPlaying();
    backs = backs.then(async () => {
      setTarget({ kind: 'event', step: kind, back: true });
      await client().step(kind, true);
    });
    backs = backs.catch(ignoreLost);
    return backs;
  }

  return { step, wanted, runTo: (occasion?: Wanted) => void runTo(occasion).catch(ignoreLost), stepBack };
}

function waited(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms));
}
