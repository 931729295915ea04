// The settings of a race at the left: who runs, entrants of one's own, seeds, and the figure that ranks.
import { createSignal, For, type JSX, lazy, Show, Suspense } from 'solid-js';
import type { Json } from '../../base/json.ts';
import type { Option } from '../../base/schema.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { RankBy } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { freeName, settingsOf } from '../../state/studies/entrants.ts';
import type { Entrant } from '../../state/studies/race.ts';

const EntrantForm = lazy(() => import('./EntrantForm.tsx'));

export const BY: readonly (readonly [RankBy, string])[] = [
  ['met-share', 'objectives met'],
  ['ttft-p99', 'TTFT p99 of all'],
  ['e2e-p99', 'E2E p99 of all'],
  ['goodput', 'goodput'],
  ['usd', 'cost'],
];

/** The policies that can race. The run on screen always does: as its own policy, or as what it did if that changes. */
export function Entrants(props: {
  title: string;
  options: readonly Option[];
  /** The policy of the run, if it has one throughout. */
  own: string | undefined;
  /** What the run did. */
  run: string;
  chosen: ReadonlySet<string>;
  onToggle: (tag: string) => void;
}): JSX.Element {
  return (
    <fieldset class="race-chooser">
      <legend>{props.title}</legend>
      <Show when={props.own === undefined}>
        <label class="check">
          <input type="checkbox" checked disabled />
          {props.run}, this run
        </label>
      </Show>
      <For each={props.options}>
        {(option) => (
          <label class="check">
            <input
              type="checkbox"
              checked={option.tag === props.own || props.chosen.has(option.tag)}
              disabled={option.tag === props.own}
              onChange={() => props.onToggle(option.tag)}
            />
            {option.label}
            {option.tag === props.own ? ', as in this scenario' : ''}
          </label>
        )}
      </For>
    </fieldset>
  );
}

/** Entrants of one's own: from a form, from the run on screen as it is now, or from a run of the list. */
export function OwnEntrants(props: {
  app: Pick<App, 'document'>;
  own: readonly Entrant[];
  /** The names of all entrants. */
  taken: readonly string[];
  onChange: (own: readonly Entrant[]) => void;
}): JSX.Element {
  const app = props.app;
  /** The scenario that the form begins with, while it is open. */
  const [form, setForm] = createSignal<Json>();
  const [said, setSaid] = createSignal('');
  const add = (entrant: Entrant): void => {
    props.onChange([...props.own, entrant]);
    setForm(undefined);
    setSaid('');
  };
  const addRun = (name: string, document: Json): void => {
    const set = settingsOf(app.document.current(), document);
    if (Object.keys(set).length > 0) add({ name: freeName(name, props.taken), set });
    else setSaid(`${name} has the same policies as the scenario.`);
  };
  const others = () => {
    const { all, shown } = app.document.namedRuns();
    return all.filter((run) => run.id !== shown);
  };
  return (
    <fieldset class="race-chooser own-entrants">
      <legend>Own entrants</legend>
      <For each={props.own}>
        {(entrant) => (
          <span class="own-entrant">
            {entrant.name}
            <button
              type="button"
              class="btn sq"
              aria-label={`Remove ${entrant.name}`}
              onClick={() => props.onChange(props.own.filter((one) => one !== entrant))}
            >
              <Icon name="close" />
            </button>
          </span>
        )}
      </For>
      <Show
        when={form()}
        fallback={
          <div class="compare-buttons flat">
            <button type="button" class="btn box" onClick={() => setForm(app.document.inForce())}>
              Add an entrant…
            </button>
            <button
              type="button"
              class="btn box"
              title="The policies in force at the playhead, from the start of the run"
              onClick={() => addRun('As now on screen', app.document.inForce())}
            >
              Add the run as it is now
            </button>
            <For each={others()}>
              {(run) => (
                <button type="button" class="btn box" onClick={() => addRun(run.name, run.document)}>
                  Add {run.name}
                </button>
              )}
            </For>
          </div>
        }
      >
        {(start) => (
          <Suspense>
            <EntrantForm
              app={app}
              base={app.document.current()}
              start={start()}
              taken={props.taken}
              onAdd={add}
              onCancel={() => setForm(undefined)}
            />
          </Suspense>
        )}
      </Show>
      <p class="say" role="status">
        {said()}
      </p>
    </fieldset>
  );
}

/** The figure that ranks the race. */
export function RankedBy(props: { by: RankBy; onBy: (by: RankBy) => void }): JSX.Element {
  return (
    <label>
      Ranked by
      <select
        class="in"
        value={props.by}
        onChange={(event) => {
          const found = BY.find(([name]) => name === event.currentTarget.value);
          if (found) props.onBy(found[0]);
        }}
      >
        <For each={BY}>{([name, label]) => <option value={name}>{label}</option>}</For>
      </select>
    </label>
  );
}
