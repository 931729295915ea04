// Everything the panels show and everything they can do. Signals out, actions in; the simulation itself is behind the client.
import { type Accessor, batch, createMemo, createSignal, untrack } from 'solid-js';
import { known, sameMarks } from '../base/anomalies.ts';
import { equal, getAt, type Json, type JsonObject, setAt } from '../base/json.ts';
import { atPaint } from '../base/paints.ts';
import { Schema } from '../base/schema.ts';
import { readDocument, writeDocument } from '../base/text.ts';
import { trust } from '../base/trust.ts';
import { type ChartData, NO_DATA, NOTHING, type Selection, VIEWS } from '../base/view.ts';
import type {
  AnomalyMark,
  Diagnostic,
  EventsQuery,
  Frame,
  PresetInfo,
  RequestDetail,
  StepKind,
  TraceSummary,
  View,
} from '../generated/boundary.ts';
import rawSchema from '../generated/schema.json';
import { Client, type Crash, LostError, RefusedError } from '../sim/client.ts';
import type { Mode } from '../sim/protocol.ts';
import type { WorkerLike } from '../sim/spawn.ts';
import { detailFor } from './detail.ts';
import { changes, editFor, effective, placedEdits, withoutEdit } from './document.ts';
import { createFiles } from './files.ts';
import { byPath, explain, type Notice, ofDocument, type TraceReading } from './notices.ts';
import { openingUs } from './openings.ts';
import { FIRST_SPEED, SPEEDS } from './speeds.ts';
import { sentenceOf } from './spoken.ts';

/** Charts are renewed as often as one of their buckets passes, within these bounds. */
const CHARTS_MS = { least: 100, most: 400 } as const;
const BUCKETS = 240;
const VIEWS_A_FRAME = 2;
const DISTRIBUTIONS_MS = 250;
const DETAILS_MS = 250;
const SPOKEN_MS = 5000;
const END_OF_TIME = Number.MAX_SAFE_INTEGER;

export type RightTab = 'request' | 'replica' | 'run' | 'log';
export type LeftTab = 'form' | 'yaml' | 'changes';
export type PhoneTab = 'stage' | 'charts' | 'scenario' | 'inspector';

export type App = ReturnType<typeof createApp>;

export function createApp(spawn: () => WorkerLike) {
  const [presets, setPresets] = createSignal<readonly PresetInfo[]>([]);
  const [version, setVersion] = createSignal('');
  const [frame, setFrame] = createSignal<Frame>();
  const [mode, setMode] = createSignal<Mode>('paused');
  const [achieved, setAchieved] = createSignal(0);
  const [speedIndex, setSpeedIndex] = createSignal(FIRST_SPEED);
  const [document, setDocument] = createSignal<Json>({});
  const [original, setOriginal] = createSignal<Json>({});
  const [presetName, setPresetName] = createSignal('');
  const [trace, setTrace] = createSignal<TraceSummary>();
  const [selected, setSelected] = createSignal<Selection>(NOTHING);
  const [cursorS, setCursorS] = createSignal<number>();
  const [data, setData] = createSignal<ChartData>(NO_DATA);
  const [detail, setDetail] = createSignal<RequestDetail>();
  const [problems, setProblems] = createSignal<ReadonlyMap<string, Diagnostic>>(new Map());
  const [notice, setNotice] = createSignal<Notice>();
  const [reading, setReading] = createSignal<TraceReading>();
  const [help, setHelp] = createSignal(false);
  const [leftTab, setLeftTab] = createSignal<LeftTab>('form');
  const [rightTab, setRightTab] = createSignal<RightTab>('request');
  const [phoneTab, setPhoneTab] = createSignal<PhoneTab>('stage');
  const [drawer, setDrawer] = createSignal(false);
  const [spoken, setSpoken] = createSignal('');
  /** Counts refreshes of what is asked for on demand, so that lists know when to ask again. */
  const [refreshTick, setRefreshTick] = createSignal(0);
  /** The frame as often as numbers can be read. */
  const [throttledFrame, setThrottledFrame] = createSignal<Frame>();
  const [reducedMotion, setReducedMotion] = createSignal(false);
  /** The anomalies of the frame, and those ahead that the same run is known to come to. */
  const [anomalies, setAnomalies] = createSignal<readonly AnomalyMark[]>([], { equals: sameMarks });

  const schema = new Schema(trust<JsonObject>(rawSchema));
  const speed: Accessor<number> = createMemo(() => SPEEDS[speedIndex()] ?? 1);
  const playing = createMemo(() => mode() === 'playing');
  const edits = createMemo(() => placedEdits(document()));
  /**
   * How many edits the playhead has passed: the document in force changes only there. A signal that is set, not a memo of the
   * frame: the whole form hangs on it, and would be looked through at each frame.
   */
  const [editsPassed, setEditsPassed] = createSignal(0);
  const inForce = createMemo(() => {
    editsPassed();
    return effective(document(), untrack(frame)?.now_us ?? 0);
  });
  const changed = createMemo(() => changes(original(), document()));
  const warmUpS = createMemo(() => Number(getAt(document(), 'run.warmup_s') ?? 0));

  let slowMotion = false;
  const client = new Client(spawn, { onFrame: showFrame, onCrash: showCrash }, (callback) => {
    if (slowMotion && mode() === 'playing') setTimeout(callback, 500);
    else atPaint(callback);
  });

  // ---- frames in -------------------------------------------------------------------------------------------------

  const viewsDue = new Map<View, number>();
  let detailsDue = 0;
  let spokenDue = 0;
  let replicas = 0;
  let asking = false;
  /** Frames to come that may still be of the run before the last change: what was ahead of it is not remembered. */
  let unsure = 0;

  function showFrame(next: Frame, nextMode: Mode, speedNow: number): void {
    if (frame() === undefined) performance.mark('first-frame');
    if (next.replicas.length !== replicas) {
      replicas = next.replicas.length;
      client.setDetail(detailFor(replicas));
    }
    batch(() => {
      setFrame(next);
      setMode(nextMode);
      setAchieved(speedNow);
      setEditsPassed(edits().filter((e) => e.atUs <= next.now_us).length);
      setAnomalies((before) => known(unsure > 0 ? [] : before, next));
    });
    unsure = Math.max(0, unsure - 1);
    refresh(nextMode !== 'playing');
  }

  /** Charts follow the frames at a pace of their own; a frame of a resting run brings all of them up to date. */
  function refresh(all: boolean): void {
    const now = performance.now();
    const due = VIEWS.filter((view) => all || now >= (viewsDue.get(view) ?? 0));
    // While playing, the ones that have waited longest, a few at a time: each frame draws its share of the charts.
    const views = all
      ? due
      : due.toSorted((a, b) => (viewsDue.get(a) ?? 0) - (viewsDue.get(b) ?? 0)).slice(0, VIEWS_A_FRAME);
    if (views.length > 0 && !asking) {
      asking = true;
      for (const view of views) viewsDue.set(view, now + (isDistribution(view) ? DISTRIBUTIONS_MS : chartsMs()));
      const shownUs = frame()?.now_us;
      client.columns(views).then(
        (answers) => {
          asking = false;
          setData((before) => ({ ...before, ...Object.fromEntries(answers.map((a) => [a.view, a])) }));
          if (mode() !== 'playing' && frame()?.now_us !== shownUs) refresh(true);
        },
        () => {
          asking = false;
        },
      );
    }
    if (all || now >= detailsDue) {
      detailsDue = now + DETAILS_MS;
      setRefreshTick((n) => n + 1);
      setThrottledFrame(frame());
      refreshDetail();
    }
    if (all || now >= spokenDue) {
      spokenDue = now + SPOKEN_MS;
      const at = frame();
      if (at) setSpoken(sentenceOf(at));
    }
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
    client.inspect(request).then((found) => {
      if (selected().request === request) setDetail(found ?? undefined);
    }, ignoreLost);
  }

  function showCrash(crash: Crash): void {
    batch(() => {
      setMode('paused');
      setNotice({ kind: 'crash', crash });
    });
  }

  // ---- runs ------------------------------------------------------------------------------------------------------

  async function start(): Promise<void> {
    try {
      const ready = await client.start();
      batch(() => {
        setPresets(ready.presets);
        setVersion(ready.version);
      });
      const [first] = ready.presets;
      if (first) await openPreset(first);
    } catch (error) {
      if (!(error instanceof LostError)) throw error;
      setNotice({ kind: 'problem', text: `The simulation could not start: ${error.message}` });
    }
  }

  async function openPreset(preset: PresetInfo): Promise<void> {
    await open(preset.text, preset.name, false);
  }

  /** Loads a new scenario; what is shown before stays if it is refused. */
  async function open(text: string, name: string, useTrace: boolean): Promise<boolean> {
    return attempt(async () => {
      const accepted = await client.load(text, { useTrace, untilUs: openingUs(name), thenPlay: false });
      const next = readDocument(accepted.scenario);
      batch(() => {
        setDocument(next);
        setOriginal(next);
        setPresetName(name);
        if (!useTrace) setTrace(undefined);
        setProblems(new Map());
        fresh();
        changedRun();
      });
      warn(accepted.diagnostics);
    });
  }

  /** Makes the run again from a changed document, up to the same instant. */
  async function rerun(next: Json, untilUs = frame()?.now_us ?? 0): Promise<boolean> {
    return attempt(async () => {
      const accepted = await client.load(writeDocument(next), {
        useTrace: trace() !== undefined && getAt(next, 'workload.trace') !== undefined,
        untilUs,
        thenPlay: mode() === 'playing',
      });
      batch(() => {
        if (!equal(next, document())) changedRun();
        setDocument(readDocument(accepted.scenario));
        fresh();
      });
      warn(accepted.diagnostics);
    });
  }

  /** What was ahead belonged to another run. The next two frames may have been on their way already. */
  function changedRun(): void {
    unsure = 2;
    setAnomalies(untrack(frame)?.anomalies ?? []);
  }

  function fresh(): void {
    setSelected((s) => ({ ...NOTHING, replica: s.replica }));
    setDetail(undefined);
    if (mode() === 'playing') client.play(speed());
  }

  /** Runs an action whose refusal is the user's to see, by the field it is about. */
  async function attempt(action: () => Promise<void>, path = ''): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      if (error instanceof RefusedError) {
        tell(error.diagnostics, path);
        const whole = error.diagnostics.find((d) => d.path === '');
        if (whole && path === '') setNotice({ kind: 'problem', text: explain(whole) });
        return false;
      }
      if (error instanceof LostError) return false;
      throw error;
    }
  }

  /** What is wrong with one field replaces what was; other fields keep what is wrong with them. */
  function tell(diagnostics: readonly Diagnostic[], path: string): void {
    setProblems((before) => {
      const others = path === '' ? [] : [...before].filter(([at]) => at !== path);
      return new Map([...others, ...byPath(diagnostics, path)]);
    });
  }

  function warn(diagnostics: readonly Diagnostic[]): void {
    if (diagnostics.length > 0) setProblems(byPath(diagnostics, ''));
  }

  /** Sets a field: as an edit of the running simulation where there is one, else by making the run again. */
  async function change(path: string, value: Json): Promise<boolean> {
    const edit = editFor(path, value, inForce());
    const started = (frame()?.now_us ?? 0) > 0;
    if (edit === undefined || !started) return rerunWith(path, value);
    return attempt(async () => {
      const accepted = await client.apply(JSON.stringify(edit));
      batch(() => {
        setDocument(readDocument(accepted.scenario));
        tell(accepted.diagnostics, path);
        changedRun();
      });
    }, path);
  }

  async function rerunWith(path: string, value: Json): Promise<boolean> {
    const untilUs = frame()?.now_us ?? 0;
    return attempt(async () => {
      const accepted = await client.load(writeDocument(setAt(document(), path, value)), {
        useTrace: trace() !== undefined,
        untilUs,
        thenPlay: mode() === 'playing',
      });
      batch(() => {
        setDocument(readDocument(accepted.scenario));
        fresh();
        setProblems((before) => ofDocument(before, accepted.diagnostics, path));
        changedRun();
      });
    }, path);
  }

  async function removeEdit(index: number): Promise<void> {
    await rerun(withoutEdit(document(), index));
  }

  async function reset(): Promise<void> {
    await rerun(original());
  }

  // ---- transport -------------------------------------------------------------------------------------------------

  async function toggle(): Promise<void> {
    if (mode() === 'playing') {
      client.pause();
      return;
    }
    if (frame()?.finished) await rerun(document(), 0);
    setMode('playing');
    client.play(speed());
  }

  function pause(): void {
    client.pause();
  }

  function step(kind: StepKind): void {
    client.step(kind).catch(ignoreLost);
  }

  function setSpeed(index: number): void {
    setSpeedIndex(Math.max(0, Math.min(SPEEDS.length - 1, index)));
    if (mode() === 'playing') client.play(speed());
  }

  async function restart(): Promise<void> {
    client.pause();
    setMode('paused');
    await rerun(document(), 0);
  }

  /** Goes to an instant: ahead by running there, back by making the same run again, which gives the same run. */
  let seekTo: number | undefined;
  let seeking: Promise<void> | undefined;
  function seek(timeS: number): Promise<void> {
    seekTo = Math.max(0, Math.round(timeS * 1e6));
    // A dragged playhead asks often; only the latest place matters, and only when the last one was reached.
    seeking ??= seekOn().finally(() => {
      seeking = undefined;
    });
    return seeking;
  }

  async function seekOn(): Promise<void> {
    while (seekTo !== undefined) {
      const untilUs: number = seekTo;
      seekTo = undefined;
      if (untilUs >= (frame()?.now_us ?? 0)) client.runTo(untilUs);
      else await rerun(document(), untilUs);
    }
  }

  /** Stops where an anomaly began, with its request and replica in sight. */
  async function showAnomaly(mark: AnomalyMark): Promise<void> {
    client.pause();
    setMode('paused');
    await seek(mark.at_us / 1e6);
    select({ request: mark.request, replica: mark.replica });
  }

  function toEnd(): void {
    client.runTo(END_OF_TIME);
  }

  // ---- selection -------------------------------------------------------------------------------------------------

  function select(next: Selection): void {
    batch(() => {
      setSelected(next);
      if (next.request !== undefined) setRightTab('request');
      else if (next.replica !== undefined) setRightTab('replica');
      if (next.request !== undefined || next.replica !== undefined) {
        setDrawer(true);
        if (isPhone()) setPhoneTab('inspector');
      }
    });
    refreshDetail();
  }

  const openFile = createFiles(client, {
    document,
    problems,
    trace,
    setTrace,
    setReading,
    setNotice,
    open,
  });

  return {
    presets,
    version,
    frame,
    mode,
    playing,
    achieved,
    speed,
    speedIndex,
    document,
    original,
    inForce,
    edits,
    changed,
    warmUpS,
    presetName,
    trace,
    selected,
    cursorS,
    setCursorS,
    data,
    detail,
    problems,
    setProblems,
    notice,
    setNotice,
    reading,
    setReading,
    help,
    setHelp,
    leftTab,
    setLeftTab,
    rightTab,
    setRightTab,
    phoneTab,
    setPhoneTab,
    drawer,
    setDrawer,
    spoken,
    refreshTick,
    throttledFrame,
    anomalies,
    showAnomaly,
    reducedMotion,
    setReducedMotion: (on: boolean) => {
      slowMotion = on;
      setReducedMotion(on);
    },
    schema,
    start,
    open,
    openPreset,
    rerun,
    change,
    removeEdit,
    reset,
    toggle,
    pause,
    step,
    setSpeed,
    restart,
    seek,
    toEnd,
    select,
    openFile,
    events: (query: EventsQuery) => client.events(query),
    report: () => client.report(),
    readArchitecture: (text: string) => client.architecture(text),
  };
}

function isDistribution(view: View): boolean {
  return view === 'ttft-ecdf' || view === 'e2e-ecdf';
}

function ignoreLost(error: unknown): void {
  if (!(error instanceof LostError || error instanceof RefusedError)) throw error;
}

function isPhone(): boolean {
  return matchMedia('(max-width: 720px)').matches;
}
