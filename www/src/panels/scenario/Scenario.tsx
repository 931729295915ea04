// The left panel: the scenario as a form, as YAML, and as a list of changes.
import { createEffect, createSignal, type JSX, on, Show } from 'solid-js';
import { writeDocument } from '../../base/text.ts';
import type { App } from '../../state/app.ts';
import { tooltip } from '../../state/commands/shortcuts.ts';
import type { LeftTab } from '../../state/slices/selection.ts';
import { Deferred } from '../parts/Deferred.tsx';
import { LazyPart } from '../parts/LazyPart.tsx';
import { save } from '../parts/save.ts';
import { Tab, TabList, TabPanel, Tabs } from '../parts/Tabs.tsx';
import { Form } from './Form.tsx';
import { Story } from './Story.tsx';

/** `main`: whether this is the main part of the page, as its tab on a phone is. */
export function Scenario(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'dialogs' | 'links'>;
  main: boolean;
}): JSX.Element {
  const app = props.app;
  let form: HTMLDivElement | undefined;
  const [query, setQuery] = createSignal('');
  // Another scenario is read from its note on.
  createEffect(on(app.document.original, () => form?.scrollTo({ top: 0 }), { defer: true }));
  return (
    <section class="left" role={props.main ? 'main' : 'complementary'} aria-label="Scenario">
      <Deferred>
        <Tabs value={app.selection.leftTab()} onChoose={(value) => app.selection.setLeftTab(toTab(value))}>
          <div class="bar">
            <h2 class="bar-title">Scenario</h2>
            <TabList label="Scenario as">
              <Tab value="form">Form</Tab>
              <Tab value="yaml">YAML</Tab>
              <Tab value="changes">
                Changes{' '}
                <Show when={app.document.differences() > 0}>
                  {<span class="ac">{app.document.differences()}</span>}
                </Show>
              </Tab>
            </TabList>
          </div>
          <TabPanel
            value="form"
            kept
            ref={(el) => {
              form = el;
            }}
          >
            {/* Built once the first scenario is open. */}
            <Show when={app.document.presetName() !== ''}>
              <Deferred>
                <Story app={app} />
                <Form app={app} query={query()} onQuery={setQuery} />
              </Deferred>
            </Show>
          </TabPanel>
          <TabPanel value="yaml" kept>
            <LazyPart app={app} what="The YAML editor" load={() => import('./Yaml.tsx')} />
          </TabPanel>
          <TabPanel value="changes" kept>
            <LazyPart app={app} what="The list of changes" load={() => import('./Changes.tsx')} />
          </TabPanel>
        </Tabs>
      </Deferred>
      <div class="lfoot">
        <search class="find">
          <input
            type="search"
            class="in"
            aria-label="Search the form"
            title={tooltip('Find a field by its name, its help or its choices', 'search')}
            placeholder="Find a field"
            value={query()}
            onInput={(event) => {
              setQuery(event.currentTarget.value);
              app.selection.setLeftTab('form');
            }}
            // Escape clears the field without an input event.
            onKeyDown={(event) => event.key === 'Escape' && setQuery('')}
          />
          <kbd>/</kbd>
        </search>
        <button
          type="button"
          class="btn plain-act"
          aria-label="Save as file"
          title="Save the scenario as a file"
          onClick={() => save('scenario.json', `${writeDocument(app.document.current(), 2)}\n`)}
        >
          Save
        </button>
        <button
          type="button"
          class="btn plain-act"
          title="Undo all changes"
          disabled={app.document.differences() === 0}
          onClick={() => void app.document.reset()}
        >
          Reset
        </button>
      </div>
    </section>
  );
}

function toTab(value: string): LeftTab {
  return value === 'yaml' || value === 'changes' ? value : 'form';
}
