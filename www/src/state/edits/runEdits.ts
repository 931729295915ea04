// Edits of the run on screen: at the playhead during the run if possible, else the run restarts.
import { batch } from 'solid-js';
import { equal, getAt, type Json, parsePath, setAt } from '../../base/json.ts';
import type { Schema } from '../../base/schema.ts';
import { readDocument, writeDocument } from '../../base/text.ts';
import { trust } from '../../base/trust.ts';
import type { EditRevision, RunAnswers, RunQuestion, Undo } from '../../generated/boundary.ts';
import type { QueryOf } from '../../sim/packet.ts';
import { namedRunOf, namedRunsAfter } from '../run/namedRuns.ts';
import type { Opening } from '../run/runLoading.ts';
import { type RunProblems, type RunState, type Surroundings, underWords, wordsOf } from '../run/runState.ts';
import { type Edit, type GrowingList, withoutEdit, writtenEdit } from './edits.ts';
import { type Done, type MadeEdit, recorded } from './undo.ts';

export type Live = ReturnType<typeof createLive>;

/** The answer of the simulation about the run; undefined if it refuses, with its problems shown at `path`. */
type AskRun = <K extends keyof RunAnswers>(
  kind: K,
  query: QueryOf<RunQuestion, K>,
  path?: string,
) => Promise<RunAnswers[K] | undefined>;

export function createLive({ client, schema }: Surroundings, state: RunState, { attempt, tell }: RunProblems) {
  const { document, inForce, showDocument, setNamedRuns, setHistory, latest } = state;

  const ask: AskRun = async (kind, query, path = '') => {
    let answer: RunAnswers[typeof kind] | undefined;
    await attempt(async () => {
      answer = await client().ask(kind, query);
    }, path);
    return answer;
  };

  /** Applies edits at the playhead, as far as they are accepted. */
  async function applyLive(all: readonly Edit[], path: string, record = true): Promise<boolean> {
    return attempt(async () => {
      for (const edit of all) {
        const old = document();
        const accepted = await client().apply(JSON.stringify(edit));
        latest.id = accepted.id;
        batch(() => {
          latest.editedUs = accepted.nowUs;
          const next = underWords(readDocument(accepted.scenario), wordsOf(old));
          const made = showDocument(next, accepted.documents).latest;
          latest.made = made && { atUs: accepted.nowUs, written: writtenEdit(next, made.index) };
          tell(accepted.diagnostics, path);
          const { left } = accepted;
          setNamedRuns((all) =>
            left ? namedRunsAfter(all, { document: old, figures: left }, next) : namedRunOf(all, next),
          );
          // Undo of an edit in the past shows the old run again; any other edit is undone by its inverse.
          const step: Done | undefined = left
            ? { kind: 'restart', before: old, after: next }
            : latest.made && made && liveStep(edit, latest.made, made.undo);
          if (record && step) setHistory((h) => recorded(h, step));
        });
      }
    }, path);
  }

  function liveStep(edit: Edit, made: MadeEdit, { back, again, added }: Undo): Done {
    const set = Object.entries(trust<Record<string, Json>>(back)).map(([path, value]) => [
      path,
      value ?? schema.fields(inForce(), parsePath(path))[0]?.initial ?? null,
    ]);
    const redo = again === undefined ? edit : { set: trust<Record<string, Json>>(again) };
    return { kind: 'live', made, edit, back: { set: Object.fromEntries(set) }, again: redo, added };
  }

  /** A document of the simulation, under the title and note of the page. */
  const worded = (text: string): Json => underWords(readDocument(text), wordsOf(document()));

  return { applyLive, ask, worded };
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

/** Whether all of it can change during the run. */
function canBeEdits(schema: Schema, all: readonly Edit[]): boolean {
  const paths = all.flatMap((edit) => [...Object.keys(edit.set ?? {}), ...Object.keys(edit.add ?? {})]);
  return paths.every((path) => ['live', 'replace'].includes(schema.editKind(path)));
}

/** Changes by kind: a field, a whole document, a further pool or client. */
export function createChanges(page: Surroundings, state: RunState, live: Live, { restartWith }: Opening) {
  const { schema } = page;
  const { document, inForce, listed, nowUs } = state;
  const rename = createRename(state);
  const { applyLive, ask, worded } = live;
  /** Whether there is a run to edit; before its first event, a change applies to the document. */
  const started = (): boolean => nowUs() > 0;
  const isLive = (all: readonly Edit[]): boolean => canBeEdits(schema, all);

  /**
   * Sets a field, or everything under `path`, as one edit at the playhead; if that is not possible, the run restarts. A
   * value set back at the instant of its edit leaves no edit.
   */
  async function change(path: string, value: Json): Promise<boolean> {
    if (isWord(path) && typeof value === 'string') {
      rename(path, value);
      return true;
    }
    if (equal(getAt(inForce(), path), value)) return true;
    const kept = listed().flatMap(({ index, scheduled }) => (scheduled ? [index] : []));
    const setting = await ask('set-field', { path, value, kept }, path);
    if (!setting) return false;
    if (setting.without !== null && !page.playsOn()) return restartWith(worded(setting.without), path);
    // On its way to an instant the simulation may be where the field has the value already.
    const edits =
      setting.edits?.length === 0 ? [{ set: { [path]: value } }] : trust<readonly Edit[] | null>(setting.edits);
    if (edits && started() && isLive(edits)) return applyLive(edits, path);
    return restartWith(setAt(document(), path, value), path);
  }

  /** Makes an edit at the playhead; before the first event it changes the document. */
  async function applyEdit(edit: Edit, path: string): Promise<boolean> {
    if (Object.keys({ ...edit.set, ...edit.add }).length === 0 && edit.fault === undefined) return true;
    if (started() && isLive([edit])) return applyLive([edit], path);
    const begun = await ask('begun-with', JSON.stringify(edit), path);
    return begun !== undefined && restartWith(worded(begun), path);
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
    const edited = trust<readonly Edit[] | null | undefined>(await ask('edits-to', writeDocument(changed)));
    const sameEdits = equal(getAt(document(), 'edits') ?? [], getAt(next, 'edits') ?? []);
    if (edited && sameEdits && started() && isLive(edited)) return (await applyLive(edited, '')) && renamed();
    return restartWith(next);
  }

  /** Adds a pool or a client like the last one, or the schema's first value if there is none. */
  async function add(list: GrowingList): Promise<boolean> {
    const [field] = schema.fields(inForce(), parsePath(list));
    const further = trust<Edit | null | undefined>(await ask('further-entry', list, list));
    const entry = further?.add?.[list] ?? (field?.input.kind === 'list' ? field.input.start : undefined);
    if (entry === undefined) return false;
    if (started()) return applyLive([{ add: { [list]: entry } }], list);
    const items = getAt(document(), list);
    return restartWith(setAt(document(), list, [...(Array.isArray(items) ? items : []), entry]), list);
  }

  return { change, rename, applyEdit, applyDocument, add };
}

/** The edits of the run, one by one. */
export function createEditList({ document }: RunState, { ask, worded }: Live, { restartWith }: Opening) {
  async function revise(index: number, revision: EditRevision, path = ''): Promise<boolean> {
    const revised = await ask('revised', { index, revision }, path);
    return revised !== undefined && restartWith(worded(revised), path);
  }

  return {
    removeEdit: async (index: number): Promise<void> => {
      await restartWith(withoutEdit(document(), index));
    },
    moveEdit: async (index: number, atUs: number): Promise<void> => {
      await revise(index, { move: { at_us: Math.max(0, Math.round(atUs)) } });
    },
    /** Ends the fault of an edit at another instant. */
    stretchEdit: async (index: number, untilUs: number): Promise<void> => {
      await revise(index, { stretch: { until_us: Math.max(0, Math.round(untilUs)) } });
    },
    /** Switches an edit off, or on again. */
    switchEdit: async (index: number): Promise<void> => {
      await revise(index, 'switch');
    },
    reviseEdit: (index: number, path: string, value: Json): Promise<boolean> =>
      revise(index, { set: { path, value } }, `edits[${index}]`),
  };
}
