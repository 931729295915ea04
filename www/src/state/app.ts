// Everything the panels show and everything they can do. Signals out, actions in; the simulation itself is behind the client.
import { type Accessor, batch, createMemo, createSignal, untrack } from 'solid-js';
import { equal, getAt, type Json, type JsonObject, setAt } from '../base/json.ts';
import { atPaint } from '../base/paints.ts';
import { Schema } from '../base/schema.ts';
import { readDocument, writeDocument } from '../base/text.ts';
import { trust } from '../base/trust.ts';
import { NOTHING, type Selection } from '../base/view.ts';
import type {
  AnomalyMark,
  Diagnostic,
  EventsQuery,
  PresetInfo,
  StepKind,
  TraceSummary,
} from '../generated/boundary.ts';
import rawSchema from '../generated/schema.json';
import { Client, type Crash, ignoreLost, LostError, RefusedError } from '../sim/client.ts';
import type { RunId } from '../sim/protocol.ts';
import type { WorkerLike } from '../sim/spawn.ts';
import { changes, editFor, effective, placedEdits, withoutEdit } from './document.ts';
import { createFiles } from './files.ts';
import { createFrames } from './frames.ts';
import { byPath, explain, type Notice, ofDocument, type TraceReading } from './notices.ts';
import { openingUs } from './openings.ts';
import { FIRST_SPEED, SPEEDS } from './speeds.ts';

const END_OF_TIME = Number.MAX_SAFE_INTEGER;

export type RightTab = 'request' | 'replica' | 'run' | 'log';
export type LeftTab = 'form' | 'yaml' | 'changes';
export type PhoneTab = 'stage' | 'charts' | 'scenario' | 'inspector';

export type App = ReturnType<typeof createApp>;

export function createApp(spawn: () => WorkerLike) {
  const [presets, setPresets] = createSignal<readonly PresetInfo[]>([]);
  const [version, setVersion] = createSignal('');
  const [speedIndex, setSpeedIndex] = createSignal(FIRST_SPEED);
  const [document, setDocument] = createSignal<Json>({});
  const [original, setOriginal] = createSignal<Json>({});
  const [presetName, setPresetName] = createSignal('');
  const [trace, setTrace] = createSignal<TraceSummary>();
  const [selected, setSelected] = createSignal<Selection>(NOTHING);
  const [cursorS, setCursorS] = createSignal<number>();
  const [problems, setProblems] = createSignal<ReadonlyMap<string, Diagnostic>>(new Map());
  const [notice, setNotice] = createSignal<Notice>();
  const [reading, setReading] = createSignal<TraceReading>();
  const [help, setHelp] = createSignal(false);
  const [leftTab, setLeftTab] = createSignal<LeftTab>('form');
  const [rightTab, setRightTab] = createSignal<RightTab>('request');
  const [phoneTab, setPhoneTab] = createSignal<PhoneTab>('stage');
  const [drawer, setDrawer] = createSignal(false);
  const [reducedMotion, setReducedMotion] = createSignal(false);

  const schema = new Schema(trust<JsonObject>(rawSchema));
  const speed: Accessor<number> = createMemo(() => SPEEDS[speedIndex()] ?? 1);
  const frames = createFrames({
    client: () => client,
    speed,
    selected,
    onFrame: (next) => setEditsPassed(edits().filter((e) => e.atUs <= next.now_us).length),
  });
  const { frame, mode, setMode, setDetail, refreshDetail } = frames;
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
  const client = new Client(spawn, { onFrame: frames.show, onCrash: showCrash }, (callback) => {
    if (slowMotion && mode() === 'playing') setTimeout(callback, 500);
    else atPaint(callback);
  });

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
      const accepted = await client.load(text, {
        id: newRun(),
        useTrace,
        untilUs: openingUs(name),
        thenPlay: false,
      });
      id = accepted.id;
      const next = readDocument(accepted.scenario);
      batch(() => {
        setDocument(next);
        setOriginal(next);
        setPresetName(name);
        if (!useTrace) setTrace(undefined);
        setProblems(new Map());
        fresh();
      });
      warn(accepted.diagnostics);
    });
  }

  /** Makes the run again from a changed document, up to the same instant. */
  async function rerun(next: Json, untilUs = frame()?.now_us ?? 0): Promise<boolean> {
    return attempt(async () => {
      const accepted = await client.load(writeDocument(next), {
        id: idFor(next),
        useTrace: trace() !== undefined && getAt(next, 'workload.trace') !== undefined,
        untilUs,
        thenPlay: mode() === 'playing',
      });
      id = accepted.id;
      batch(() => {
        setDocument(readDocument(accepted.scenario));
        fresh();
      });
      warn(accepted.diagnostics);
    });
  }

  /** The run on screen, and the number of the one that `next` makes: the same one where the document is the same. */
  let id: RunId = { run: 0, edit: 0 };
  let runs = 0;
  function idFor(next: Json): RunId {
    return equal(next, document()) ? id : newRun();
  }
  function newRun(): RunId {
    runs += 1;
    return { run: runs, edit: 0 };
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
      id = accepted.id;
      batch(() => {
        setDocument(readDocument(accepted.scenario));
        tell(accepted.diagnostics, path);
      });
    }, path);
  }

  async function rerunWith(path: string, value: Json): Promise<boolean> {
    const untilUs = frame()?.now_us ?? 0;
    return attempt(async () => {
      const accepted = await client.load(writeDocument(setAt(document(), path, value)), {
        id: newRun(),
        useTrace: trace() !== undefined,
        untilUs,
        thenPlay: mode() === 'playing',
      });
      id = accepted.id;
      batch(() => {
        setDocument(readDocument(accepted.scenario));
        fresh();
        setProblems((before) => ofDocument(before, accepted.diagnostics, path));
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
    traceBytes: Number(schema.said('workload.trace.file', 'x-max-bytes')),
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
    achieved: frames.achieved,
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
    data: frames.data,
    detail: frames.detail,
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
    spoken: frames.spoken,
    refreshTick: frames.refreshTick,
    throttledFrame: frames.throttledFrame,
    anomalies: frames.anomalies,
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

function isPhone(): boolean {
  return matchMedia('(max-width: 720px)').matches;
}
