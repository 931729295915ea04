// The choices of B: another router, another run of the list, the run without an edit, or the scenario of a link.
import { type Accessor, createMemo, createSignal, For, type JSX, type Setter, Show } from 'solid-js';
import { getAt, type Json } from '../../base/json.ts';
import { readDocument, writeDocument } from '../../base/text.ts';
import { clock } from '../../base/units.ts';
import type { Asking } from '../../sim/asking.ts';
import type { App } from '../../state/app.ts';
import { withoutEdit } from '../../state/edits/edits.ts';
import { isLinkText } from '../../state/links/linkText.ts';
import type { Beside } from '../../state/studies/compare.ts';
import { entrantDocument } from '../../state/studies/race.ts';
import { choiceText, fieldAt, flagSaid } from '../parts/formFields.ts';
import './compareChooser.css';

const ROUTING = 'cluster.routing';
type From = 'start' | 'playhead';

/** A choice of B, with a sentence that describes it, and what makes B once it is chosen. */
export type Choice = { readonly label: string; readonly says: string; readonly make: () => Beside | Promise<Beside> };
/** The choices of one kind. */
type Group = { readonly title: string; readonly all: readonly Choice[] };

export type Choices = {
  readonly groups: Accessor<readonly Group[]>;
  /** When the router of B changes. */
  readonly from: Accessor<From>;
  readonly setFrom: Setter<From>;
};

/** The routers of a run, one after the other, in words. */
export async function routersSaid(thread: Asking<'compare'>, document: Json): Promise<string> {
  return (await thread.ask('policies', { scenario: writeDocument(document), path: ROUTING })).text;
}

/** All choices of B that need no typing. */
export function createChoices(app: Pick<App, 'transport' | 'document'>, thread: Asking<'compare'>): Choices {
  const [from, setFrom] = createSignal<From>('start');
  const begun = async (label: string, value: Json): Promise<Beside> => {
    const fromUs = from() === 'start' ? 0 : (app.transport.frame()?.now_us ?? 0);
    const document = await entrantDocument(thread, app.document.current(), { set: { [ROUTING]: value } }, fromUs);
    return { name: fromUs === 0 ? label : await routersSaid(thread, document), document, choice: label };
  };
  const routers = createMemo(() => {
    const field = fieldAt(app.document.schema, app.document.current(), ROUTING);
    const all = field?.input.kind === 'choice' ? field.input.options : [];
    const own = choiceText(getAt(app.document.current(), ROUTING), field);
    return all.filter((option) => option.label !== own);
  });
  const groups = createMemo((): Group[] => [
    {
      title: 'Router of B',
      all: routers().map(({ label, description, value }) => ({
        label,
        says: description,
        make: () => begun(label, value),
      })),
    },
    {
      title: 'Another run of the list',
      all: app.document
        .namedRuns()
        .all.filter((run) => run.id !== app.document.namedRuns().shown)
        .map(({ name, document }) => ({
          label: name,
          says: 'The run as you left it.',
          make: () => ({ name, document }),
        })),
    },
    {
      // Edits in force: without one of them, B is the run from before that edit.
      title: 'Without an edit',
      all: app.document
        .listed()
        .filter((edit) => !edit.off)
        .map((edit) => {
          const label = `${clock(edit.atUs)} s: ${flagSaid(app, edit.edit)}`;
          const name = `without the edit at ${clock(edit.atUs)} s`;
          const document = (): Json => withoutEdit(app.document.current(), edit.index);
          return {
            label,
            says: 'Continues from there unchanged.',
            make: () => ({ name, document: document(), choice: label }),
          };
        }),
    },
  ]);
  return { groups: createMemo(() => groups().filter(({ all }) => all.length > 0)), from, setFrom };
}

/** All choices as lists, and a field for a link. */
export function Chooser(props: {
  app: Pick<App, 'links'>;
  choices: Choices;
  /** The label of what is chosen. */
  chosen: string | undefined;
  choose: (next: Pick<Choice, 'make'>) => void;
}): JSX.Element {
  const [wrong, setWrong] = createSignal(false);
  const openLink = async (text: string): Promise<void> => {
    setWrong(text !== '' && !isLinkText(text));
    if (!isLinkText(text)) return;
    const { scenario, preset } = await props.app.links.read(text);
    const name = preset === '' ? 'a link' : `link of ${preset}`;
    props.choose({ make: () => ({ name, document: readDocument(scenario) }) });
  };
  const List = (list: { group: Group }): JSX.Element => (
    <label>
      {list.group.title}
      <select
        class="in"
        onChange={(event) => {
          // Chosen by position: two edits of one instant, or two runs, can have the same name.
          const found = list.group.all[Number(event.currentTarget.value || -1)];
          if (found) props.choose(found);
        }}
      >
        <option value="">choose…</option>
        <For each={list.group.all}>
          {({ label }, i) => (
            <option value={i()} selected={label === props.chosen}>
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
export function Proposals(props: { choices: Choices; choose: (next: Choice) => void }): JSX.Element {
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
                    <button type="button" onClick={() => props.choose(choice)}>
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
