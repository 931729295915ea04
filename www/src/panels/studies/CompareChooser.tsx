// The choices of B: another router, another run of the list, the run without an edit, or the scenario of a link.
import { type Accessor, createMemo, createSignal, For, type JSX, type Setter, Show } from 'solid-js';
import { getAt, type Json, setAt } from '../../base/json.ts';
import { readDocument } from '../../base/text.ts';
import { clock } from '../../base/units.ts';
import type { App } from '../../state/app.ts';
import type { Beside } from '../../state/compare.ts';
import { type ListedEdit, withoutEdit } from '../../state/edits.ts';
import { isLinkText } from '../../state/linkText.ts';
import { choiceText, fieldAt, pathName } from '../parts/formFields.ts';
import { withEditAt } from './editAt.ts';
import './compareChooser.css';

const ROUTING = 'cluster.routing';
type From = 'start' | 'playhead';

/** A choice of B, with a sentence that describes it. */
type Choice = Beside & { readonly label: string; readonly says: string };
/** The choices of one kind. */
type Group = { readonly title: string; readonly all: readonly Choice[] };

export type Choices = {
  readonly groups: Accessor<readonly Group[]>;
  /** When the router of B changes. */
  readonly from: Accessor<From>;
  readonly setFrom: Setter<From>;
};

/** All choices of B that need no typing. */
export function createChoices(app: Pick<App, 'transport' | 'document'>): Choices {
  const [from, setFrom] = createSignal<From>('start');
  const begun = (value: Json): Json =>
    from() === 'start'
      ? setAt(app.document.current(), ROUTING, value)
      : withEditAt(app.document.current(), app.transport.frame()?.now_us ?? 0, { [ROUTING]: value });
  const routers = createMemo(() => {
    const field = fieldAt(app.document.schema, app.document.current(), ROUTING);
    const all = field?.input.kind === 'choice' ? field.input.options : [];
    const own = choiceText(getAt(app.document.current(), ROUTING), field);
    return all.filter((option) => option.label !== own);
  });
  const named = ({ edit }: ListedEdit): string => {
    const paths = [...Object.keys(edit.set ?? {}), ...Object.keys(edit.add ?? {})];
    return paths.map((path) => pathName(app.document.schema, app.document.current(), path)).join(', ');
  };
  // Documents are made when they are read: with a router from the playhead on, they differ at each instant.
  const groups = createMemo((): Group[] => [
    {
      title: 'Router of B',
      all: routers().map(({ label, description, value }) => ({
        name: label,
        label,
        says: description,
        get document() {
          return begun(value);
        },
      })),
    },
    {
      title: 'Another run of the list',
      all: app.document
        .namedRuns()
        .all.filter((run) => run.id !== app.document.namedRuns().shown)
        .map(({ name, document }) => ({ name, label: name, says: 'The run as you left it.', document })),
    },
    {
      // Edits in force: without one of them, B is the run from before that edit.
      title: 'Without an edit',
      all: app.document
        .listed()
        .filter((edit) => !edit.off)
        .map((edit) => ({
          name: `without the edit at ${clock(edit.atUs)} s`,
          label: `${clock(edit.atUs)} s: ${named(edit)}`,
          says: 'Continues from there unchanged.',
          document: withoutEdit(app.document.current(), edit.index),
        })),
    },
  ]);
  return { groups: createMemo(() => groups().filter(({ all }) => all.length > 0)), from, setFrom };
}

/** All choices as lists, and a field for a link. */
export function Chooser(props: {
  app: Pick<App, 'links'>;
  choices: Choices;
  chosen: string | undefined;
  choose: (next: Beside) => void;
}): JSX.Element {
  const [wrong, setWrong] = createSignal(false);
  const openLink = async (text: string): Promise<void> => {
    setWrong(text !== '' && !isLinkText(text));
    if (!isLinkText(text)) return;
    const { scenario, preset } = await props.app.links.read(text);
    props.choose({ name: preset === '' ? 'a link' : `link of ${preset}`, document: readDocument(scenario) });
  };
  const List = (list: { group: Group }): JSX.Element => (
    <label>
      {list.group.title}
      <select
        class="in"
        onChange={(event) => {
          // Chosen by position: two edits of one instant, or two runs, can have the same name.
          const found = list.group.all[Number(event.currentTarget.value || -1)];
          if (found) props.choose({ name: found.name, document: found.document });
        }}
      >
        <option value="">choose…</option>
        <For each={list.group.all}>
          {({ name, label }, i) => (
            <option value={i()} selected={name === props.chosen}>
              {label}
            </option>
          )}
        </For>
      </select>
    </label>
  );
  return (
    <div class="compare-chooser">
      <For each={props.choices.groups()}>
        {(group, i) => (
          <>
            <List group={group} />
            <Show when={i() === 0}>
              <FromWhen choices={props.choices} />
            </Show>
          </>
        )}
      </For>
      <label>
        A link
        <input
          class="in"
          type="text"
          placeholder="#chat-4xh100;cluster.routing=random"
          aria-invalid={wrong()}
          onChange={(event) => void openLink(event.currentTarget.value.trim())}
        />
      </label>
      <p class="compare-trouble" role="alert">
        {wrong() ? 'Not a link: a link contains a # and no spaces.' : ''}
      </p>
    </div>
  );
}

function FromWhen(props: { choices: Choices }): JSX.Element {
  const One = (one: { from: From; says: string }): JSX.Element => (
    <button
      type="button"
      aria-pressed={props.choices.from() === one.from}
      onClick={() => props.choices.setFrom(one.from)}
    >
      {one.says}
    </button>
  );
  return (
    <fieldset class="seg" aria-label="When B starts to differ">
      <One from="start" says="from the start" />
      <One from="playhead" says="from the playhead" />
    </fieldset>
  );
}

/** The view before a choice: all choices with their descriptions. */
export function Proposals(props: { choices: Choices; choose: (next: Beside) => void }): JSX.Element {
  return (
    <div class="proposals">
      <p>What should B change? Both runs get identical traffic and are compared request by request.</p>
      <For each={props.choices.groups()}>
        {(group) => (
          <section>
            <h2>{group.title}</h2>
            <ul>
              <For each={group.all}>
                {(choice) => (
                  <li>
                    <button
                      type="button"
                      onClick={() => props.choose({ name: choice.name, document: choice.document })}
                    >
                      <b>{choice.label}</b>
                      <span>{choice.says}</span>
                    </button>
                  </li>
                )}
              </For>
            </ul>
          </section>
        )}
      </For>
    </div>
  );
}
