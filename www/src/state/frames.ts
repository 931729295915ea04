// What comes in from the simulation: frames, charts at a pace of their own, the request that is inspected.
import { type Accessor, batch, createSignal } from 'solid-js';
import { known, sameMarks } from '../base/anomalies.ts';
import { paintApart } from '../base/paints.ts';
import { type ChartData, NO_DATA, type Selection, VIEWS } from '../base/view.ts';
import type { AnomalyMark, Evidence, Frame, RequestDetail, View } from '../generated/boundary.ts';
import { type Client, ignoreLost } from '../sim/client.ts';
import { type Mode, type RunId, sameRun } from '../sim/protocol.ts';
import { detailFor } from './detail.ts';
import { sentenceOf, Watcher } from './spoken.ts';

/** Charts are renewed as often as one of their buckets passes, within these bounds. */
const CHARTS_MS = { least: 100, most: 400 } as const;
const BUCKETS = 240;
/** Asked for with each frame while playing, one after the other: each is drawn in a display frame of its own. */
const VIEWS_A_FRAME = 2;
const DISTRIBUTIONS_MS = 250;
/** A chart that takes long to make is renewed the less often: all of them together take a small part of the worker's time. */
const TIMES_ITS_COST = 80;
const DETAILS_MS = 250;
/** Frames so far apart, of a slow machine or with reduced motion, are too few to part the work among them: each brings all that is due. */
const SELDOM_MS = 150;

/** Which charts are renewed: all of them, those whose time has come, or the one of these that has waited longest. */
type Wanted = 'all' | 'due' | 'one';

export type Frames = ReturnType<typeof createFrames>;

/** What of the page's state the frames depend on. */
type Surroundings = {
  readonly client: () => Client;
  readonly speed: Accessor<number>;
  readonly selected: Accessor<Selection>;
  /** How many edits the playhead has passed. */
  readonly editsPassed: Accessor<number>;
  /** Whether changes are spoken by themselves. */
  readonly speaks: Accessor<boolean>;
  /** The edits of the run in the words of the form, in their order; the core names fields as the document does. */
  readonly flagWords: Accessor<readonly string[]>;
  /** Runs with each frame, in the same batch. */
  readonly onFrame: (frame: Frame) => void;
};

export function createFrames({ client, speed, selected, editsPassed, speaks, flagWords, onFrame }: Surroundings) {
  const [frame, setFrame] = createSignal<Frame>();
  const [mode, setMode] = createSignal<Mode>('paused');
  const [achieved, setAchieved] = createSignal(0);
  const [data, setData] = createSignal<ChartData>(NO_DATA);
  const [detail, setDetail] = createSignal<RequestDetail>();
  const [spoken, setSpoken] = createSignal('');
  const [evidence, setEvidence] = createSignal<Evidence>();
  /** Counts the refreshes of what is asked for on demand, so that lists know when to ask again. */
  const [refreshTick, setRefreshTick] = createSignal(0);
  /** The frame whose figures are told, as often as they can be read: on the stage at once, everywhere else in the next display frames. */
  const [toldFrame, setToldFrame] = createSignal<Frame>();
  /** The frame as often as numbers can be read. */
  const [throttledFrame, setThrottledFrame] = createSignal<Frame>();
  /** The same for the key figures and the heads of the charts, a display frame before. */
  const [figuresFrame, setFiguresFrame] = createSignal<Frame>();
  /** The anomalies of the frame, and those ahead that the same run is known to come to. */
  const [anomalies, setAnomalies] = createSignal<readonly AnomalyMark[]>([], { equals: sameMarks });
  /** The run whose anomalies are remembered. */
  let knownId: RunId = { run: 0, edit: 0 };
  const viewsDue = new Map<View, number>();
  let detailsDue = 0;
  /** What was spoken of last: the run, its edits and the instant. A resting run sends further frames of the same. */
  let spokenOf = '';
  const watcher = new Watcher();
  let replicas = 0;
  let asking = false;
  let latestMs = 0;
  /** Whether all charts were wanted while some were being asked for. */
  let allWanted = false;

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
      if (id.run !== knownId.run) setData(NO_DATA);
      setFrame(next);
      setMode(nextMode);
      setAchieved(speedNow);
      onFrame(next);
      // What lay ahead in another run, or in this one before an edit, says nothing about this one.
      setAnomalies((before) => known(sameRun(id, knownId) ? before : [], next));
    });
    knownId = id;
    refresh(nextMode === 'paused', moved);
  }

  /** The replica that is selected is told in full, however many there are. */
  function focusOn(): void {
    if (replicas > 0) client().setDetail(detailFor(replicas, selected().replica));
  }

  /** What the numbers rest on: asked anew with every run and edit, and as the batches grow. */
  function refreshEvidence(): void {
    client()
      .evidence()
      .then(
        (found) => setEvidence((before) => (JSON.stringify(before) === JSON.stringify(found) ? before : found)),
        ignoreLost,
      );
  }

  /** Charts follow the frames at a pace of their own, on the way to an instant too; a frame of a resting run brings all of them up to date. */
  function refresh(all: boolean, moved: boolean): void {
    const now = performance.now();
    const seldom = moved && now - latestMs >= SELDOM_MS;
    latestMs = now;
    const reads = all || now >= detailsDue;
    if (reads) setToldFrame(frame());
    // What is read goes on screen in the display frames after this one while playing: all of it and the stage in one would take too long.
    if (all || seldom || !reads) refreshCharts(all ? 'all' : seldom ? 'due' : 'one', now);
    const at = frame();
    if (at && speaks()) {
      const since = watcher.take(at, editsPassed());
      if (since !== undefined) setSpoken(since);
      const what = `${knownId.run} ${knownId.edit} ${at.now_us}`;
      if (since === undefined && mode() === 'paused' && what !== spokenOf) setSpoken(sentenceOf(at));
      if (mode() === 'paused') spokenOf = what;
    }
    if (!reads) return;
    detailsDue = now + DETAILS_MS;
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
  }

  /** All numbers, words and tables but the key figures come up to date. */
  function readRest(): void {
    setRefreshTick((n) => n + 1);
    setThrottledFrame(figuresFrame());
    refreshDetail();
    refreshEvidence();
  }

  /** Says how the run stands, also when that was said before. */
  function say(): void {
    const at = frame();
    if (!at) return;
    const said = sentenceOf(at);
    // A live region speaks only what differs from before.
    setSpoken((before) => (before === said ? `${said}\u00a0` : said));
  }

  function refreshCharts(wanted: Wanted, now: number, more = VIEWS_A_FRAME - 1): void {
    const all = wanted === 'all';
    // What lies on the way to an instant is not part of its distributions, and would widen their axes.
    const shown = mode() === 'seeking' ? VIEWS.filter((view) => !isDistribution(view)) : VIEWS;
    const due = shown.filter((view) => all || now >= (viewsDue.get(view) ?? 0));
    // While playing, the one that has waited longest: two charts and the stage in one display frame would take too long.
    const views =
      wanted !== 'one' ? due : due.toSorted((a, b) => (viewsDue.get(a) ?? 0) - (viewsDue.get(b) ?? 0)).slice(0, 1);
    if (asking) allWanted ||= all;
    if (views.length === 0 || asking) return;
    asking = true;
    allWanted = false;
    for (const view of views) viewsDue.set(view, now + (isDistribution(view) ? DISTRIBUTIONS_MS : chartsMs()));
    const { run } = knownId;
    const ended = (): void => {
      asking = false;
      if (allWanted) refreshCharts('all', performance.now());
      else if (wanted === 'one' && more > 0 && mode() !== 'paused') refreshCharts('one', performance.now(), more - 1);
    };
    client()
      .columns(views)
      .then((answers) => {
        for (const { view, tookMs } of answers)
          viewsDue.set(view, Math.max(viewsDue.get(view) ?? 0, now + TIMES_ITS_COST * tookMs));
        const take = (): void => {
          if (run === knownId.run)
            setData((before) => ({ ...before, ...Object.fromEntries(answers.map((a) => [a.view, a])) }));
        };
        if (all || mode() === 'paused' || document.hidden) return take();
        // A chart and a frame in one display frame would take too long.
        return new Promise<void>((resolve) =>
          paintApart(() => {
            take();
            resolve();
          }),
        );
      })
      .then(ended, ended);
  }

  function chartsMs(): number {
    const bucketMs = (frame()?.axis_end_us ?? 0) / 1000 / BUCKETS;
    return Math.min(CHARTS_MS.most, Math.max(CHARTS_MS.least, bucketMs / speed()));
  }

  function refreshDetail(): void {
    const { request } = selected();
    if (request === undefined) {
      setDetail(undefined);
      return;
    }
    client()
      .inspect(request)
      .then((found) => {
        if (selected().request === request) setDetail(found ?? undefined);
      }, ignoreLost);
  }

  return {
    frame,
    mode,
    setMode,
    achieved,
    data,
    detail,
    setDetail,
    spoken,
    say,
    setSpoken,
    refreshTick,
    toldFrame,
    throttledFrame,
    figuresFrame,
    anomalies,
    evidence,
    show,
    refreshDetail,
    focusOn,
  };
}

function isDistribution(view: View): boolean {
  return view === 'ttft-ecdf' || view === 'e2e-ecdf';
}
