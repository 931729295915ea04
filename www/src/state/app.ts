// Everything the panels show and everything they can do. Signals out, actions in; the simulation itself is behind the client.
import { type Accessor, batch, createMemo, createSignal } from 'solid-js';
import { getAt, type JsonObject } from '../base/json.ts';
import { isPhone } from '../base/media.ts';
import type { NoteTarget } from '../base/note.ts';
import { atPaint } from '../base/paints.ts';
import { Schema } from '../base/schema.ts';
import { trust } from '../base/trust.ts';
import { NOTHING, type Place, type Selection } from '../base/view.ts';
import type { AnomalyMark, EventsQuery, LinkView, StepKind, TraceSummary, View } from '../generated/boundary.ts';
import rawSchema from '../generated/schema.json';
import { Client, type Crash, ignoreLost, LostError } from '../sim/client.ts';
import type { WorkerLike } from '../sim/spawn.ts';
import type { LinkWorker } from '../sim/spawnLinks.ts';
import type { Beside } from './compare.ts';
import { createErrand } from './errand.ts';
import { createFiles } from './files.ts';
import { readFlag, writeFlag } from './flags.ts';
import { createFrames } from './frames.ts';
import { createLinks, kept } from './links.ts';
import { isEmbed } from './linkText.ts';
import { besides } from './namedRuns.ts';
import type { Notice, TraceReading } from './notices.ts';
import { firstWanted, sayWanted, type Wanted } from './occasions.ts';
import { PRESETS, type Preset, presetNamed, presetText } from './presets.ts';
import { createRuns } from './runs.ts';
import { sendToB } from './sentToB.ts';
import { FASTEST, FIRST_SPEED, SPEEDS } from './speeds.ts';
import type { BenchmarkFile, MeasuredRun } from './truth.ts';

/** The files are kept when the first visit has what it needs. */
const OFFLINE_AFTER_MS = 3000;
const END_OF_TIME = Number.MAX_SAFE_INTEGER;
/** A place that is not reached by then gives way to one asked for since. */
const GIVES_WAY_MS = 50;
/** A step by a frame goes as far as play does in one of so many a second. */
const FRAMES_PER_S = 60;

export const RIGHT_TABS = ['request', 'replica', 'scaling', 'run', 'log'] as const;
export type RightTab = (typeof RIGHT_TABS)[number];
/** What links call the panel of measured runs. */
const MEASURED = 'measured';
/** And the comparison, whose B is the second run of the link. */
const COMPARISON = 'compare';
export type LeftTab = 'form' | 'yaml' | 'changes';
export type PhoneTab = 'stage' | 'charts' | 'scenario' | 'inspector';

export type App = ReturnType<typeof createApp>;

export function createApp(spawn: () => WorkerLike, spawnLink: () => LinkWorker) {
  const [version, setVersion] = createSignal('');
  const [speedIndex, setSpeedIndex] = createSignal(FIRST_SPEED);
  const [selected, setSelected] = createSignal<Selection>(NOTHING);
  const [cursorS, setCursorS] = createSignal<number>();
  const [notice, setNotice] = createSignal<Notice>();
  const [reading, setReading] = createSignal<TraceReading>();
  const [help, setHelp] = createSignal(false);
  const [truth, setTruth] = createSignal(false);
  const [gallery, setGallery] = createSignal(false);
  const [comparing, setComparing] = createSignal(false);
  /** B of the comparison that is open. */
  const [compared, setCompared] = createSignal<Beside>();
  const [traceFile, setTraceFile] = createSignal<File>();
  const [benchmarkFile, setBenchmarkFile] = createSignal<BenchmarkFile>();
  const [measuredRun, setMeasuredRun] = createSignal<MeasuredRun>();
  const [leftTab, setLeftTab] = createSignal<LeftTab>('form');
  const [rightTab, setRightTab] = createSignal<RightTab>('request');
  const [phoneTab, setPhoneTab] = createSignal<PhoneTab>('stage');
  const [drawer, setDrawer] = createSignal(false);
  const [reducedMotion, setReducedMotion] = createSignal(false);
  /** What the run was run to last. */
  const [wanted, setWanted] = createSignal(firstWanted());
  /** The edits whose flag is open, by their places in the list. */
  const [openFlags, setOpenFlags] = createSignal<readonly number[]>([]);

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
  const { progress, setErrand } = createErrand(frame, mode);
  const runs = createRuns({
    client: () => client,
    schema,
    frame,
    playsOn,
    setNotice,
    aim: () => aimUs,
    onWay: (toUs) => {
      aimUs = toUs;
      setErrand({ kind: 'instant', toUs });
    },
    onNewRun: (same) => {
      if (!same) {
        setSelected((s) => ({ ...NOTHING, replica: s.replica }));
        setDetail(undefined);
      }
      if (playsOn()) client.play(speed());
    },
  });
  const { document, problems, trace, setTrace, open } = runs;
  const playing = createMemo(() => mode() === 'playing');
  const warmUpS = createMemo(() => Number(getAt(document(), 'run.warmup_s') ?? 0));

  let slowMotion = false;
  const client = new Client(spawn, { onFrame: frames.show, onCrash: showCrash }, (callback) => {
    if (slowMotion && mode() === 'playing') setTimeout(callback, 500);
    else atPaint(callback);
  });

  function showCrash(crash: Crash): void {
    // What it was asked to do last is what it may have stopped at.
    seekTo = undefined;
    aimUs = undefined;
    batch(() => {
      setPlaysOn(false);
      setMode('paused');
      setNotice({ kind: 'crash', crash });
    });
  }

  // ---- runs ------------------------------------------------------------------------------------------------------

  async function start(): Promise<void> {
    const [link, before] = [location.hash, location.hash === '' ? kept() : undefined];
    try {
      const [first] = PRESETS;
      // Read while the module is compiled, where it will be opened.
      if (first && link.length <= 1 && !before) void presetText(first).catch(() => {});
      setVersion((await client.start()).version);
      if (link.length > 1) await links.open(link);
      else if (before && (await open(before.scenario, 'scenario', false, before.view.at_us ?? undefined)))
        look(before.view);
      await client.settled();
      // What asks for a file or could not be opened is told over the first preset.
      if (first && runs.presetName() === '') await openPreset(first);
      links.follow();
      if (import.meta.env.PROD && !isEmbed(link)) stayOffline();
    } catch (error) {
      if (!(error instanceof LostError)) throw error;
      setNotice({
        kind: 'ask',
        text: `The simulation could not start: ${error.message}.`,
        action: 'Load the page again',
        run: () => location.reload(),
      });
    }
  }

  /** Keeps the page for when there is no network, once it is on screen. */
  function stayOffline(): void {
    const text =
      'A new version of Tokenyard is there. It opens when the page is loaded again; the link keeps this run.';
    const onNew = (run: () => void): void => {
      setNotice({ kind: 'ask', text, action: 'Load it now', run });
    };
    setTimeout(async () => {
      const { keepOffline } = await import('./offline.ts');
      // Storage can be forbidden or full: the page then needs its network.
      await keepOffline(onNew).catch(() => {});
    }, OFFLINE_AFTER_MS);
  }

  async function openPreset(preset: Preset): Promise<void> {
    await open(await presetText(preset), preset.name, false, preset.opens_us);
  }

  // ---- transport -------------------------------------------------------------------------------------------------

  async function toggle(): Promise<void> {
    // A button that says "Stop" stops, one that says "Pause" pauses: what is under way is never turned into play.
    if (progress() !== undefined || playsOn()) {
      pause();
      return;
    }
    if (frame()?.finished) await seek(0);
    setPlaysOn(true);
    if (mode() !== 'seeking') setMode('playing');
    client.play(speed());
  }

  /** Stops whatever is under way: play, a way to an instant, a search for an event. */
  function pause(): void {
    seekTo = undefined;
    aimUs = undefined;
    setPlaysOn(false);
    client.pause();
  }

  function step(kind: StepKind): void {
    setErrand({ kind: 'event', step: kind, back: false });
    client.step(kind).catch(ignoreLost);
  }

  /** Runs to the next time of an occasion; of the one wanted last where none is named. */
  function runTo(occasion: Wanted = wanted()): void {
    setWanted(occasion);
    setErrand({ kind: 'occasion', what: sayWanted(occasion) });
    client.runTo(occasion.occasion).then(({ stop }) => {
      if (stop === 'finished') frames.setSpoken(`No further ${sayWanted(occasion)} up to the end of the run.`);
    }, ignoreLost);
  }

  /** Steps back, one key after the other: each goes from where the one before it has led. */
  let backs: Promise<void> = Promise.resolve();
  function stepBack(kind: StepKind = 'event'): Promise<void> {
    if (playsOn()) pause();
    backs = backs.then(async () => {
      setErrand({ kind: 'event', step: kind, back: true });
      await client.step(kind, true);
    });
    backs = backs.catch(ignoreLost);
    return backs;
  }

  function setSpeed(index: number): void {
    setSpeedIndex(Math.max(0, Math.min(SPEEDS.length - 1, index)));
    if (playsOn()) client.play(speed());
  }

  async function restart(): Promise<void> {
    pause();
    setMode('paused');
    await seek(0);
  }

  /** Goes to an instant, ahead or back. */
  let seekTo: number | undefined;
  let seeking: Promise<void> | undefined;
  function seek(timeS: number): Promise<void> {
    seekTo = Math.max(0, Math.round(timeS * 1e6));
    aimUs = seekTo;
    // A dragged playhead asks often; only the latest place matters.
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
      const reached = client.seek(untilUs).catch(ignoreLost);
      // A place that takes long to reach gives way to a later one.
      for (let there = false; !there && seekTo === undefined; )
        there = await Promise.race([reached.then(() => true), waited(GIVES_WAY_MS)]);
    }
  }

  /** Goes a frame at the speed that is set ahead or back. */
  function stepFrame(direction: 1 | -1): void {
    if (playsOn()) pause();
    const perSecond = Number.isFinite(speed()) ? speed() : FASTEST;
    seekBy((direction * perSecond * 1e6) / FRAMES_PER_S);
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
    await visit({ timeS: mark.at_us / 1e6, request: mark.request, replica: mark.replica });
  }

  /** Stops at an instant, with a request or replica in sight where there is one to look at. */
  async function visit({ timeS, request, replica }: NoteTarget): Promise<void> {
    pause();
    setMode('paused');
    await seek(timeS);
    if (request !== undefined || replica !== undefined) select({ request, replica });
    else if (isPhone()) setPhoneTab('stage');
  }

  function toEnd(): void {
    setErrand({ kind: 'instant', toUs: END_OF_TIME });
    client.seek(END_OF_TIME).catch(ignoreLost);
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
    setTraceFile,
    setReading,
    setNotice,
    scenarioKeys: new Set(Object.keys(rawSchema.properties)),
    onBenchmark: (file) => {
      setBenchmarkFile(file);
      setTruth(true);
    },
    open,
  });

  /** Reads a trace file for a link that names it; what is wrong with it is told in the dialog of traces. */
  async function readTrace(file: File): Promise<TraceSummary | undefined> {
    const begun = { name: file.name, size: file.size, read: 0, done: false, diagnostics: [], summary: null };
    setReading(begun);
    const result = await client.readTrace(file, (read) => setReading({ ...begun, read }));
    setReading(result.summary ? undefined : { ...begun, read: file.size, done: true, diagnostics: result.diagnostics });
    return result.summary ?? undefined;
  }

  /** Puts the page where a link has it. */
  function look(view: LinkView): void {
    const { speed: asked, selection, panel } = view;
    if (asked !== null) {
      const wanted = asked > 0 ? asked : Number.POSITIVE_INFINITY;
      const found = SPEEDS.findIndex((s) => s >= wanted);
      setSpeed(found < 0 ? SPEEDS.length - 1 : found);
    }
    if (selection) {
      const { request, replica } = { request: undefined, replica: undefined, ...selection };
      select({ request, replica });
    }
    const tab = RIGHT_TABS.find((t) => t === panel);
    if (tab) setRightTab(tab);
    if (panel === MEASURED) setTruth(true);
    if (panel === COMPARISON) {
      sendToB(besides(runs.namedRuns()));
      setComparing(true);
    }
  }

  const links = createLinks(spawnLink, {
    document,
    trace,
    setTrace,
    beside: () => (comparing() ? compared() : undefined) ?? besides(runs.namedRuns()),
    addSecondRun: runs.addSecondRun,
    frame,
    playsOn,
    rests: () => mode() === 'paused',
    selected,
    speed,
    firstSpeed: SPEEDS[FIRST_SPEED] ?? 1,
    panel: () => (comparing() ? COMPARISON : truth() ? MEASURED : rightTab() === 'request' ? undefined : rightTab()),
    setNotice,
    open: (text, name, useTrace, { atUs, original }) =>
      open(text, name, useTrace, atUs ?? presetNamed(name)?.opens_us, original),
    look,
    pause,
    goOn: (toUs) => void seek(toUs / 1e6),
    readTrace,
  });

  return {
    ...runs,
    links,
    /** Whether a dialog lies over the page. */
    covered: () => help() || reading() !== undefined || links.sharing() || links.trouble() !== undefined,
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
    truth,
    setTruth: (on: boolean) => {
      if (on) setComparing(false);
      setTruth(on);
    },
    gallery,
    setGallery,
    /** Whether a second run is shown beside the one on screen. */
    comparing,
    setComparing: (on: boolean) => {
      if (on) setTruth(false);
      setComparing(on);
    },
    setCompared,
    outcomes: () => client.outcomes(),
    columns: (views: readonly View[]) => client.columns(views),
    scaling: (query: Parameters<Client['scaling']>[0]) => client.scaling(query),
    inspect: (request: number) => client.inspect(request),
    traceFile,
    benchmarkFile,
    setBenchmarkFile,
    /** The measured percentiles beside the run on screen, while that is the experiment's. */
    measuredRun: () => (measuredRun()?.name === runs.presetName() ? measuredRun() : undefined),
    setMeasuredRun,
    evidence: frames.evidence,
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
    figuresFrame: frames.figuresFrame,
    anomalies: frames.anomalies,
    showAnomaly,
    visit,
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
    wanted,
    runTo,
    openFlags,
    setOpenFlags,
    stepBack,
    stepFrame,
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
    readArchitecture: (text: string) => links.architecture(text),
  };
}

function waited(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms));
}
