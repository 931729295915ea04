// Pools and clients as entries of the form: a heading for each if there are several, a button that adds one, a button
// that empties one. None is ever removed, because the run and its edits refer to positions.
import { createSignal, type JSX, Show, untrack } from 'solid-js';
import { getAt, isObject, type Json, joinPath } from '../../base/json.ts';
import { plain } from '../../base/units.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import type { GrowingList } from '../../state/edits/edits.ts';
import { dividable } from '../../state/edits/roles.ts';
import { entryName, entryOf, lengthOf, message, placeOf, type Section } from '../parts/formFields.ts';

type EntryKind = {
  readonly list: GrowingList;
  readonly word: string;
  /** The field whose section has the buttons. */
  readonly field: string;
  readonly empty: string;
  readonly emptied: string;
  readonly meaning: string;
};

const KINDS: readonly EntryKind[] = [
  {
    list: 'cluster.pools',
    word: 'Pool',
    field: 'replicas',
    empty: 'Drain pool',
    emptied: 'Drained',
    meaning: '0 replicas: they finish their requests and get no new ones',
  },
  {
    list: 'workload.clients',
    word: 'Client',
    field: 'arrivals',
    empty: 'Stop traffic',
    emptied: 'Stopped',
    meaning: '0 requests per second; requests under way finish',
  },
];

/** The kind of entry in a section. */
export function entryKindOf(section: Section): EntryKind | undefined {
  return KINDS.find(({ list, field }) => section.paths.includes(`${list}[*].${field}`));
}

/** The path of the amount of a pool or client: replicas, or requests per second. Undefined if there is none. */
function amountPath(document: Json, list: string, index: number): string | undefined {
  const entry = joinPath(list, index);
  if (list === 'cluster.pools') return `${entry}.replicas`;
  const arrivals = getAt(document, `${entry}.arrivals`);
  const [kind] = isObject(arrivals) ? Object.keys(arrivals) : [];
  return kind === undefined ? undefined : `${entry}.arrivals.${kind}.rate_per_s`;
}

/** Whether an edit added the entry, so that nothing in it differs from the loaded scenario. */
export function isAdded(original: Json, path: string): boolean {
  const entry = entryOf(path);
  return entry !== undefined && getAt(original, entry) === undefined;
}

/** The entry that the user added last: it is open, and its name has the focus. */
const [justAdded, setJustAdded] = createSignal('');
export const isJustAdded = (entry: string): boolean => untrack(justAdded) === entry;

/** The id of an entry's name in the page. */
export function headId(section: Section, entry: string): string {
  return `${section.title}-${entry}`.replaceAll(/[^\w-]/g, '-');
}

export function EntryHead(props: {
  app: Pick<App, 'document'>;
  section: Section;
  entry: string;
  open: boolean;
  children: JSX.Element;
}): JSX.Element {
  const app = props.app;
  const kind = () => entryKindOf(props.section);
  const amount = () => {
    const { list, index } = placeOf(props.entry);
    const path = amountPath(app.document.inForce(), list, index);
    return path === undefined ? undefined : { path, value: getAt(app.document.inForce(), path) };
  };
  const addedUs = (): number | undefined => {
    const { list, index } = placeOf(props.entry);
    const before = lengthOf(app.document.current(), list);
    return app.document.edits().filter((e) => e.edit.add?.[list] !== undefined)[index - before]?.atUs;
  };
  return (
    <div class="group" classList={{ new: addedUs() !== undefined }}>
      <h3>{props.children}</h3>
      <Show when={props.open && addedUs() !== undefined}>
        <span class="m">added at {plain((addedUs() ?? 0) / 1e6)} s</span>
      </Show>
      <Show when={props.open && kind()}>
        {(k) => (
          <Show when={amount()}>
            {(a) => (
              <button
                type="button"
                class="btn box"
                title={k().meaning}
                aria-label={`${a().value === 0 ? k().emptied : k().empty}: ${entryName(app.document.inForce(), props.entry)}, ${k().meaning}`}
                disabled={a().value === 0}
                onClick={() => void app.document.change(a().path, 0)}
              >
                {a().value === 0 ? k().emptied : k().empty}
              </button>
            )}
          </Show>
        )}
      </Show>
    </div>
  );
}

export function AddEntry(props: { app: Pick<App, 'document'>; section: Section }): JSX.Element {
  const app = props.app;
  const kind = () => entryKindOf(props.section);
  const add = async (list: GrowingList): Promise<void> => {
    const index = lengthOf(app.document.inForce(), list);
    const entry = joinPath(list, index);
    setJustAdded(entry);
    if (!(await app.document.add(list))) return;
    requestAnimationFrame(() => {
      const name = document.getElementById(headId(props.section, entry));
      name?.focus({ preventScroll: true });
      name?.closest('fieldset')?.scrollIntoView({ block: 'nearest' });
    });
  };
  const offered = () => {
    const k = kind();
    // A trace replaces the clients.
    return k && (k.list === 'cluster.pools' || !getAt(app.document.inForce(), 'workload.trace')) ? k : undefined;
  };
  return (
    <Show when={offered()}>
      {(k) => (
        <div class="more">
          <span class="m">Copy of the last</span>
          <div class="v">
            <button
              type="button"
              class="btn box add"
              aria-label={`Add ${k().word.toLowerCase()}`}
              onClick={() => void add(k().list)}
            >
              <Icon name="plus" />
              {k().word}
            </button>
          </div>
          <Show when={app.document.problems().get(k().list)}>
            {(d) => (
              <p class="problem" role="alert">
                {message(d(), k().list)}
              </p>
            )}
          </Show>
        </div>
      )}
    </Show>
  );
}

/** A button that divides the first pool into prefill and decode replicas. */
export function Split(props: { app: Pick<App, 'document' | 'links' | 'dialogs'> }): JSX.Element {
  const app = props.app;
  return (
    <Show when={dividable(app.document.inForce()) !== undefined}>
      <div class="more">
        <span class="m">Prefill apart</span>
        <div class="v">
          <button
            type="button"
            class="btn box add"
            title="Half of the pool’s replicas prefill, the others decode: one edit of the run"
            onClick={async () => {
              const pool = dividable(app.document.inForce());
              const { changeRoles } = await import('../../state/edits/changeRoles.ts');
              if (pool !== undefined) await changeRoles(app, { pool: { pool } });
            }}
          >
            Split
          </button>
        </div>
      </div>
    </Show>
  );
}
