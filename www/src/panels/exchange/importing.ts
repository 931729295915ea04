// The state of the dialog of imports: the texts, what the reader found in them, the choices and the selected key.

import { type Accessor, batch, createMemo, createSignal, onCleanup, type Setter } from 'solid-js';
import { sentence } from '../../base/keyWords.ts';
import type { Schema } from '../../base/schema.ts';
import { writeDocument } from '../../base/text.ts';
import { Asking } from '../../sim/asking.ts';
import { LostError, RefusedError } from '../../sim/client.ts';
import type {
  ImportChange,
  Imported,
  ImportedKey,
  NamedText,
  Settled,
  Standing,
  TrafficAsked,
} from '../../sim/exchangeTypes.ts';
import type { App } from '../../state/app.ts';
import { explain } from '../../state/notices/notices.ts';
import { lastName, readAs } from './lines.ts';
import { SAYING, STANDINGS } from './standings.ts';

/** The time from the last key to reading again. */
const READ_MS = 150;

/** A text, which can be changed where it stands. */
export type Piece = { readonly name: string; readonly text: Accessor<string>; readonly setText: Setter<string> };

/** The traffic that the core chooses. */
const NOTHING_ASKED: TrafficAsked = { rate_per_s: null, prompt_tokens: null, output_tokens: null };

export type Filter = 'all' | Exclude<Standing, 'shape'>;

export type Importing = ReturnType<typeof createImporting>;

export function createImporting(app: Pick<App, 'document'>) {
  const [pieces, setPieces] = createSignal<readonly Piece[]>([]);
  const [settled, setSettled] = createSignal<readonly Settled[]>([]);
  const [asked, setAsked] = createSignal(NOTHING_ASKED);
  const [wrong, setWrong] = createSignal<readonly (keyof TrafficAsked)[]>([]);
  const [selected, select] = createSignal<number>();
  const [filter, setFilter] = createSignal<Filter>('all');
  const texts = (): readonly NamedText[] =>
    pieces()
      .map(({ name, text }) => ({ name, text: text() }))
      .filter(({ text }) => text.trim() !== '');
  const { found, trouble, reading, soon, now, upToDate } = createReading(app, texts, { settled, asked });

  function add(text: string, name = 'pasted'): void {
    const [own, setText] = createSignal(text.replace(/\n+$/, ''));
    const piece: Piece = { name: unique(name, pieces()), text: own, setText };
    setPieces((before) => [...before.filter((one) => one.text().trim() !== ''), piece]);
    now();
  }
  function change(piece: Piece, text: string): void {
    piece.setText(text);
    soon();
  }
  function settle(field: string, choice: number): void {
    setSettled((before) => [...before.filter((one) => one.field !== field), { field, choice }]);
    now();
  }
  /** Asks for other traffic of a new scenario; an empty text leaves the choice to the core. */
  function askFor(field: keyof TrafficAsked, text: string): void {
    const value = text.trim() === '' ? null : Number(text);
    const isWrong = value !== null && !Number.isFinite(value);
    setWrong((before) => [...before.filter((one) => one !== field), ...(isWrong ? [field] : [])]);
    if (isWrong) return;
    setAsked((before) => ({ ...before, [field]: value }));
    soon();
  }
  /** Takes the nearest name of an unknown key. */
  function takeNearest(index: number): void {
    const read = found();
    const file = read?.documents[read.keys[index]?.document ?? -1]?.file;
    const piece = pieces().find(({ name }) => name === file);
    const text = read && piece && readAs(piece.text(), read, index);
    if (!piece || text === undefined) return;
    piece.setText(text);
    now();
  }
  const shown = createMemo(() => rowsOf(found()?.keys ?? [], filter()));
  return {
    ...{ pieces, add, change, settled, settle, takeNearest, texts, found, trouble, reading },
    ...{ askFor, wrong, upToDate },
    ...{ selected, select, filter, setFilter, shown },
    /** The chosen index of the conflict about a field. */
    conflictOf: (field: string) => found()?.conflicts.find((conflict) => conflict.field === field),
    read: now,
  };
}

/** A name that no other text has. */
function unique(name: string, pieces: readonly Piece[]): string {
  const taken = new Set(pieces.map((piece) => piece.name));
  for (let n = 1; ; n += 1) {
    const wanted = n === 1 ? name : `${name} ${n}`;
    if (!taken.has(wanted)) return wanted;
  }
}

/** Reads the texts in a thread of its own, at once or when typing rests. */
function createReading(
  app: Pick<App, 'document'>,
  texts: () => readonly NamedText[],
  choices: { readonly settled: Accessor<readonly Settled[]>; readonly asked: Accessor<TrafficAsked> },
) {
  const reader = new Asking('exchange');
  const [found, setFound] = createSignal<Imported>();
  const [trouble, setTrouble] = createSignal('');
  const [reading, setReading] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest = 0;
  let underWay: Promise<void> = Promise.resolve();
  onCleanup(() => {
    clearTimeout(timer);
    reader.end();
  });

  function told(next: Imported | undefined, said: string): void {
    batch(() => {
      setFound(next);
      setTrouble(said);
      setReading(false);
    });
  }
  async function read(): Promise<void> {
    latest += 1;
    const mine = latest;
    const asked = texts();
    if (asked.length === 0) {
      told(undefined, '');
      return;
    }
    setReading(true);
    const into = writeDocument(app.document.current());
    try {
      const { settled, asked: traffic } = choices;
      const next = await reader.ask('import', { texts: asked, into, settled: settled(), asked: traffic() });
      if (mine === latest) told(labelled(next, app.document.schema), '');
    } catch (error) {
      if (mine === latest) told(found(), reasonOf(error));
    }
  }
  function now(): void {
    clearTimeout(timer);
    timer = undefined;
    underWay = read();
  }
  return {
    ...{ found, trouble, reading, now },
    soon: () => {
      clearTimeout(timer);
      // Nothing is taken over from a text that was not read yet.
      setReading(true);
      timer = setTimeout(now, READ_MS);
    },
    /** What was found in the texts and choices as they are now: what was typed last is read before. */
    upToDate: async () => {
      if (timer !== undefined) now();
      await underWay;
      return found();
    },
  };
}

/** What was found, with the label and the effect of each field that changes. */
function labelled(found: Imported, schema: Schema): Imported {
  const named = (change: ImportChange): ImportChange => ({
    label: String(schema.said(change.field, 'x-label') ?? sentence(lastName(change.field).replaceAll('_', ' '))),
    effect: schema.editKind(change.field),
    ...change,
  });
  return { ...found, changes: found.changes.map(named) };
}

/** Why nothing could be read. */
export function reasonOf(error: unknown): string {
  if (error instanceof RefusedError) return error.diagnostics.map(explain).join(' · ');
  if (error instanceof LostError) return 'The reader could not be loaded; check the network. The text stays here.';
  return error instanceof Error ? error.message : String(error);
}

/** A key with its index. */
export type Row = ImportedKey & { readonly index: number };

export type Rows = { readonly trouble: readonly Row[]; readonly exact: readonly Row[]; readonly shape: readonly Row[] };

/** The keys to show: trouble first, each kind in the order of the texts. */
export function rowsOf(keys: readonly ImportedKey[], filter: Filter): Rows {
  const all = keys.map((key, index): Row => ({ ...key, index }));
  const of = (standing: Standing): readonly Row[] => all.filter((row) => row.standing === standing);
  const wanted = (standing: Standing): boolean => filter === 'all' || filter === standing;
  return {
    // Keys of one conflict stand together.
    trouble: SAYING.filter((standing) => STANDINGS[standing].trouble && wanted(standing)).flatMap((standing) =>
      standing === 'conflict' ? of(standing).toSorted((a, b) => a.field.localeCompare(b.field, 'en')) : of(standing),
    ),
    exact: wanted('exact') ? of('exact') : [],
    shape: of('shape'),
  };
}
