// The right panel: one request, one replica, decisions of autoscalers, the whole run, or the event log.
import { Tabs } from '@ark-ui/solid/tabs';
import { type JSX, lazy, Show } from 'solid-js';
import { NOTHING } from '../../base/view.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { isScaled } from '../../state/edits/scaledPools.ts';
import { lesson } from '../../state/lessons/lesson.ts';
import { RIGHT_TABS, type RightTab } from '../../state/slices/selection.ts';
import { area, boxes, setChosenStep } from '../../state/view/closeup.ts';
import { Deferred } from '../parts/Deferred.tsx';
import { RequestPanel } from './RequestPanel.tsx';

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
  const stepBy = (by: number): void => {
    const { request, replica } = app.selection.shown();
    const framed = app.selection.framed();
    if (app.selection.rightTab() === 'scaling') {
      void import('../../state/run/decisions.ts').then(({ stepDecision }) => stepDecision(app, by));
    } else if (app.selection.rightTab() === 'step') {
      setChosenStep((now) => now && { ...now, seq: Math.max(0, now.seq + by) });
    } else if (app.selection.rightTab() === 'replica') {
      const last = (app.transport.frame()?.replicas.length ?? 1) - 1;
      app.selection.select({ request: undefined, replica: Math.max(0, Math.min(last, (framed ?? -by) + by)) });
    } else {
      const last = Math.max(0, (app.transport.frame()?.counts.arrived ?? 1) - 1);
      app.selection.select({ request: Math.max(0, Math.min(last, (request ?? -by) + by)), replica });
    }
  };
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
        <Tabs.Root
          class="tabs"
          value={app.selection.rightTab()}
          onValueChange={({ value }) => app.selection.setRightTab(toTab(value))}
          lazyMount
          unmountOnExit
        >
          <div class="bar">
            <Tabs.List class="seg" aria-label="Inspect">
              <Show when={lesson()}>
                <Tabs.Trigger value="lesson">Lesson</Tabs.Trigger>
              </Show>
              <Show when={area() === 'kv'}>
                <Tabs.Trigger value="block">Block</Tabs.Trigger>
              </Show>
              <Show when={app.selection.rightTab() === 'selection' || boxes().length > 0}>
                <Tabs.Trigger value="selection">Selection</Tabs.Trigger>
              </Show>
              <Show when={app.selection.rightTab() === 'step' || area() === 'lanes'}>
                <Tabs.Trigger value="step">Step</Tabs.Trigger>
              </Show>
              <Tabs.Trigger value="request">Request</Tabs.Trigger>
              <Tabs.Trigger value="replica">Replica</Tabs.Trigger>
              <Show when={app.selection.rightTab() === 'scaling' || isScaled(app.document.current())}>
                <Tabs.Trigger value="scaling">Scaling</Tabs.Trigger>
              </Show>
              <Tabs.Trigger value="run">Run</Tabs.Trigger>
              <Tabs.Trigger value="log">Log</Tabs.Trigger>
            </Tabs.List>
            <span class="grow" />
            <Show when={steps()}>
              <button type="button" class="btn sq slim" aria-label={`Previous ${stepped()}`} onClick={() => stepBy(-1)}>
                <Icon name="up" />
              </button>
              <button type="button" class="btn sq slim" aria-label={`Next ${stepped()}`} onClick={() => stepBy(1)}>
                <Icon name="down" />
              </button>
            </Show>
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
          <Tabs.Content value="lesson" class="tab">
            <LessonPanel app={app} />
          </Tabs.Content>
          <Tabs.Content value="block" class="tab">
            <BlockPanel app={app} />
          </Tabs.Content>
          <Tabs.Content value="selection" class="tab">
            <SelectionPanel app={app} />
          </Tabs.Content>
          <Tabs.Content value="step" class="tab">
            <StepPanel app={app} />
          </Tabs.Content>
          <Tabs.Content value="request" class="tab">
            <RequestPanel app={app} />
          </Tabs.Content>
          <Tabs.Content value="replica" class="tab">
            <ReplicaPanel app={app} />
          </Tabs.Content>
          <Tabs.Content value="scaling" class="tab">
            <ScalingPanel app={app} />
          </Tabs.Content>
          <Tabs.Content value="run" class="tab">
            <RunPanel app={app} />
          </Tabs.Content>
          <Tabs.Content value="log" class="tab">
            <EventLog app={app} />
          </Tabs.Content>
        </Tabs.Root>
      </Deferred>
    </section>
  );
}

function toTab(value: string): RightTab {
  return value === 'lesson' ? value : (RIGHT_TABS.find((tab) => tab === value) ?? 'request');
}
