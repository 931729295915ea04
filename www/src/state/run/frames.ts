// Frames from the simulation: each frame as it comes, and throttled ones for numbers to read.
import { type Accessor, batch, createSignal } from 'solid-js';
import { known, sameMarks } from '../../base/anomalies.ts';
import { paintApart } from '../../base/paints.ts';
import { runChanged } from '../../base/runChange.ts';
import { type FlagWords, type Selection, saidFlag } from '../../base/view.ts';
import type { AnomalyMark, Evidence, Frame } from '../../generated/boundary.ts';
import { type Client, ignoreLost } from '../../sim/client.ts';
import { type Mode, type RunId, sameRun } from '../../sim/protocol.ts';
import { createChartData } from './chartData.ts';
import { detailFor } from './detail.ts';

const DETAILS_MS = 250;
/**
 * Frames this far apart, on a slow machine or with reduced motion, are too few to divide work among them: each handles
 * all that is due.
 */
const SELDOM_MS = 150;

/** The part of the page's state that frames depend on. */
type Surroundings = {
  readonly client: () => Client;
  readonly speed: Accessor<number>;
  readonly selected: Accessor<Selection>;
  /** The edits of the run in the words of the form, in order; the core names fields as in the document. */
  readonly flagWords: Accessor<readonly FlagWords[]>;
  /** Runs with each frame, in the same batch. */
  readonly onFrame: (frame: Frame) => void;
  /** Announces a frame: whether it rests, and the name of its run, edits and instant. */
  readonly speak: (frame: Frame, rests: boolean, what: string) => void;
  /** Requests the details of the selected request again. */
  readonly refreshDetail: () => void;
};

export function createFrames({ client, speed, selected, flagWords, onFrame, speak, refreshDetail }: Surroundings) {
  const [frame, setFrame] = createSignal<Frame>();
  const [mode, setMode] = createSignal<Mode>('paused');
  const [achieved, setAchieved] = createSignal(0);
  /** Whether another run than that of the frame is on its way to the screen. */
  const [turnsTo, setTurnsTo] = createSignal<number>();
  /** The anomalies of the frame, and those ahead that the same run is known to come to. */
  const [anomalies, setAnomalies] = createSignal<readonly AnomalyMark[]>([], { equals: sameMarks });
  /** The run whose anomalies are remembered. */
  let knownId: RunId = { run: 0, edit: 0 };
  let replicas = 0;
  let latestMs = 0;
  const { data, ...charts } = createChartData({ client, speed, frame, mode, run: () => knownId.run });
  const { reads, written, read, forget, ...reading } = createReading(client, refreshDetail);

  function show(came: Frame, id: RunId, nextMode: Mode, speedNow: number): void {
    const next = inWords(came, flagWords());
    if (frame() === undefined) performance.mark('first-frame');
    if (next.replicas.length !== replicas) {
      replicas = next.replicas.length;
      focusOn();
    }
    const moved = mode() !== 'paused';
    const turned = id.run !== knownId.run;
    batch(() => {
      if (turned) {
        // Data of another document do not apply to this one, and would hold its axes.
        charts.clear();
        forget(next);
        runChanged();
        setTurnsTo(undefined);
      }
      setFrame(next);
      setMode(nextMode);
      setAchieved(speedNow);
      onFrame(next);
      // Anomalies ahead in another run, or in this one before an edit, do not apply.
      setAnomalies((before) => known(sameRun(id, knownId) ? before : [], next));
    });
    knownId = id;
    refresh(next, nextMode === 'paused' || turned, moved);
  }

  /** The selected replica has full detail, for any number of replicas. */
  function focusOn(): void {
    if (replicas > 0) client().setDetail(detailFor(replicas, selected().replica));
  }

  /** Charts follow frames at their own pace, during a seek too; a frame of a resting run updates all of them. */
  function refresh(at: Frame, all: boolean, moved: boolean): void {
    const now = performance.now();
    const seldom = moved && now - latestMs >= SELDOM_MS;
    latestMs = now;
    const due = reads(all, now);
    if (due) written(at);
    // While playing, texts and numbers are updated in the following display frames: with the stage in one, they would
    // take too long.
    if (all || seldom || !due) charts.refresh(all ? 'all' : seldom ? 'due' : 'one', now);
    speak(at, mode() === 'paused', `${knownId.run} ${knownId.edit} ${at.now_us}`);
    if (due) read(all);
  }

  return {
    ...{ frame, mode, setMode, achieved, data, anomalies, show, focusOn, ...reading },
    turning: () => turnsTo() !== undefined,
    turnsTo,
    /** Another run is on its way to this instant: until its first frame nothing of the run before is shown. */
    awaitRun: (untilUs: number) => void setTurnsTo(frame() === undefined ? undefined : untilUs),
  };
}

/** A frame whose flags have the words of the page. */
function inWords(came: Frame, words: readonly FlagWords[]): Frame {
  return { ...came, flags: came.flags.map((flag, i) => saidFlag(flag, words[i])) };
}

/** The throttled frame, passed on part by part in separate display frames. */
function createReading(client: () => Client, refreshDetail: () => void) {
  /** The throttled frame of figures: on the stage at once, everywhere else in the next display frames. */
  const [writtenFrame, setWrittenFrame] = createSignal<Frame>();
  /** The same for the key figures and the heads of the charts, one display frame earlier. */
  const [figuresFrame, setFiguresFrame] = createSignal<Frame>();
  /** The frame, throttled to a readable rate. */
  const [throttledFrame, setThrottledFrame] = createSignal<Frame>();
  /** Counts refreshes, so that lists requested on demand know when to ask again. */
  const [refreshTick, setRefreshTick] = createSignal(0);
  const [evidence, setEvidence] = createSignal<Evidence>();
  let dueMs = 0;

  /** The basis of the numbers: requested again with every run and edit, and as batches grow. */
  function refreshEvidence(): void {
    client()
      .ask('evidence', null)
      .then(
        (found) => setEvidence((before) => (JSON.stringify(before) === JSON.stringify(found) ? before : found)),
        ignoreLost,
      );
  }

  /** Updates all numbers, words and tables except the key figures. */
  function readRest(): void {
    setRefreshTick((n) => n + 1);
    setThrottledFrame(figuresFrame());
    refreshDetail();
    refreshEvidence();
  }

  return {
    writtenFrame,
    figuresFrame,
    throttledFrame,
    refreshTick,
    evidence,
    /** Whether numbers are due for an update; then not again for a while. */
    reads(all: boolean, now: number): boolean {
      if (!all && now < dueMs) return false;
      dueMs = now + DETAILS_MS;
      return true;
    },
    written: (next: Frame): void => void setWrittenFrame(next),
    /** All numbers are of this frame from now on, the first of another run. */
    forget(next: Frame): void {
      setWrittenFrame(next);
      setFiguresFrame(next);
      setThrottledFrame(next);
    },
    read(all: boolean): void {
      if (all) {
        batch(() => {
          setFiguresFrame(writtenFrame());
          readRest();
        });
        return;
      }
      paintApart(() => {
        setFiguresFrame(writtenFrame());
        paintApart(readRest);
      });
    },
  };
}
