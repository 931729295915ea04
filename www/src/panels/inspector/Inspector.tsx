// The right panel: one request, one replica, decisions of autoscalers, the whole run, or the event log.
import { type JSX, lazy, Show } from 'solid-js';
import { NOTHING } from '../../base/view.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { isScaled } from '../../state/edits/scaledPools.ts';
import { lesson } from '../../state/lessons/lesson.ts';
import { stepInspector } from '../../state/run/stepInspector.ts';
import { RIGHT_TABS, type RightTab } from '../../state/slices/selection.ts';
import { calm, switchView } from '../../state/view/calm.ts';
import { area, boxes } from '../../state/view/closeup.ts';
import { Deferred } from '../parts/Deferred.tsx';
import { Tab, TabList, TabPanel, Tabs } from '../parts/Tabs.tsx';
import { RequestPanel } from './RequestPanel.tsx';
import { Way } from './Way.tsx';

const ReplicaPanel = lazy(() => import('./ReplicaPanel.tsx'));
const StepPanel = lazy(() => import('./StepPanel.tsx'));
const ScalingPanel = lazy(() => import('./ScalingPanel.tsx'));
const RunPanel = lazy(() => import('./RunPanel.tsx'));
const LessonPanel = lazy(() => import('../lessons/LessonPanel.tsx'));
const BlockPanel = lazy(() => import('../kv/BlockPanel.tsx'));
const EventLog = lazy(() => import('./EventLog.tsx'));
const SelectionPanel = lazy(() => import('./SelectionPanel.tsx'));

/** `main`: whether this is the main part of the page, as its tab on a phone is. */
export function Inspector(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies' | 'links' | 'dialogs'>;
  main: boolean;
}): JSX.Element {
  const app = props.app;
  const stepped = (): string => (app.selection.rightTab() === 'scaling' ? 'decision' : app.selection.rightTab());
  const steps = (): boolean => ['step', 'request', 'replica', 'decision'].includes(stepped());
  return (
    <section
      class="right"
      classList={{ open: app.selection.drawer() }}
      role={props.main ? 'main' : 'complementary'}
      aria-label="Inspector"
    >
      <Deferred>
        <Tabs value={app.selection.rightTab()} onChoose={(value) => app.selection.setRightTab(toTab(value))}>
          <div class="bar">
            <h2 class="bar-title">Why</h2>
            <TabList label="Inspect">
              <Show when={lesson()}>
                <Tab value="lesson">Lesson</Tab>
              </Show>
              <Show when={area() === 'kv'}>
                <Tab value="block">Block</Tab>
              </Show>
              <Show when={app.selection.rightTab() === 'selection' || boxes().length > 0}>
                <Tab value="selection">Selection</Tab>
              </Show>
              <Show when={app.selection.rightTab() === 'step' || area() === 'lanes'}>
                <Tab value="step">Step</Tab>
              </Show>
              <Tab value="request">Request</Tab>
              <Tab value="replica">Replica</Tab>
              <Show when={app.selection.rightTab() === 'scaling' || isScaled(app.document.current())}>
                <Tab value="scaling">Scaling</Tab>
              </Show>
              <Tab value="run">Run</Tab>
              <Tab value="log">Log</Tab>
            </TabList>
            <button
              type="button"
              class="btn sq slim narrow-only"
              aria-label="Close the inspector"
              onClick={() => {
                app.selection.setDrawer(false);
                app.selection.select(NOTHING);
              }}
            >
              <Icon name="close" />
            </button>
          </div>
          <Way app={app} />
          <TabPanel value="lesson">
            <LessonPanel app={app} />
          </TabPanel>
          <TabPanel value="block">
            <BlockPanel app={app} />
          </TabPanel>
          <TabPanel value="selection">
            <SelectionPanel app={app} />
          </TabPanel>
          <TabPanel value="step">
            <StepPanel app={app} />
          </TabPanel>
          <TabPanel value="request">
            <RequestPanel app={app} />
          </TabPanel>
          <TabPanel value="replica">
            <ReplicaPanel app={app} />
          </TabPanel>
          <TabPanel value="scaling">
            <ScalingPanel app={app} />
          </TabPanel>
          <TabPanel value="run">
            <RunPanel app={app} />
          </TabPanel>
          <TabPanel value="log">
            <EventLog app={app} />
          </TabPanel>
        </Tabs>
        <Foot app={app} steps={steps() ? stepped() : undefined} />
      </Deferred>
    </section>
  );
}

/** The keys of the panel, which are buttons too. */
function Foot(props: {
  app: Pick<App, 'transport' | 'selection' | 'document'>;
  steps: string | undefined;
}): JSX.Element {
  return (
    <div class="rfoot">
      <Show when={!lesson() && !calm()}>
        <button type="button" class="key-act" onClick={switchView}>
          <kbd>W</kbd> calm view
        </button>
      </Show>
      <Show when={props.steps}>
        {(what) => (
          <span>
            <button
              type="button"
              class="key-act"
              aria-label={`Next ${what()}`}
              onClick={() => stepInspector(props.app, 1)}
            >
              <kbd>J</kbd>
            </button>{' '}
            <button
              type="button"
              class="key-act"
              aria-label={`Previous ${what()}`}
              onClick={() => stepInspector(props.app, -1)}
            >
              <kbd>K</kbd>
            </button>{' '}
            next, previous
          </span>
        )}
      </Show>
    </div>
  );
}

function toTab(value: string): RightTab {
  return value === 'lesson' ? value : (RIGHT_TABS.find((tab) => tab === value) ?? 'request');
}
