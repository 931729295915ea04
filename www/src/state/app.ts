// Everything the panels show and everything they can do. Signals out, actions in; the simulation itself is behind the client.
import { batch, createMemo, createSignal } from 'solid-js';
import { getAt, type JsonObject } from '../base/json.ts';
import { isPhone } from '../base/media.ts';
import { atPaint } from '../base/paints.ts';
import { Schema } from '../base/schema.ts';
import { trust } from '../base/trust.ts';
import { NOTHING, type Place, type Selection } from '../base/view.ts';
import type { EventsQuery, LinkView, TraceSummary, View } from '../generated/boundary.ts';
import rawSchema from '../generated/schema.json';
import { Client, type Crash, ignoreLost, LostError } from '../sim/client.ts';
import type { WorkerLike } from '../sim/spawn.ts';
import type { LinkWorker } from '../sim/spawnLinks.ts';
import type { Beside } from './compare.ts';
import { createErrand } from './errand.ts';
import { readFlag, writeFlag } from './flags.ts';
import { createFrames } from './frames.ts';
import { createLinks, type Kept, kept } from './links.ts';
import { isEmbed } from './linkText.ts';
import type { BenchmarkFile, MeasuredRun } from './measured.ts';
import { besides } from './namedRuns.ts';
import type { Notice, TraceReading } from './notices.ts';
import { PRESETS, type Preset, presetNamed, presetText } from './presets.ts';
import { createRuns } from './runs.ts';
import { sendToB } from './sentToB.ts';
import { FIRST_SPEED, SPEEDS } from './speeds.ts';
import { createTravel, type Travel } from './travel.ts';

/** The files are kept when the first visit has what it needs. */
const OFFLINE_AFTER_MS = 3000;

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
  /** Whether a study lies over the run, whose playhead does nothing there. */
  const [studying, setStudying] = createSignal(false);
  const [traceFile, setTraceFile] = createSignal<File>();
  const [benchmarkFile, setBenchmarkFile] = createSignal<BenchmarkFile>();
  const [measuredRun, setMeasuredRun] = createSignal<MeasuredRun>();
  const [leftTab, setLeftTab] = createSignal<LeftTab>('form');
  const [rightTab, setRightTab] = createSignal<RightTab>('request');
  const [phoneTab, setPhoneTab] = createSignal<PhoneTab>('stage');
  const [drawer, setDrawer] = createSignal(false);
  const [reducedMotion, setReducedMotion] = createSignal(false);
  /** The edits whose flag is open, by their places in the list. */
  /** What the flags say. */
  const [flagWords, setFlagWords] = createSignal<readonly string[]>([]);
  const [openFlags, setOpenFlags] = createSignal<readonly number[]>([]);

  const schema = new Schema(trust<JsonObject>(rawSchema));
  const [speaks, setSpeaks] = createSignal(readFlag('spoken'));
  const frames = createFrames({
    client: () => client,
    speed: () => travel.speed(),
    selected,
    editsPassed: () => runs.editsPassed(),
    speaks,
    flagWords,
    onFrame: (next) => {
      runs.onFrame(next);
      travel.onFrame(next);
    },
  });
  const { frame, mode, setMode, setDetail, refreshDetail } = frames;
  const { progress, setErrand } = createErrand(frame, mode);
  const travel: Travel = createTravel({
    client: () => client,
    frame,
    mode,
    setMode,
    progress,
    setErrand,
    setNotice,
    select,
    showStage: () => {
      if (isPhone()) setPhoneTab('stage');
    },
  });
  const { playsOn, speed, setSpeed, pause, seek } = travel;
  const runs = createRuns({
    client: () => client,
    schema,
    frame,
    playsOn,
    setNotice,
    aim: travel.aim,
    onWay: travel.onWay,
    onNewRun: (same) => {
      if (!same) {
        setSelected((s) => ({ ...NOTHING, replica: s.replica }));
        setDetail(undefined);
      }
      if (playsOn()) client.play(speed());
    },
  });
  const { document, problems, trace, setTrace } = runs;
  const open = (...scenario: Parameters<typeof runs.open>): Promise<boolean> =>
    links.entering(() => runs.open(...scenario));
  const playing = createMemo(() => mode() === 'playing');
  const warmUpS = createMemo(() => Number(getAt(document(), 'run.warmup_s') ?? 0));

  let slowMotion = false;
  const client = new Client(spawn, { onFrame: frames.show, onCrash: showCrash }, (callback) => {
    if (slowMotion && mode() === 'playing') setTimeout(callback, 500);
    else atPaint(callback);
  });

  function showCrash(crash: Crash): void {
    batch(() => {
      // What it was asked to do last is what it may have stopped at.
      travel.stop();
      setMode('paused');
      setNotice({ kind: 'crash', crash });
    });
  }

  // ---- runs ------------------------------------------------------------------------------------------------------

  async function start(): Promise<void> {
    const [link, before] = [location.hash, isEmbed(location.hash) ? undefined : kept()];
    try {
      const [first] = PRESETS;
      // Read while the module is compiled, where it will be opened.
      if (first && link.length <= 1 && !before) void presetText(first).catch(() => {});
      setVersion((await client.start()).version);
      if (before) await openKept(before);
      if (link.length > 1 && runs.presetName() === '') await links.open(link);
      await client.settled();
      // What asks for a file or could not be opened is told over the first preset.
      if (first && runs.presetName() === '') await openPreset(first);
      links.follow(before !== undefined);
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

  async function openKept({ scenario, name, view, original }: Kept): Promise<void> {
    if (await open(scenario, name, false, view.at_us ?? undefined, original)) look(view);
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

  /** Takes a file, whatever it is; what reads files is loaded with the first. */
  async function openFile(file: File): Promise<void> {
    const { createFiles } = await import('./files.ts');
    await createFiles(client, {
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
    })(file);
  }

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
    // What the author of a link wrote is read first; on a phone it is on a tab of its own.
    if (isPhone() && getAt(document(), 'note')) setPhoneTab('scenario');
    if (panel === MEASURED) setTruth(true);
    if (panel === COMPARISON) {
      sendToB(besides(runs.namedRuns()));
      setComparing(true);
    }
  }

  const links = createLinks(spawnLink, {
    document,
    original: runs.original,
    name: runs.presetName,
    openUnlinked: async (before) => {
      const [first] = PRESETS;
      if (before) await openKept(before);
      else if (first) await openPreset(first);
    },
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
    ...travel,
    open,
    links,
    /** Whether a dialog lies over the page. */
    covered: () => help() || reading() !== undefined || links.sharing() || links.trouble() !== undefined,
    version,
    frame,
    mode,
    playing,
    progress,
    achieved: frames.achieved,
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
    studying,
    setStudying,
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
    toldFrame: frames.toldFrame,
    throttledFrame: frames.throttledFrame,
    figuresFrame: frames.figuresFrame,
    anomalies: frames.anomalies,
    reducedMotion,
    freshSeed: () => client.freshSeed(),
    setReducedMotion: (on: boolean) => {
      slowMotion = on;
      setReducedMotion(on);
    },
    schema,
    start,
    openPreset,
    openFlags,
    setOpenFlags,
    setFlagWords,
    say: frames.say,
    /** Says a sentence in the polite live region. */
    tell: frames.setSpoken,
    speaks,
    setSpeaks: (on: boolean) => {
      setSpeaks(on);
      writeFlag('spoken', on);
    },
    searchForm,
    select,
    openSlowest: (place: Place) => void openSlowest(place).catch(ignoreLost),
    openFile,
    events: (query: EventsQuery) => client.events(query),
    report: () => client.report(),
    readArchitecture: (text: string) => links.architecture(text),
  };
}
