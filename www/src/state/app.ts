// Everything the panels show and everything they can do. Signals out, actions in; the simulation itself is behind the client.
import { type Accessor, batch, createMemo, createSignal } from 'solid-js';
import { getAt, type JsonObject } from '../base/json.ts';
import { atPaint } from '../base/paints.ts';
import { Schema } from '../base/schema.ts';
import { trust } from '../base/trust.ts';
import { NOTHING, type Selection } from '../base/view.ts';
import type { AnomalyMark, EventsQuery, PresetInfo, StepKind } from '../generated/boundary.ts';
import rawSchema from '../generated/schema.json';
import { Client, type Crash, ignoreLost, LostError } from '../sim/client.ts';
import type { WorkerLike } from '../sim/spawn.ts';
import { createFiles } from './files.ts';
import { createFrames } from './frames.ts';
import type { Notice, TraceReading } from './notices.ts';
import { createRuns } from './runs.ts';
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
  const [selected, setSelected] = createSignal<Selection>(NOTHING);
  const [cursorS, setCursorS] = createSignal<number>();
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
    onFrame: (next) => runs.onFrame(next),
  });
  const { frame, mode, setMode, setDetail, refreshDetail } = frames;
  const runs = createRuns({
    client: () => client,
    schema,
    frame,
    mode,
    setNotice,
    onNewRun: () => {
      setSelected((s) => ({ ...NOTHING, replica: s.replica }));
      setDetail(undefined);
      if (mode() === 'playing') client.play(speed());
    },
  });
  const { document, problems, trace, setTrace, open, rerun } = runs;
  const playing = createMemo(() => mode() === 'playing');
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

  // ---- transport -------------------------------------------------------------------------------------------------

  async function toggle(): Promise<void> {
    if (mode() === 'playing') {
      client.pause();
      return;
    }
    if (frame()?.finished) await rerun(0);
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
    await rerun(0);
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
      else await rerun(untilUs);
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
    ...runs,
    presets,
    version,
    frame,
    mode,
    playing,
    achieved: frames.achieved,
    speed,
    speedIndex,
    warmUpS,
    selected,
    cursorS,
    setCursorS,
    data: frames.data,
    detail: frames.detail,
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
    freshSeed: () => client.freshSeed(),
    setReducedMotion: (on: boolean) => {
      slowMotion = on;
      setReducedMotion(on);
    },
    schema,
    start,
    openPreset,
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
