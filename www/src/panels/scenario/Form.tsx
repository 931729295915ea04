// The scenario's main fields, generated from its JSON Schema, in sections. A row is built when it is first seen: when
// its section, pool or client is opened. Long lists of pools or clients are shown in pages.
import { createEffect, createMemo, createSignal, createUniqueId, For, type JSX, lazy, Show, Suspense } from 'solid-js';
import { equal, getAt, joinPath } from '../../base/json.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { askedField, setAskedField } from '../../state/view/askedField.ts';
import { isSectionOpen, setSectionOpen } from '../../state/view/openSections.ts';
import { Deferred, isBuilding } from '../parts/Deferred.tsx';
import { Disclosure } from '../parts/Disclosure.tsx';
import {
  commonest,
  entriesOf,
  entryName,
  entryOf,
  expand,
  fieldsIn,
  hasNeighbours,
  type PlacedField,
  SECTIONS,
  type Section,
  sameList,
  say,
  saysSomething,
} from '../parts/formFields.ts';
import { LazyPart } from '../parts/LazyPart.tsx';
import { Seed } from '../parts/Seed.tsx';
import { AddEntry, EntryHead, headId, isJustAdded, Split } from './Entries.tsx';
import { FieldRow } from './FieldRow.tsx';

/** Pools or clients listed at a time. */
const STRETCH = 12;
const FoundFields = lazy(() => import('./FoundFields.tsx'));

/** The sections, or the fields that a search finds. */
export function Form(props: {
  app: Pick<App, 'transport' | 'document' | 'dialogs' | 'links'>;
  query: string;
  onQuery: (query: string) => void;
}): JSX.Element {
  createEffect(() => {
    const path = askedField()?.path;
    if (path === undefined) return;
    props.onQuery('');
    requestAnimationFrame(() => focusField(path));
  });
  return (
    <div class="form">
      <Show
        when={props.query.trim() !== ''}
        fallback={
          <For each={SECTIONS}>
            {(section) => (
              <Deferred>
                <FormSection app={props.app} section={section} />
              </Deferred>
            )}
          </For>
        }
      >
        <Suspense>
          <FoundFields app={props.app} query={props.query} />
        </Suspense>
      </Show>
    </div>
  );
}

/** The name under which the further fields of a section are open. */
const moreOf = (title: string): string => `More of ${title}`;

/** Whether a field is one of those under some paths of a section. */
const isUnder = (path: string, paths: readonly string[] = []): boolean =>
  paths.some((one) => path.replace(/\[\d+\]/, '[*]').startsWith(one));

/** Whether a value of a section differs from the loaded scenario. A pool or client that is new is so where its name is. */
function changedIn(app: Pick<App, 'document'>, section: Section): boolean {
  const [now, before] = [app.document.inForce(), app.document.original()];
  if (section.title === 'Run' && !equal(getAt(now, 'seed'), getAt(before, 'seed'))) return true;
  return section.paths.some((path) =>
    expand(now, path).some((steps) => {
      const own = steps.reduce<string>(joinPath, '');
      const entry = entryOf(own);
      if (entry !== undefined && getAt(before, entry) === undefined) return own === `${entry}.name`;
      return !equal(getAt(now, own), getAt(before, own));
    }),
  );
}

/** Goes to a field of the form, and opens the list of its choices. */
function focusField(path: string): void {
  setAskedField(undefined);
  const control = document.querySelector<HTMLElement>(`.f[data-path="${CSS.escape(path)}"] .v :is(button, input)`);
  control?.focus();
  if (control?.matches('[role=combobox]')) control.click();
}

function FormSection(props: {
  app: Pick<App, 'transport' | 'document' | 'dialogs' | 'links'>;
  section: Section;
}): JSX.Element {
  const app = props.app;
  const { title, paths } = props.section;
  const open = (): boolean => isSectionOpen(title);
  const changed = createMemo(() => changedIn(app, props.section));
  // What is changed can be seen, once.
  createEffect(() => changed() && setSectionOpen(title, true, 'for now'));
  createEffect(() => {
    const path = askedField()?.path;
    if (path === undefined) return;
    if (path === 'seed' ? title === 'Run' : isUnder(path, paths)) setSectionOpen(title, true, 'for now');
    if (isUnder(path, props.section.further)) setSectionOpen(moreOf(title), true, 'for now');
  });
  const [help, setHelp] = createSignal(false);
  const body = createUniqueId();
  /** Whether it was ever open: its rows stay once they are built. */
  const made = createMemo((before) => before || open(), false);
  const entries = createMemo(() => entriesOf(app.document.inForce(), props.section), [], { equals: sameList });
  return (
    <section class="sec" classList={{ shut: !open() }} hidden={entries().length === 0}>
      <div class="sec-top">
        <h2>
          <button
            type="button"
            class="sec-head"
            aria-expanded={open()}
            aria-controls={body}
            onClick={() => setSectionOpen(title, !open(), 'kept')}
          >
            <Disclosure open={open()} />
            {title}
            <Show when={!open()}>
              <Summary app={app} section={props.section} entry={entries()[0] ?? ''} />
            </Show>
          </button>
        </h2>
        <Show when={open()}>
          <button
            type="button"
            class="why"
            aria-label={`Explain ${props.section.title}`}
            title={help() ? 'Hide what the fields mean' : 'Meaning and range of the fields, and the effect of an edit'}
            aria-pressed={help()}
            onClick={() => setHelp(!help())}
          >
            ?
          </button>
        </Show>
      </div>
      <div id={body} hidden={!open()}>
        <Show when={made()}>
          <Show when={props.section.title === 'Split' && entries().length > 0}>
            <LazyPart app={app} what="The ratio" load={() => import('./Ratio.tsx')} />
          </Show>
          <Show when={props.section.title === 'Run'}>
            <Seed app={app} />
          </Show>
          <Stretch app={app} section={props.section} entries={entries()} help={help()} />
          <Show when={props.section.further} fallback={<AddEntry app={app} section={props.section} />}>
            <Show when={isSectionOpen(moreOf(title))}>
              <AddEntry app={app} section={props.section} />
            </Show>
            <Show when={title === 'Fleet' && isSectionOpen(moreOf(title))}>
              <Split app={app} />
            </Show>
            <button
              type="button"
              class="btn quiet further"
              aria-label={`${isSectionOpen(moreOf(title)) ? 'Less' : 'More'} of ${title}`}
              aria-expanded={isSectionOpen(moreOf(title))}
              onClick={() => setSectionOpen(moreOf(title), !isSectionOpen(moreOf(title)), 'kept')}
            >
              {isSectionOpen(moreOf(title)) ? 'Less' : 'More'}
            </button>
          </Show>
        </Show>
      </div>
    </section>
  );
}

/** The entries of a section; a long list is shown in pages, with buttons to the others. */
function Stretch(props: {
  app: Pick<App, 'transport' | 'document' | 'dialogs' | 'links'>;
  section: Section;
  entries: readonly string[];
  help: boolean;
}): JSX.Element {
  const [from, setFrom] = createSignal(0);
  const named = createMemo(() => props.entries.filter((entry) => entry !== ''));
  const long = (): boolean => named().length > STRETCH;
  const first = (): number => (long() ? Math.min(from(), Math.floor((named().length - 1) / STRETCH) * STRETCH) : 0);
  const shown = createMemo(() => (long() ? named().slice(first(), first() + STRETCH) : named()), [], {
    equals: sameList,
  });
  // Shows the page with the entry just added.
  createEffect(() => {
    const last = named().length - 1;
    if (last >= 0 && isJustAdded(named()[last] ?? '')) setFrom(Math.floor(last / STRETCH) * STRETCH);
  });
  return (
    <>
      <For each={shown()}>
        {(entry) => <Entry app={props.app} section={props.section} entry={entry} help={props.help} />}
      </For>
      <Show when={long()}>
        <div class="stretch">
          <span class="m">
            {first() + 1}–{first() + shown().length} of {named().length}
          </span>
          <button
            type="button"
            class="btn sq slim"
            aria-label={`The ${STRETCH} before, ${props.section.title}`}
            disabled={first() === 0}
            onClick={() => setFrom(first() - STRETCH)}
          >
            <Icon name="up" />
          </button>
          <button
            type="button"
            class="btn sq slim"
            aria-label={`The next ${STRETCH}, ${props.section.title}`}
            disabled={first() + STRETCH >= named().length}
            onClick={() => setFrom(first() + STRETCH)}
          >
            <Icon name="down" />
          </button>
        </div>
      </Show>
      <Show when={props.entries.includes('')}>
        <Entry app={props.app} section={props.section} entry="" help={props.help} />
      </Show>
    </>
  );
}

/** The summary of a closed section in one line. Parts that do not fit are hidden, never cut. */
function Summary(props: { app: Pick<App, 'document'>; section: Section; entry: string }): JSX.Element {
  const parts = createMemo(() => {
    const document = props.app.document.inForce();
    const said = fieldsIn(props.app.document.schema, document, props.section, props.entry)
      .filter((f) => !f.path.endsWith('.name') && saysSomething(f, getAt(document, f.path)))
      .slice(0, 3)
      .map((f) => say(f, getAt(document, f.path)));
    return props.section.title === 'Run' ? [...said.slice(0, 1), `seed ${getAt(document, 'seed')}`] : said;
  });
  return (
    <span class="sum">
      <For each={parts()} fallback={<span>none</span>}>
        {(part) => <span>{part}</span>}
      </For>
    </span>
  );
}

/**
 * The rows of one pool or client, under its name if there are several, or those that belong to none. If there are
 * several, the first one and those just added are open.
 */
function Entry(props: {
  app: Pick<App, 'transport' | 'document' | 'dialogs' | 'links'>;
  section: Section;
  entry: string;
  help: boolean;
}): JSX.Element {
  const app = props.app;
  const body = createUniqueId();
  const several = (): boolean => hasNeighbours(app.document.inForce(), props.entry);
  const [open, setOpen] = createSignal(props.entry.endsWith('[0]') || isJustAdded(props.entry));
  const shown = (): boolean => open() || !several();
  const made = createMemo((before) => before || shown(), false);
  const rows = () => <Rows app={app} section={props.section} entry={props.entry} help={props.help} />;
  return (
    <Show when={props.entry !== ''} fallback={rows()}>
      <fieldset class="entry" aria-label={entryName(app.document.inForce(), props.entry)}>
        <Show when={several()}>
          <EntryHead app={app} section={props.section} entry={props.entry} open={open()}>
            <button
              type="button"
              class="entry-name"
              id={headId(props.section, props.entry)}
              aria-expanded={open()}
              aria-controls={body}
              onClick={() => setOpen(!open())}
            >
              <Disclosure open={open()} />
              <span>{entryName(app.document.inForce(), props.entry)}</span>
              <Show when={!open()}>
                <Summary app={app} section={props.section} entry={props.entry} />
              </Show>
            </button>
          </EntryHead>
        </Show>
        <div id={body} hidden={!shown()}>
          <Show when={made()}>{rows()}</Show>
        </div>
      </fieldset>
    </Show>
  );
}

function Rows(props: {
  app: Pick<App, 'transport' | 'document' | 'dialogs' | 'links'>;
  section: Section;
  entry: string;
  help: boolean;
}): JSX.Element {
  const app = props.app;
  const fields = createMemo(() => fieldsIn(app.document.schema, app.document.inForce(), props.section, props.entry));
  const byId = createMemo(() => new Map(fields().map((f) => [f.id, f])));
  /** The items of lists whose details are shown. */
  const [opened, setOpened] = createSignal<readonly string[]>([]);
  const turn = (item: string): void =>
    void setOpened((all) => (all.includes(item) ? without(all, item) : [...all, item]));
  const [all, setAll] = createSignal(false);
  const further = (f: PlacedField): boolean => f.further === true && !isSectionOpen(moreOf(props.section.title));
  const usual = (f: PlacedField): boolean =>
    (!f.rare && !further(f)) || !equal(getAt(app.document.inForce(), f.path) ?? f.initial, f.initial);
  const inReach = createMemo(() => fields().filter((f) => f.detail === undefined || opened().includes(f.detail)));
  const ids = createMemo(
    () => inReach().flatMap((f) => ((all() && f.rare && !further(f)) || usual(f) ? [f.id] : [])),
    [],
    {
      equals: sameList,
    },
  );
  const rare = createMemo(() => inReach().filter((f) => f.rare && !further(f) && !usual(f)).length);
  const said = createMemo(() => commonest(fields().map((f) => f.effect)));
  return (
    <>
      <Show when={props.help && said() !== undefined}>
        <p class="help effect">{said()}</p>
      </Show>
      <For each={ids()}>
        {(id) => {
          const field = createMemo<PlacedField | undefined>((old) => byId().get(id) ?? old);
          const row = () => (
            <Show when={field()}>
              {(f) => (
                <FieldRow
                  app={app}
                  field={f()}
                  help={props.help}
                  said={said() ?? ''}
                  {...detailsOf(f(), opened(), turn)}
                />
              )}
            </Show>
          );
          // While the page is built, each row is a deferred part; rows opened later are built at once.
          return isBuilding() ? <Deferred>{row()}</Deferred> : row();
        }}
      </For>
      <Show when={rare() > 0}>
        <button type="button" class="btn quiet further" aria-expanded={all()} onClick={() => setAll(!all())}>
          {all() ? 'Fewer settings' : `${rare()} more settings`}
        </button>
      </Show>
    </>
  );
}

const without = (all: readonly string[], one: string): readonly string[] => all.filter((x) => x !== one);

/** For the row of a list item: whether its details are shown. */
function detailsOf(
  field: PlacedField,
  opened: readonly string[],
  turn: (item: string) => void,
): { details?: { open: boolean; turn: () => void } } {
  const item = field.row?.item;
  return item === undefined ? {} : { details: { open: opened.includes(item), turn: () => turn(item) } };
}
