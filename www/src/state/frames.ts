// What comes in from the simulation: each frame as it comes, and as often as its numbers can be read.
import { type Accessor, batch, createSignal } from 'solid-js';
import { known, sameMarks } from '../base/anomalies.ts';
import { paintApart } from '../base/paints.ts';
import type { Selection } from '../base/view.ts';
import type { AnomalyMark, Evidence, Frame } from '../generated/boundary.ts';
import { type Client, ignoreLost } from '../sim/client.ts';
import { type Mode, type RunId, sameRun } from '../sim/protocol.ts';
import { createChartData } from './chartData.ts';
import { detailFor } from './detail.ts';

const DETAILS_MS = 250;
/** Frames so far apart, of a slow machine or with reduced motion, are too few to part the work among them: each brings all that is due. */
const SELDOM_MS = 150;

/** What of the page's state the frames depend on. */
type Surroundings = {
  readonly client: () => Client;
  readonly speed: Accessor<number>;
  readonly selected: Accessor<Selection>;
  /** The edits of the run in the words of the form, in their order; the core names fields as the document does. */
  readonly flagWords: Accessor<readonly string[]>;
  /** Runs with each frame, in the same batch. */
  readonly onFrame: (frame: Frame) => void;
  /** Speaks of a frame: whether it rests, and the name of its run, edits and instant. */
  readonly speak: (frame: Frame, rests: boolean, what: string) => void;
  /** Asks for the selected request again. */
  readonly refreshDetail: () => void;
};

export function createFrames({ client, speed, selected, flagWords, onFrame, speak, refreshDetail }: Surroundings) {
  const [frame, setFrame] = createSignal<Frame>();
  const [mode, setMode] = createSignal<Mode>('paused');
  const [achieved, setAchieved] = createSignal(0);
  /** The anomalies of the frame, and those ahead that the same run is known to come to. */
  const [anomalies, setAnomalies] = createSignal<readonly AnomalyMark[]>([], { equals: sameMarks });
  /** The run whose anomalies are remembered. */
  let knownId: RunId = { run: 0, edit: 0 };
  let replicas = 0;
  let latestMs = 0;
  const { data, ...charts } = createChartData({ client, speed, frame, mode, run: () => knownId.run });
  const { reads, told, read, ...reading } = createReading(client, refreshDetail);

  function show(came: Frame, id: RunId, nextMode: Mode, speedNow: number): void {
    const words = flagWords();
    const next: Frame = { ...came, flags: came.flags.map((flag, i) => ({ ...flag, label: words[i] || flag.label })) };
    if (frame() === undefined) performance.mark('first-frame');
    if (next.replicas.length !== replicas) {
      replicas = next.replicas.length;
      focusOn();
    }
    const moved = mode() !== 'paused';
    batch(() => {
      // What another document gave says nothing about this one, and would hold its axes.
      if (id.run !== knownId.run) charts.clear();
      setFrame(next);
      setMode(nextMode);
      setAchieved(speedNow);
      onFrame(next);
      // What lay ahead in another run, or in this one before an edit, says nothing about this one.
      setAnomalies((before) => known(sameRun(id, knownId) ? before : [], next));
    });
    knownId = id;
    refresh(next, nextMode === 'paused', moved);
  }

  /** The replica that is selected is told in full, however many there are. */
  function focusOn(): void {
    if (replicas > 0) client().setDetail(detailFor(replicas, selected().replica));
  }

  /** Charts follow the frames at a pace of their own, on the way to an instant too; a frame of a resting run brings all of them up to date. */
  function refresh(at: Frame, all: boolean, moved: boolean): void {
    const now = performance.now();
    const seldom = moved && now - latestMs >= SELDOM_MS;
    latestMs = now;
    const due = reads(all, now);
    if (due) told(at);
    // What is read goes on screen in the display frames after this one while playing: all of it and the stage in one would take too long.
    if (all || seldom || !due) charts.refresh(all ? 'all' : seldom ? 'due' : 'one', now);
    speak(at, mode() === 'paused', `${knownId.run} ${knownId.edit} ${at.now_us}`);
    if (due) read(all);
  }

  return { frame, mode, setMode, achieved, data, anomalies, show, focusOn, ...reading };
}

/** The frame as often as its numbers can be read, part by part in display frames of their own. */
function createReading(client: () => Client, refreshDetail: () => void) {
  /** The frame whose figures are told, as often as they can be read: on the stage at once, everywhere else in the next display frames. */
  const [toldFrame, setToldFrame] = createSignal<Frame>();
  /** The same for the key figures and the heads of the charts, a display frame before. */
  const [figuresFrame, setFiguresFrame] = createSignal<Frame>();
  /** The frame as often as numbers can be read. */
  const [throttledFrame, setThrottledFrame] = createSignal<Frame>();
  /** Counts the refreshes of what is asked for on demand, so that lists know when to ask again. */
  const [refreshTick, setRefreshTick] = createSignal(0);
  const [evidence, setEvidence] = createSignal<Evidence>();
  let dueMs = 0;

  /** What the numbers rest on: asked anew with every run and edit, and as the batches grow. */
  function refreshEvidence(): void {
    client()
      .evidence()
      .then(
        (found) => setEvidence((before) => (JSON.stringify(before) === JSON.stringify(found) ? before : found)),
        ignoreLost,
      );
  }

  /** All numbers, words and tables but the key figures come up to date. */
  function readRest(): void {
    setRefreshTick((n) => n + 1);
    setThrottledFrame(figuresFrame());
    refreshDetail();
    refreshEvidence();
  }

  return {
    toldFrame,
    figuresFrame,
    throttledFrame,
    refreshTick,
    evidence,
    /** Whether the numbers are to be read now; then not again for a while. */
    reads(all: boolean, now: number): boolean {
      if (!all && now < dueMs) return false;
      dueMs = now + DETAILS_MS;
      return true;
    },
    told: (next: Frame): void => void setToldFrame(next),
    read(all: boolean): void {
      if (all) {
        batch(() => {
          setFiguresFrame(toldFrame());
          readRest();
        });
        return;
      }
      paintApart(() => {
        setFiguresFrame(toldFrame());
        paintApart(readRest);
      });
    },
  };
}
