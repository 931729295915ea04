// The run on screen and the document it comes from: loaded, edited at the playhead, made again, undone.
import { type Accessor, batch, createMemo, createSignal, type Setter, untrack } from 'solid-js';
import { equal, getAt, type Json, parsePath, setAt } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import { readDocument, writeDocument } from '../base/text.ts';
import type { Diagnostic, Frame, RunFigures, TraceSummary } from '../generated/boundary.ts';
import { type Client, LostError, RefusedError } from '../sim/client.ts';
import type { RunId } from '../sim/protocol.ts';
import {
  changes,
  type Edit,
  editsBetween,
  effective,
  furtherEntry,
  type GrowingList,
  isWithin,
  listedEdits,
  movedEdit,
  placedEdits,
  revisedEdit,
  switchedEdit,
  withoutEdit,
} from './edits.ts';
import {
  branched,
  type NamedRun,
  type NamedRuns,
  NO_NAMED_RUNS,
  namedRunOf,
  namedRunsAfter,
  shownOf,
  withNamedRun,
  withoutNamedRun,
  withSecondRun,
} from './namedRuns.ts';
import { byPath, explain, type Notice, ofDocument } from './notices.ts';
import {
  type Done,
  type LiveStep,
  liveStep,
  NO_HISTORY,
  type Opened,
  type Plan,
  recorded,
  redone,
  redoPlan,
  undone,
  undoPlan,
} from './undo.ts';

/** Where a scenario opens that does not say it: far enough for queues to have filled. */
const OPENING_US = 25_000_000;

type Surroundings = {
  readonly client: () => Client;
  readonly schema: Schema;
  readonly frame: Accessor<Frame | undefined>;
  /** Whether a run that is made again plays on from where it is taken to. */
  readonly playsOn: Accessor<boolean>;
  readonly setNotice: Setter<Notice | undefined>;
  /** Where the run is being taken, if it is on its way. */
  readonly aim: () => number | undefined;
  /** Called with the instant to which a run is made again, before that begins. */
  readonly onWay: (untilUs: number) => void;
  /** Runs in the same batch as a run is put on screen: `same` where it is the one that was there, at another instant. */
  readonly onNewRun: (same: boolean) => void;
};

export function createRuns({ client, schema, frame, playsOn, setNotice, aim, onWay, onNewRun }: Surroundings) {
  const [document, setDocument] = createSignal<Json>({});
  const [original, setOriginal] = createSignal<Json>({});
  const [presetName, setPresetName] = createSignal('');
  const [trace, setTrace] = createSignal<TraceSummary>();
  const [problems, setProblems] = createSignal<ReadonlyMap<string, Diagnostic>>(new Map());
  const [history, setHistory] = createSignal(NO_HISTORY);
  /** The runs of this scenario: the one on screen, and those that edits in the past have left. */
  const [namedRuns, setNamedRuns] = createSignal(NO_NAMED_RUNS);
  const edits = createMemo(() => placedEdits(document()));
  /**
   * How many edits the playhead has passed: the document in force changes only there. A signal that is set, not a memo of the
   * frame: the whole form hangs on it, and would be looked through at each frame.
   */
  const [editsPassed, setEditsPassed] = createSignal(0);
  /** Where the latest edit was made: the frame on screen may be older than it. */
  let editedUs = 0;
  const inForce = createMemo(() => {
    editsPassed();
    return effective(document(), Math.max(untrack(nowUs), editedUs));
  });
  const changed = createMemo(() => changes(original(), document()));
  const listed = createMemo(() => listedEdits(original(), document()));
  /** How much differs from the scenario as it was loaded: its fields, edits made since, scheduled edits taken out. */
  const differences = createMemo(() => {
    const kept = listed().filter((e) => e.scheduled).length;
    return changed().length + (listed().length - kept) + (placedEdits(original()).length - kept);
  });
  /** The run on screen. */
  let id: RunId = { run: 0, edit: 0 };
  let runs = 0;

  function nowUs(): number {
    return frame()?.now_us ?? 0;
  }

  function onFrame(next: Frame): void {
    // Frames older than the edit are not shown: this one is where the run is, before the edit too once it went back.
    editedUs = 0;
    setEditsPassed(edits().filter((e) => e.atUs <= next.now_us).length);
  }

  function newRun(): RunId {
    runs += 1;
    return { run: runs, edit: 0 };
  }

  /** Loads a new scenario and takes it to an instant; what is shown before stays if it is refused. A link says what it differs from. */
  async function open(
    text: string,
    name: string,
    useTrace: boolean,
    untilUs = OPENING_US,
    from?: string,
  ): Promise<boolean> {
    return attempt(async () => {
      // Rows of a trace are not kept for a way back.
      const before = runs > 0 && !useTrace && trace() === undefined ? opened() : undefined;
      await load(text, useTrace, untilUs, (next) => ({
        document: next,
        original: from === undefined ? next : readDocument(from),
        name,
        namedRuns: NO_NAMED_RUNS,
        atUs: untilUs,
      }));
      setHistory((h) =>
        before ? recorded(h, { kind: 'open', before, after: { ...opened(), atUs: untilUs } }) : NO_HISTORY,
      );
    });
  }

  /** The scenario on screen with its runs, to be opened again. */
  function opened(): Opened {
    const [name, atUs] = [presetName(), Math.max(editedUs, nowUs())];
    return { document: document(), original: original(), name, namedRuns: namedRuns(), atUs };
  }

  /** Loads a scenario in the place of the one on screen, and shows what `as` makes of its document. */
  async function load(text: string, useTrace: boolean, untilUs: number, as: (next: Json) => Opened): Promise<void> {
    const accepted = await client().load(text, { id: newRun(), useTrace, untilUs, thenPlay: false, keeps: false });
    id = accepted.id;
    const next = as(readDocument(accepted.scenario));
    batch(() => {
      showRun(next.document, false);
      setNamedRuns(next.namedRuns);
      setOriginal(next.original);
      setPresetName(next.name);
      if (!useTrace) setTrace(undefined);
      setProblems(byPath(accepted.diagnostics, ''));
    });
  }

  /** Makes a run of `next` up to an instant; the run of the same document is the same run. */
  async function run(next: Json, untilUs: number, path: string): Promise<boolean> {
    return attempt(async () => {
      const same = equal(next, document());
      onWay(untilUs);
      const accepted = await client().load(writeDocument(next), {
        id: same ? id : newRun(),
        useTrace: trace() !== undefined && getAt(next, 'workload.trace') !== undefined,
        untilUs,
        thenPlay: playsOn(),
        keeps: true,
      });
      id = accepted.id;
      batch(() => {
        showRun(readDocument(accepted.scenario), same);
        setProblems((before) =>
          path === '' && accepted.diagnostics.length === 0 ? before : ofDocument(before, accepted.diagnostics, path),
        );
      });
    }, path);
  }

  function showRun(next: Json, same: boolean): void {
    editedUs = 0;
    setDocument(next);
    if (!same) setNamedRuns((all) => namedRunOf(all, next));
    onNewRun(same);
  }

  /** Makes the run again from a changed document, up to the same instant. */
  async function restartWith(next: Json, path = ''): Promise<boolean> {
    const before = document();
    const done = await run(next, aim() ?? nowUs(), path);
    if (done && !equal(before, document()))
      setHistory((h) => recorded(h, { kind: 'restart', before, after: document() }));
    return done;
  }

  /** Applies edits at the playhead, as far as they are accepted. */
  async function applyLive(all: readonly Edit[], path: string, record = true): Promise<boolean> {
    return attempt(async () => {
      for (const edit of all) {
        const [before, old] = [inForce(), document()];
        const accepted = await client().apply(JSON.stringify(edit));
        id = accepted.id;
        batch(() => {
          editedUs = accepted.nowUs;
          const next = readDocument(accepted.scenario);
          setDocument(next);
          tell(accepted.diagnostics, path);
          const { left } = accepted;
          setNamedRuns((all) =>
            left ? namedRunsAfter(all, { document: old, figures: left }, next) : namedRunOf(all, next),
          );
          // What an edit in the past left is gone back to; any other edit is taken back by its inverse.
          const step: Done = left
            ? { kind: 'restart', before: old, after: next }
            : liveStep(edit, before, accepted.nowUs, initialOf);
          if (record) setHistory((h) => recorded(h, step));
        });
      }
    }, path);
  }

  /** What a field has where a document leaves it out. */
  function initialOf(path: string): Json | undefined {
    return schema.fields(inForce(), parsePath(path))[0]?.initial;
  }

  /** Whether there is a run to edit: before its first event, a change is one of the document. */
  function started(): boolean {
    return nowUs() > 0;
  }

  /** Whether all of it can change while the run goes on. */
  function isLive(all: readonly Edit[]): boolean {
    const paths = all.flatMap((edit) => [...Object.keys(edit.set ?? {}), ...Object.keys(edit.add ?? {})]);
    return paths.every((path) => ['live', 'replace'].includes(schema.editKind(path)));
  }

  /** Sets a field, or all that lies under `path`, as one edit at the playhead; where that cannot be, the run starts again. */
  async function change(path: string, value: Json): Promise<boolean> {
    const edited = editsBetween(inForce(), setAt(inForce(), path, value));
    if (edited?.length === 0) return true;
    const without = takenBack(path, value);
    if (without !== undefined) return restartWith(without, path);
    if (edited && started() && isLive(edited)) return applyLive(edited, path);
    return restartWith(setAt(document(), path, value), path);
  }

  /**
   * The document without the edits of `path` made at this very instant, where `value` is what the field had before them: a value that
   * is set back leaves no edit.
   */
  function takenBack(path: string, value: Json): Json | undefined {
    const here = listed().filter(
      ({ atUs, scheduled, edit }) =>
        !scheduled && atUs === nowUs() && equal(Object.keys(edit.set ?? {}), [path]) && edit.add === undefined,
    );
    if (here.length === 0 || playsOn()) return undefined;
    const next = here.reduceRight((now, { index }) => withoutEdit(now, index), document());
    const before = getAt(effective(next, nowUs()), path) ?? initialOf(path);
    return equal(before, value) ? next : undefined;
  }

  /** Takes a document as it is written: what differs is one edit at the playhead if all of it is live, else the run starts again. */
  async function applyDocument(next: Json): Promise<boolean> {
    const edited = editsBetween(document(), next);
    const sameEdits = equal(getAt(document(), 'edits') ?? [], getAt(next, 'edits') ?? []);
    if (edited && sameEdits && started() && isLive(edited)) return applyLive(edited, '');
    return restartWith(next);
  }

  /** Adds a pool or a client like the last one, or as the schema begins it where there is none. */
  async function add(list: GrowingList): Promise<boolean> {
    const [field] = schema.fields(inForce(), parsePath(list));
    const entry = furtherEntry(inForce(), list) ?? (field?.input.kind === 'list' ? field.input.start : undefined);
    if (entry === undefined) return false;
    if (started()) return applyLive([{ add: { [list]: entry } }], list);
    const items = getAt(document(), list);
    return restartWith(setAt(document(), list, [...(Array.isArray(items) ? items : []), entry]), list);
  }

  async function removeEdit(index: number): Promise<void> {
    await restartWith(withoutEdit(document(), index));
  }

  async function moveEdit(index: number, atUs: number): Promise<void> {
    await restartWith(movedEdit(document(), index, Math.max(0, Math.round(atUs))));
  }

  /** Switches an edit off, or on again. */
  async function switchEdit(index: number): Promise<void> {
    await restartWith(switchedEdit(document(), index));
  }

  async function reviseEdit(index: number, path: string, value: Json): Promise<boolean> {
    return restartWith(revisedEdit(document(), index, path, value), `edits[${index}]`);
  }

  // ---- runs of this scenario -------------------------------------------------------------------------------------

  /** The figures of the run on screen; asked for where it was computed further than those that are known. */
  async function figuresShown(): Promise<RunFigures> {
    const known = shownOf(namedRuns())?.figures;
    return known !== undefined && known.computed_us === frame()?.computed_us ? known : client().figures();
  }

  /** Shows another run, at the instant shown. */
  async function showNamedRun(run: NamedRun): Promise<void> {
    await refreshNamedRun();
    await restartWith(run.document);
  }

  /** What the list says of the run on screen is brought up to date. */
  async function refreshNamedRun(): Promise<void> {
    const figures = await figuresShown();
    setNamedRuns((all) => withNamedRun(all, all.shown, { figures }));
  }

  /** Keeps the run on screen as it is, under its name, and goes on in another one. */
  async function branch(): Promise<void> {
    const figures = await figuresShown();
    const kept = { document: document(), figures };
    setNamedRuns((all) => branched(all, kept, document()));
  }

  /** Keeps the run on screen under its name and shows that of another document, at the same instant. */
  async function applyAsRun(next: Json): Promise<boolean> {
    if (equal(next, document())) return true;
    const known = namedRuns().all.find((run) => equal(run.document, next));
    if (known) {
      await showNamedRun(known);
      return equal(next, document());
    }
    await branch();
    return restartWith(next);
  }

  async function reset(): Promise<void> {
    await restartWith(original());
  }

  // ---- undo ------------------------------------------------------------------------------------------------------

  /** One step after the other: keys come faster than a run answers, and each of them counts. */
  let latest: Promise<void> = Promise.resolve();
  function stepHistory(
    next: () => Done | undefined,
    planned: (step: Done) => Plan,
    then: (plan: Plan, step: Done) => void,
  ): Promise<void> {
    latest = latest.then(async () => {
      const step = next();
      if (!step) return;
      const plan = planned(step);
      if (await carryOut(plan)) then(plan, step);
    });
    return latest;
  }

  /** Tells whether a step of the history was taken. */
  async function carryOut(plan: Plan): Promise<boolean> {
    switch (plan.kind) {
      case 'edit':
        return applyLive([plan.edit], '', false);
      case 'run':
        return run(plan.document, aim() ?? nowUs(), '');
      case 'runs':
        setNamedRuns(namedRunOf(plan.namedRuns, document()));
        return true;
      case 'open': {
        const { opened: again } = plan;
        return attempt(() =>
          load(writeDocument(again.document), false, again.atUs, (next) => ({ ...again, document: next })),
        );
      }
    }
  }

  /** Changes the list of runs, not what is on screen. */
  function listAs(after: NamedRuns): void {
    const before = namedRuns();
    setNamedRuns(after);
    setHistory((h) => recorded(h, { kind: 'runs', before, after }));
  }

  /** Where an edit was made that was the latest thing to happen: the frame on screen may be older. */
  const editNowUs = (): number => Math.max(editedUs, nowUs());

  function undo(): Promise<void> {
    return stepHistory(
      () => history().done.at(-1),
      // A run that plays is beyond the frame on screen.
      (step) => undoPlan(step, document(), nowUs() + (playsOn() ? 1 : 0)),
      (plan, step) => {
        setHistory((h) => undone(h, plan, editNowUs()));
        if (step.kind === 'live' && plan.kind === 'edit') void offerTakingOut(step, editNowUs());
      },
    );
  }

  /** What has acted is not undone by what takes it back: the reader may have the run without both. */
  async function offerTakingOut(step: LiveStep, atUs: number): Promise<void> {
    const { forgotten, takenBackSaid, takenOut } = await import('./takenBack.ts');
    const takeOut = async (): Promise<void> => {
      const found = takenOut(history(), document());
      if (found && (await run(found.document, found.fromUs, ''))) setHistory(forgotten);
    };
    const found = takenOut(history(), document());
    if (found) setNotice({ kind: 'ask', ...takenBackSaid(step, atUs, found.fromUs), run: () => void takeOut() });
  }

  function redo(): Promise<void> {
    return stepHistory(
      () => history().undone.at(-1),
      (step) => redoPlan(step, inForce(), document(), nowUs()),
      (plan) => setHistory((h) => redone(h, plan, editNowUs())),
    );
  }

  // ---- problems --------------------------------------------------------------------------------------------------

  /** Runs an action whose refusal is the user's to see, by the field it is about. */
  async function attempt(action: () => Promise<void>, path = ''): Promise<boolean> {
    try {
      await action();
      // What was refused before is mended, or was about something else that goes on.
      setNotice((notice) => (notice?.kind === 'problem' ? undefined : notice));
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

  /** What is wrong with one field and under it replaces what was; other fields keep what is wrong with them. */
  function tell(diagnostics: readonly Diagnostic[], path: string): void {
    const found = byPath(diagnostics, path);
    // What was refused has no rows of its own: it is told at the field that was changed.
    const refused = diagnostics.find((d) => d.severity === 'error');
    const here: readonly [string, Diagnostic][] = path !== '' && refused && !found.has(path) ? [[path, refused]] : [];
    setProblems((before) => {
      const others = path === '' ? [] : [...before].filter(([at]) => !isWithin(at, path));
      return new Map([...others, ...here, ...found]);
    });
  }

  return {
    document,
    original,
    presetName,
    trace,
    setTrace,
    problems,
    setProblems,
    edits,
    listed,
    editsPassed,
    inForce,
    changed,
    differences,
    canUndo: () => history().done.length > 0,
    canRedo: () => history().undone.length > 0,
    onFrame,
    open,
    restartWith,
    applyDocument,
    change,
    add,
    removeEdit,
    moveEdit,
    switchEdit,
    reviseEdit,
    namedRuns,
    showNamedRun,
    applyAsRun,
    branch,
    /** Lists the second run of a link beside the one on screen. */
    addSecondRun: (name: string, scenario: string) =>
      setNamedRuns(withSecondRun(document(), { name, document: readDocument(scenario) })),
    refreshNamedRun,
    renameNamedRun: (id: number, name: string) => listAs(withNamedRun(namedRuns(), id, { name })),
    removeNamedRun: (id: number) => listAs(withoutNamedRun(namedRuns(), id)),
    reset,
    undo,
    redo,
  };
}
