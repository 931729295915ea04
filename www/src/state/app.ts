// Everything the panels show and everything they can do. Signals out, actions in; the simulation itself is behind the client.
import { type Accessor, batch, createEffect, createMemo, createRoot, createSignal, untrack } from 'solid-js';
import { getAt, type JsonObject } from '../base/json.ts';
import { atPaint } from '../base/paints.ts';
import { Schema } from '../base/schema.ts';
import { trust } from '../base/trust.ts';
import { NOTHING, type Place, type Selection } from '../base/view.ts';
import type { AnomalyMark, EventsQuery, PresetInfo, StepKind } from '../generated/boundary.ts';
import rawSchema from '../generated/schema.json';
import { Client, type Crash, ignoreLost, LostError } from '../sim/client.ts';
import type { WorkerLike } from '../sim/spawn.ts';
import { createErrand } from './errand.ts';
import { createFiles } from './files.ts';
import { readFlag, writeFlag } from './flags.ts';
import { createFrames } from './frames.ts';
import type { Notice, TraceReading } from './notices.ts';
import { createRuns } from './runs.ts';
import { FIRST_SPEED, SPEEDS } from './speeds.ts';

const END_OF_TIME = Number.MAX_SAFE_INTEGER;
/** Lines of the event log that are looked through for the instant before: those of one instant are few. */
const LOG_LINES_BACK = 500;

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
  const [speaks, setSpeaks] = createSignal(readFlag('spoken'));
  /** Where the run is being taken, until a frame has come from there. */
  let aimUs: number | undefined;
  /** Whether the run plays, or will when it has been taken to where it goes. */
  const [playsOn, setPlaysOn] = createSignal(false);
  const frames = createFrames({
    client: () => client,
    speed,
    selected,
    editsPassed: () => runs.editsPassed(),
    speaks,
    onFrame: (next) => {
      runs.onFrame(next);
      if (next.now_us === aimUs || next.finished || ['playing', 'stepping'].includes(frames.mode())) aimUs = undefined;
      if (frames.mode() === 'playing') setPlaysOn(true);
      else if (frames.mode() !== 'seeking') setPlaysOn(false);
    },
  });
  const { frame, mode, setMode, setDetail, refreshDetail } = frames;
  /** Counts how often what was under way was stopped. */
  const [stops, setStops] = createSignal(0);
  const { progress, setErrand } = createErrand(frame, mode);
  const runs = createRuns({
    client: () => client,
    schema,
    frame,
    playsOn,
    setNotice,
    onWay: (toUs) => setErrand({ kind: 'instant', toUs }),
    onNewRun: (same) => {
      if (!same) {
        setSelected((s) => ({ ...NOTHING, replica: s.replica }));
        setDetail(undefined);
      }
      if (playsOn()) client.play(speed());
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
    // A button that says "Stop" stops, one that says "Pause" pauses: what is under way is never turned into play.
    if (progress() !== undefined || playsOn()) {
      pause();
      return;
    }
    if (frame()?.finished) await rerun(0);
    setPlaysOn(true);
    if (mode() !== 'seeking') setMode('playing');
    client.play(speed());
  }

  /** Stops whatever is under way: play, a way to an instant, a search for an event. */
  function pause(): void {
    seekTo = undefined;
    aimUs = undefined;
    setStops((n) => n + 1);
    setPlaysOn(false);
    client.pause();
  }

  function step(kind: StepKind): void {
    setErrand({ kind: 'event', step: kind });
    client.step(kind).catch(ignoreLost);
  }

  /** Goes back to the latest line of the event log before now, one key after the other. */
  let backs: Promise<void> = Promise.resolve();
  function stepBack(): Promise<void> {
    if (playsOn()) pause();
    backs = backs
      .then(async () => {
        const nowUs = frame()?.now_us ?? 0;
        const { rows } = await client.events({ kinds: [], limit: LOG_LINES_BACK });
        const toUs = rows.findLast((row) => row.at_us < nowUs)?.at_us ?? 0;
        await seek(toUs / 1e6);
        await arrived(toUs);
      })
      .catch(ignoreLost);
    return backs;
  }

  /** When a frame has come from an instant, or the way there was given up. */
  function arrived(us: number): Promise<void> {
    const before = untrack(stops);
    return new Promise((resolve) => {
      createRoot((dispose) =>
        createEffect(() => {
          if (frame()?.now_us !== us && stops() === before) return;
          dispose();
          resolve();
        }),
      );
    });
  }

  function setSpeed(index: number): void {
    setSpeedIndex(Math.max(0, Math.min(SPEEDS.length - 1, index)));
    if (playsOn()) client.play(speed());
  }

  async function restart(): Promise<void> {
    pause();
    setMode('paused');
    await rerun(0);
  }

  /** Goes to an instant: ahead by running there, back by making the same run again, which gives the same run. */
  let seekTo: number | undefined;
  let seeking: Promise<void> | undefined;
  function seek(timeS: number): Promise<void> {
    seekTo = Math.max(0, Math.round(timeS * 1e6));
    aimUs = seekTo;
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
      setErrand({ kind: 'instant', toUs: untilUs });
      if (untilUs >= (frame()?.now_us ?? 0)) client.runTo(untilUs);
      else await rerun(untilUs);
    }
  }

  /** Goes so far from where the run is or is being taken: each of several keys counts. */
  function seekBy(us: number): void {
    const now = frame()?.now_us ?? 0;
    const from = aimUs ?? now;
    const end = frame()?.axis_end_us ?? 0;
    void seek(Math.min(Math.max(0, from + us), Math.max(end, now)) / 1e6);
  }

  /** Stops where an anomaly began, with its request and replica in sight. */
  async function showAnomaly(mark: AnomalyMark): Promise<void> {
    pause();
    setMode('paused');
    await seek(mark.at_us / 1e6);
    select({ request: mark.request, replica: mark.replica });
  }

  function toEnd(): void {
    setErrand({ kind: 'instant', toUs: END_OF_TIME });
    client.runTo(END_OF_TIME);
  }

  // ---- selection -------------------------------------------------------------------------------------------------

  function select(next: Selection): void {
    const focus = next.replica !== selected().replica;
    batch(() => {
      setSelected(next);
      if (next.request !== undefined) setRightTab('request');
      else if (next.replica !== undefined) setRightTab('replica');
      if (next.request !== undefined || next.replica !== undefined) {
        setDrawer(true);
        if (isPhone()) setPhoneTab('inspector');
      }
    });
    if (focus) frames.focusOn();
    refreshDetail();
  }

  /** Brings the form's search into sight and puts the focus there. */
  function searchForm(): void {
    setLeftTab('form');
    setPhoneTab('scenario');
    requestAnimationFrame(() => window.document.querySelector<HTMLElement>('.find input')?.focus());
  }

  /** Opens the request that a place on a chart or a distribution stands for. */
  async function openSlowest(place: Place): Promise<void> {
    const request = await client.slowest(place);
    if (request !== null) select({ request, replica: undefined });
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
    playsOn,
    progress,
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
    stepBack,
    say: frames.say,
    /** Says a sentence in the polite live region. */
    tell: frames.setSpoken,
    speaks,
    setSpeaks: (on: boolean) => {
      setSpeaks(on);
      writeFlag('spoken', on);
    },
    searchForm,
    setSpeed,
    restart,
    seek,
    seekBy,
    toEnd,
    select,
    openSlowest: (place: Place) => void openSlowest(place).catch(ignoreLost),
    openFile,
    events: (query: EventsQuery) => client.events(query),
    report: () => client.report(),
    readArchitecture: (text: string) => client.architecture(text),
  };
}

function isPhone(): boolean {
  return matchMedia('(max-width: 720px)').matches;
}
