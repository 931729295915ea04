// The left panel: the scenario as a form, as YAML, and as a list of changes.
import { Tabs } from '@ark-ui/solid/tabs';
import { createEffect, type JSX, on, Show } from 'solid-js';
import { writeDocument } from '../../base/text.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { tooltip } from '../../state/commands/shortcuts.ts';
import type { LeftTab } from '../../state/slices/selection.ts';
import { Deferred } from '../parts/Deferred.tsx';
import { LazyPart } from '../parts/LazyPart.tsx';
import { Seed } from '../parts/Seed.tsx';
import { save } from '../parts/save.ts';
import { Form } from './Form.tsx';
import { Story } from './Story.tsx';

/** `main`: whether this is the main part of the page, as its tab on a phone is. */
export function Scenario(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'dialogs' | 'links'>;
  main: boolean;
}): JSX.Element {
  const app = props.app;
  let form: HTMLDivElement | undefined;
  // Another scenario is read from its note on.
  createEffect(on(app.document.original, () => form?.scrollTo({ top: 0 }), { defer: true }));
  return (
    <section class="left" role={props.main ? 'main' : 'complementary'} aria-label="Scenario">
      <Deferred>
        <Tabs.Root
          class="tabs"
          value={app.selection.leftTab()}
          onValueChange={({ value }) => app.selection.setLeftTab(toTab(value))}
          lazyMount
        >
          <div class="bar">
            <Tabs.List class="seg" aria-label="Scenario as">
              <Tabs.Trigger value="form">Form</Tabs.Trigger>
              <Tabs.Trigger value="yaml">YAML</Tabs.Trigger>
              <Tabs.Trigger value="changes">
                Changes{' '}
                <Show when={app.document.differences() > 0}>
                  {<span class="ac">{app.document.differences()}</span>}
                </Show>
              </Tabs.Trigger>
            </Tabs.List>
            <span class="grow" />
            <button
              type="button"
              class="btn sq slim"
              aria-label="Undo"
              title={tooltip('Undo', 'undo')}
              disabled={!app.document.canUndo()}
              onClick={() => void app.document.undo()}
            >
              <Icon name="undo" />
            </button>
            <button
              type="button"
              class="btn sq slim"
              aria-label="Redo"
              title={tooltip('Redo', 'redo')}
              disabled={!app.document.canRedo()}
              onClick={() => void app.document.redo()}
            >
              <Icon name="redo" />
            </button>
          </div>
          <Tabs.Content value="form" class="tab" ref={form}>
            {/* Built once the first scenario is open. */}
            <Show when={app.document.presetName() !== ''}>
              <Deferred>
                <Story app={app} />
                <Form app={app} />
              </Deferred>
            </Show>
          </Tabs.Content>
          <Tabs.Content value="yaml" class="tab">
            <LazyPart app={app} what="The YAML editor" load={() => import('./Yaml.tsx')} />
          </Tabs.Content>
          <Tabs.Content value="changes" class="tab">
            <LazyPart app={app} what="The list of changes" load={() => import('./Changes.tsx')} />
          </Tabs.Content>
        </Tabs.Root>
      </Deferred>
      <div class="lfoot">
        <button
          type="button"
          class="btn"
          onClick={() => save('scenario.json', `${writeDocument(app.document.current(), 2)}\n`)}
        >
          Save as file
        </button>
        <Seed app={app} class="phone-only" />
        <span class="grow" />
        <button
          type="button"
          class="btn"
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
