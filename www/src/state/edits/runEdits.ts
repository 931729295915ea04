// Edits of the run on screen: at the playhead during the run if possible, else the run restarts.
import { batch } from 'solid-js';
import { equal, getAt, type Json, parsePath, setAt } from '../../base/json.ts';
import { readDocument } from '../../base/text.ts';
import { namedRunOf, namedRunsAfter } from '../run/namedRuns.ts';
import type { Opening } from '../run/runLoading.ts';
import { type RunProblems, type RunState, type Surroundings, underWords, wordsOf } from '../run/runState.ts';
import {
  type Edit,
  editsBetween,
  effective,
  furtherEntry,
  type GrowingList,
  movedEdit,
  revisedEdit,
  stretchedEdit,
  switchedEdit,
  withEdit,
  withoutEdit,
} from './edits.ts';
import { type Done, liveStep, recorded } from './undo.ts';

export type Live = ReturnType<typeof createLive>;

export function createLive({ client, schema }: Surroundings, state: RunState, { attempt, tell }: RunProblems) {
  const { document, setDocument, inForce, setNamedRuns, setHistory, latest } = state;

  /** Applies edits at the playhead, as far as they are accepted. */
  async function applyLive(all: readonly Edit[], path: string, record = true): Promise<boolean> {
    return attempt(async () => {
      for (const edit of all) {
        const [before, old] = [inForce(), document()];
        const accepted = await client().apply(JSON.stringify(edit));
        latest.id = accepted.id;
        batch(() => {
          latest.editedUs = accepted.nowUs;
          const next = underWords(readDocument(accepted.scenario), wordsOf(old));
          setDocument(next);
          tell(accepted.diagnostics, path);
          const { left } = accepted;
          setNamedRuns((all) =>
            left ? namedRunsAfter(all, { document: old, figures: left }, next) : namedRunOf(all, next),
          );
          // Undo of an edit in the past shows the old run again; any other edit is undone by its inverse.
          const step: Done = left
            ? { kind: 'restart', before: old, after: next }
            : liveStep(edit, before, accepted.nowUs, initialOf);
          if (record) setHistory((h) => recorded(h, step));
        });
      }
    }, path);
  }

  /** The default of a field missing in a document. */
  function initialOf(path: string): Json | undefined {
    return schema.fields(inForce(), parsePath(path))[0]?.initial;
  }

  return { applyLive, initialOf };
}

const isWord = (path: string): path is 'title' | 'note' => path === 'title' || path === 'note';

/** Gives the run another title or note: words that change no result, so it goes on. */
function createRename({ document, setHistory, setWords }: RunState) {
  return (path: 'title' | 'note', text: string): void => {
    const before = String(getAt(document(), path) ?? '');
    if (text === before) return;
    setHistory((h) => recorded(h, { kind: 'words', before: { path, text: before }, after: { path, text } }));
    setWords({ path, text });
  };
}

/**
 * The document without the edits of `path` made at this instant, if `value` is the value before them: a value set
 * back leaves no edit.
 */
function createTakenBack({ playsOn }: Surroundings, { document, listed, nowUs }: RunState, { initialOf }: Live) {
  return function takenBack(path: string, value: Json): Json | undefined {
    const here = listed().filter(
      ({ atUs, scheduled, edit }) =>
        !scheduled && atUs === nowUs() && equal(Object.keys(edit.set ?? {}), [path]) && edit.add === undefined,
    );
    if (here.length === 0 || playsOn()) return undefined;
    const next = here.reduceRight((now, { index }) => withoutEdit(now, index), document());
    const before = getAt(effective(next, nowUs()), path) ?? initialOf(path);
    return equal(before, value) ? next : undefined;
  };
}

/** The document with an edit at its beginning. */
function withFirst(document: Json, edit: Edit): Json {
  const edits = getAt(document, 'edits');
  return setAt(document, 'edits', [{ at_us: 0, ...edit }, ...(Array.isArray(edits) ? edits : [])]);
}

/** Changes by kind: a field, a whole document, a further pool or client. */
export function createChanges(page: Surroundings, state: RunState, live: Live, { restartWith }: Opening) {
  const { schema } = page;
  const { document, inForce, nowUs } = state;
  const rename = createRename(state);
  const takenBack = createTakenBack(page, state, live);
  const { applyLive } = live;
  /** Whether there is a run to edit; before its first event, a change applies to the document. */
  const started = (): boolean => nowUs() > 0;

  /** Whether all of it can change during the run. */
  function isLive(all: readonly Edit[]): boolean {
    const paths = all.flatMap((edit) => [...Object.keys(edit.set ?? {}), ...Object.keys(edit.add ?? {})]);
    return paths.every((path) => ['live', 'replace'].includes(schema.editKind(path)));
  }

  /**
   * Sets a field, or everything under `path`, as one edit at the playhead; if that is not possible, the run restarts.
   */
  async function change(path: string, value: Json): Promise<boolean> {
    if (isWord(path) && typeof value === 'string') {
      rename(path, value);
      return true;
    }
    const edited = editsBetween(inForce(), setAt(inForce(), path, value));
    if (edited?.length === 0) return true;
    const without = takenBack(path, value);
    if (without !== undefined) return restartWith(without, path);
    if (edited && started() && isLive(edited)) return applyLive(edited, path);
    return restartWith(setAt(document(), path, value), path);
  }

  /** Makes an edit at the playhead; before the first event it changes the document. */
  async function applyEdit(edit: Edit, path: string): Promise<boolean> {
    if (Object.keys({ ...edit.set, ...edit.add }).length === 0 && edit.fault === undefined) return true;
    if (started() && isLive([edit])) return applyLive([edit], path);
    return restartWith(edit.fault === undefined ? withEdit(document(), edit) : withFirst(document(), edit), path);
  }

  /**
   * Applies a whole document: its differences are one edit at the playhead if all are live, else the run restarts. Title
   * and note change nothing in the run.
   */
  async function applyDocument(next: Json): Promise<boolean> {
    const { title, note } = wordsOf(next);
    const renamed = (): true => {
      rename('title', title);
      rename('note', note);
      return true;
    };
    const changed = underWords(next, wordsOf(document()));
    if (equal(changed, document())) return renamed();
    const edited = editsBetween(document(), changed);
    const sameEdits = equal(getAt(document(), 'edits') ?? [], getAt(next, 'edits') ?? []);
    if (edited && sameEdits && started() && isLive(edited)) return (await applyLive(edited, '')) && renamed();
    return restartWith(next);
  }

  /** Adds a pool or a client like the last one, or the schema's first value if there is none. */
  async function add(list: GrowingList): Promise<boolean> {
    const [field] = schema.fields(inForce(), parsePath(list));
    const entry = furtherEntry(inForce(), list) ?? (field?.input.kind === 'list' ? field.input.start : undefined);
    if (entry === undefined) return false;
    if (started()) return applyLive([{ add: { [list]: entry } }], list);
    const items = getAt(document(), list);
    return restartWith(setAt(document(), list, [...(Array.isArray(items) ? items : []), entry]), list);
  }

  return { change, rename, applyEdit, applyDocument, add };
}

/** The edits of the run, one by one. */
export function createEditList({ document }: RunState, { restartWith }: Opening) {
  async function removeEdit(index: number): Promise<void> {
    await restartWith(withoutEdit(document(), index));
  }

  async function moveEdit(index: number, atUs: number): Promise<void> {
    await restartWith(movedEdit(document(), index, Math.max(0, Math.round(atUs))));
  }

  /** Ends the fault of an edit at another instant; `untilUs` is when it is over now. */
  async function stretchEdit(index: number, untilUs: number, nextUs: number): Promise<void> {
    await restartWith(stretchedEdit(document(), index, untilUs, nextUs));
  }

  /** Switches an edit off, or on again. */
  async function switchEdit(index: number): Promise<void> {
    await restartWith(switchedEdit(document(), index));
  }

  async function reviseEdit(index: number, path: string, value: Json): Promise<boolean> {
    return restartWith(revisedEdit(document(), index, path, value), `edits[${index}]`);
  }

  return { removeEdit, moveEdit, stretchEdit, switchEdit, reviseEdit };
}
