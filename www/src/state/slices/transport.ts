// The position of the run: frames and values read from them, and the movement of the run.
import { type Accessor, createMemo, createSignal } from 'solid-js';
import { isPhone } from '../../base/media.ts';
import type { NoteTarget } from '../../base/note.ts';
import { atPaint } from '../../base/paints.ts';
import type { ChartData, FlagWords } from '../../base/view.ts';
import type { AnomalyMark, Evidence, Frame, StepKind } from '../../generated/boundary.ts';
import type { Client } from '../../sim/client.ts';
import type { Mode } from '../../sim/protocol.ts';
import { createSpeaker } from '../notices/liveRegion.ts';
import { createFrames } from '../run/frames.ts';
import type { Wanted } from '../run/occasions.ts';
import { createTarget, type Progress } from '../run/target.ts';
import { createTravel, type Travel } from '../run/travel.ts';
import type { DialogsSlice } from './dialogs.ts';
import type { createSelection } from './selection.ts';

export type Loading = { readonly bytes: number; readonly of: number };

export type TransportSlice = {
  /** How much of the simulation's module has come, and of how many bytes, while the page waits for it. */
  readonly loading: Accessor<Loading | undefined>;
  /** The version of the simulation's module. */
  readonly version: Accessor<string>;
  readonly frame: Accessor<Frame | undefined>;
  /** Whether another run is on its way to the screen, whose document is there already. */
  readonly turning: Accessor<boolean>;
  /** The instant that it opens at, in microseconds, while it is on its way. */
  readonly turnsTo: Accessor<number | undefined>;
  /** The frame of the figures on the stage. */
  readonly writtenFrame: Accessor<Frame | undefined>;
  /** The frame of the key figures and the heads of the charts. */
  readonly figuresFrame: Accessor<Frame | undefined>;
  /** The frame, throttled to a readable rate. */
  readonly throttledFrame: Accessor<Frame | undefined>;
  /** Counts refreshes, so that lists requested on demand know when to ask again. */
  readonly refreshTick: Accessor<number>;
  /** The data of the charts. */
  readonly data: Accessor<ChartData>;
  readonly anomalies: Accessor<readonly AnomalyMark[]>;
  /** The basis of the numbers. */
  readonly evidence: Accessor<Evidence | undefined>;
  readonly mode: Accessor<Mode>;
  readonly playing: Accessor<boolean>;
  /** Whether the run plays, or will play once it has reached its target. */
  readonly playsOn: Accessor<boolean>;
  /** Work under way that takes long. */
  readonly progress: () => Progress | undefined;
  readonly speed: Accessor<number>;
  readonly speedIndex: Accessor<number>;
  readonly setSpeed: (index: number) => void;
  /** The speed of the run, in simulated seconds per wall second. */
  readonly achieved: Accessor<number>;
  readonly toggle: () => Promise<void>;
  readonly pause: () => void;
  readonly restart: () => Promise<void>;
  readonly toEnd: () => void;
  readonly seek: (timeS: number) => Promise<void>;
  readonly seekBy: (us: number) => void;
  readonly step: (kind: StepKind) => void;
  readonly stepBack: (kind?: StepKind) => Promise<void>;
  readonly stepFrame: (direction: 1 | -1) => void;
  /** The latest occasion that the run was run to. */
  readonly wanted: Accessor<Wanted>;
  readonly runTo: (occasion?: Wanted) => void;
  readonly showAnomaly: (mark: AnomalyMark) => Promise<void>;
  readonly visit: (target: NoteTarget) => Promise<void>;
  readonly reducedMotion: Accessor<boolean>;
  readonly setReducedMotion: (on: boolean) => void;
};

type Surroundings = {
  readonly client: () => Client;
  readonly selection: ReturnType<typeof createSelection>;
  readonly dialogs: DialogsSlice;
  /** Runs with each frame, in the same batch. */
  readonly onFrame: (frame: Frame) => void;
  readonly editsPassed: () => number;
  readonly flagWords: () => readonly FlagWords[];
};

export function createTransport({ client, selection, dialogs, onFrame, editsPassed, flagWords }: Surroundings) {
  const { select, selected, setPhoneTab, refreshDetail } = selection;
  const [version, setVersion] = createSignal('');
  const [loaded, setLoaded] = createSignal<Loading>();
  /** Whether the run on screen is a recording that waits for the simulation. */
  const [waits, setWaits] = createSignal(false);
  const [reducedMotion, setReducedMotion] = createSignal(false);
  const speak = createSpeaker(dialogs.tell);
  const frames = createFrames({
    client,
    speed: () => travel.speed(),
    selected,
    flagWords,
    onFrame: (next) => {
      onFrame(next);
      travel.onFrame(next);
    },
    speak: (frame, rests, what) => {
      if (dialogs.speaks()) speak(frame, editsPassed(), rests, what);
    },
    refreshDetail,
  });
  const { frame, mode, setMode } = frames;
  const { progress, setTarget } = createTarget(frame, mode);
  const travel: Travel = createTravel({
    client,
    frame,
    mode,
    setMode,
    progress,
    setTarget,
    setNotice: dialogs.setNotice,
    select,
    showStage: () => {
      if (isPhone()) setPhoneTab('stage');
    },
  });
  const loading = (): Loading | undefined => (waits() || frame() === undefined ? loaded() : undefined);
  const playing = createMemo(() => mode() === 'playing');
  /** Runs when the next frame is drawn; rarely if the user prefers reduced motion. */
  const pace = (callback: () => void): void => {
    if (reducedMotion() && playing()) setTimeout(callback, 500);
    else atPaint(callback);
  };
  return {
    ...frames,
    ...travel,
    loading,
    setLoaded,
    setWaits,
    version,
    setVersion,
    progress,
    playing,
    pace,
    reducedMotion,
    setReducedMotion,
  };
}
