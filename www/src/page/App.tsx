// The frame of the page: the layout of panels, and the handling of keys and dropped files.
import {
  createComputed,
  createMemo,
  createSignal,
  For,
  type JSX,
  lazy,
  onCleanup,
  onMount,
  Show,
  Suspense,
} from 'solid-js';
import { keepFocus } from '../base/focus.ts';
import { sentence } from '../base/keyWords.ts';
import { createMedia, NARROW_PHONE, PHONE } from '../base/media.ts';
import { plain } from '../base/units.ts';
import { CalmBar } from '../panels/calm/CalmBar.tsx';
import { CalmEdge, CalmFold } from '../panels/calm/CalmEdge.tsx';
import { CalmHead } from '../panels/calm/CalmHead.tsx';
import { Inspector } from '../panels/inspector/Inspector.tsx';
import { afterParts } from '../panels/parts/Deferred.tsx';
import { flagSaid } from '../panels/parts/formFields.ts';
import { LazyPart } from '../panels/parts/LazyPart.tsx';
import { Scenario } from '../panels/scenario/Scenario.tsx';
import { KeyFigures } from '../panels/shell/KeyFigures.tsx';
import { NoticeBar } from '../panels/shell/NoticeBar.tsx';
import { TopBar } from '../panels/shell/TopBar.tsx';
import { Transport } from '../panels/shell/Transport.tsx';
import type { App as AppState } from '../state/app.ts';
import { handleKey, tooltip } from '../state/commands/shortcuts.ts';
import { learning, lesson } from '../state/lessons/lesson.ts';
import { isEmbed, isLinkText } from '../state/links/linkText.ts';
import { playFirst } from '../state/run/firstPlay.ts';
import type { PhoneTab } from '../state/slices/selection.ts';
import { calm, scenarioOpen, setScenarioOpen, switchView } from '../state/view/calm.ts';
import { hasOwnEdits, without, withoutOn } from '../state/view/lastEdit.ts';
import { beginMinute, minute, minuteAsked, showMinute } from '../state/view/minute.ts';
import { sidesHidden } from '../state/view/sidesHidden.ts';
import { AreaView, CalmArea, StageView } from './Views.tsx';

const FirstMinute = lazy(() => import('../panels/calm/FirstMinute.tsx'));
const WithoutEdit = lazy(() => import('../panels/shell/WithoutEdit.tsx'));
const Dialogs = lazy(() => import('../panels/shell/Dialogs.tsx'));
const loadEmbedded = () => import('./Embedded.tsx');
const loadShare = () => import('../panels/shell/Share.tsx');
const loadPalette = () => import('../panels/shell/Palette.tsx');
const loadLinkTrouble = () => import('../panels/shell/LinkTrouble.tsx');
const loadCompare = () => import('./CompareView.tsx');
const loadMeasured = () => import('../panels/measured/MeasuredRuns.tsx');
const loadFindRatio = () => import('../panels/studies/FindRatio.tsx');
const loadLearn = () => import('../panels/lessons/learn/Learn.tsx');
const loadLesson = () => import('./LessonLayer.tsx');
const loadGallery = () => import('../panels/shell/Gallery.tsx');

const PHONE_TABS: readonly PhoneTab[] = ['stage', 'charts', 'scenario', 'inspector'];
/** The same while a lesson is open, which stands in the inspector. */
const LESSON_TABS: readonly PhoneTab[] = ['inspector', 'stage', 'charts', 'scenario'];

/** Where words of the glossary are. */
const TERMS = '.kpi, .blk, figure, [data-term]';

const SKIPS = [
  ['Skip to Play', '.play'],
  ['Skip to the inspector', '.right [role=tab][aria-selected=true]'],
  ['Skip to the charts', '.charts .table-button'],
] as const;

export function App(props: { app: AppState }): JSX.Element {
  const app = props.app;
  /** Whether this is a run within another page. */
  const embedded = isEmbed(location.hash);
  let host: HTMLDivElement | undefined;
  const [dropping, setDropping] = createSignal(false);
  const phone = createMedia(PHONE);
  /** On a phone the shown tab is the main part of the page. */
  const shown = (tab: PhoneTab): boolean => phone() && app.selection.phoneTab() === tab;
  /** Whether the first view is shown, which a phone held across and a run within another page do not have. */
  const upright = createMedia(NARROW_PHONE);
  const first = createMemo(() => calm() && (!phone() || upright()) && !embedded && !app.studies.comparing());
  /** Until the run plays for the first time. */
  const untouched = createMemo((before: boolean) => before && !app.transport.playsOn(), true);
  /** Whether a dialog was ever opened: its code is loaded with the first one, and then stays. */
  const dialogs = createMemo((before) => before || app.dialogs.help() || app.dialogs.reading() !== undefined, false);

  createComputed(() => app.document.setFlagWords(flagWordsOf(app)));
  onMount(() => {
    // The browser compiles the simulation's module on all cores, which would halve the speed of building the page.
    afterParts(() => void app.start().then(() => first() && location.hash === '' && openFirst(app)));
    watchMotion(app);
    watchVisibility(app);
    const key = (event: KeyboardEvent): void => handleKey(event, app, app.dialogs.keys());
    window.addEventListener('keydown', key);
    onCleanup(() => window.removeEventListener('keydown', key));
    if (host) onCleanup(keepFocus(host));
    // Words and numbers with an entry in the glossary; pasted configuration of other programs.
    for (const name of ['pointerover', 'focusin', 'click', 'glossary', 'exchange', 'paste'])
      window.addEventListener(name, (event) => wake(event, app));
  });

  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be dropped anywhere; the same is done with the button at the top
    <div
      class="page"
      ref={host}
      data-tab={app.selection.phoneTab()}
      data-mode={app.transport.mode()}
      data-view={first() ? 'calm' : 'work'}
      data-minute={first() && minute() ? '' : undefined}
      data-scenario={first() && scenarioOpen() ? '' : undefined}
      data-why={first() && app.selection.drawer() ? '' : undefined}
      data-bare={sidesHidden() ? '' : undefined}
      data-turning={app.transport.turning() ? '' : undefined}
      classList={{ opening: !app.transport.frame(), embedded, untouched: untouched() }}
      onDragOver={(event) => {
        if (!hasFiles(event) && !event.dataTransfer?.types.includes('text/plain')) return;
        event.preventDefault();
        if (hasFiles(event)) setDropping(true);
      }}
      onDragLeave={(event) => {
        if (event.relatedTarget === null) setDropping(false);
      }}
      onDrop={(event) => {
        setDropping(false);
        const file = event.dataTransfer?.files[0];
        // Skips files that a box has accepted, and text dropped on a field.
        if (event.defaultPrevented || (!file && isField(event.target))) return;
        event.preventDefault();
        if (file) void app.document.openFile(file);
        else if (event.dataTransfer) openDropped(event.dataTransfer, app);
      }}
    >
      <Show when={!embedded} fallback={<LazyPart app={app} what="The run" load={loadEmbedded} />}>
        <nav class="skips" aria-label="Skip">
          <For each={SKIPS}>
            {([name, target]) => (
              <button
                type="button"
                class="btn pri"
                onClick={() => document.querySelector<HTMLElement>(target)?.focus()}
              >
                {name}
              </button>
            )}
          </For>
        </nav>
        <Show when={first()} fallback={<TopBar app={app} />}>
          <CalmBar app={app} />
        </Show>
        <nav class="phone-tabs" aria-label="View">
          <For each={lesson() ? LESSON_TABS : PHONE_TABS}>
            {(tab) => (
              <button
                type="button"
                aria-current={app.selection.phoneTab() === tab ? 'true' : undefined}
                onClick={() => app.selection.setPhoneTab(tab)}
              >
                {tab === 'inspector' && lesson() ? 'Lesson' : sentence(tab)}
                <Show when={tab === 'inspector' && (app.transport.throttledFrame()?.notices.length ?? 0) > 0}>
                  {' '}
                  · {app.transport.throttledFrame()?.notices.length}
                  <span class="visually-hidden"> to know before reading the numbers</span>
                </Show>
              </button>
            )}
          </For>
        </nav>
        <Panels app={app} first={first()} shown={shown} />
        <Show when={withoutOn() && !lesson() && !app.studies.comparing() && hasOwnEdits(app.document.listed())}>
          <Suspense>
            <WithoutEdit app={app} />
          </Suspense>
        </Show>
        <Show when={app.studies.measured()}>
          <LazyPart app={app} what="The panel of measured runs" load={loadMeasured} />
        </Show>
        <Show when={app.studies.comparing()}>
          <LazyPart app={app} what="The comparison" load={loadCompare} />
        </Show>
        <Show when={app.dialogs.gallery()}>
          <LazyPart app={app} what="The gallery" load={loadGallery} />
        </Show>
        <Show when={learning()}>
          <LazyPart app={app} what="The view of lessons" load={loadLearn} />
        </Show>
        <Show when={lesson()}>
          <LazyPart app={app} what="The lesson" load={loadLesson} />
        </Show>
        <NoticeBar app={app} />
        <Transport app={app} calm={first()} />
      </Show>
      <Show when={dialogs()}>
        <Dialogs app={app} />
      </Show>
      <Show when={app.dialogs.palette()}>
        <LazyPart app={app} what="The list of commands" load={loadPalette} />
      </Show>
      <Show when={app.dialogs.finding()}>
        <LazyPart app={app} what="The dialog for the ratio" load={loadFindRatio} />
      </Show>
      <Show when={app.links.sharing()}>
        <LazyPart app={app} what="The dialog for sharing" load={loadShare} />
      </Show>
      <Show when={!app.dialogs.reading() && app.links.trouble()}>
        <LazyPart app={app} what="The list of what could not be opened" load={loadLinkTrouble} />
      </Show>
      <Show when={dropping()}>
        <div class="drop" aria-hidden="true">
          <p>Drop a request trace, a scenario, a lesson or a benchmark’s result</p>
        </div>
      </Show>
      <p class="visually-hidden" role="status" aria-live="polite">
        {app.dialogs.spoken()}
      </p>
    </div>
  );
}

/** Scenario, stage with charts, and inspector; in the first view the sides are folded to edges. */
function Panels(props: { app: AppState; first: boolean; shown: (tab: PhoneTab) => boolean }): JSX.Element {
  const app = props.app;
  return (
    <>
      <Show
        when={!props.first || scenarioOpen()}
        fallback={<CalmEdge side="left" name="Scenario" shortcut="scenario" onOpen={() => setScenarioOpen(true)} />}
      >
        <Scenario app={app} main={props.shown('scenario')} />
        <Show when={props.first}>
          <CalmFold side="left" name="scenario" onClose={() => setScenarioOpen(false)} />
        </Show>
      </Show>
      <main class="mid">
        <Show when={app.transport.turnsTo()}>
          {(us) => (
            <p class="simulating" role="status">
              Simulating to {plain(us() / 1e6)} s …
            </p>
          )}
        </Show>
        <Show when={!props.first} fallback={<CalmHead app={app} />}>
          <KeyFigures
            frame={app.transport.figuresFrame()}
            evidence={app.transport.evidence()}
            before={without()}
            onRest={() => app.studies.setMeasured(true)}
          />
        </Show>
        <StageView app={app} roles={app} calm={props.first} />
        <Show when={!props.first} fallback={<CalmRest app={app} />}>
          <AreaView app={app} />
        </Show>
      </main>
      <Show
        when={!props.first || app.selection.drawer()}
        fallback={<CalmEdge side="right" name="Why" shortcut="why" onOpen={() => app.selection.setDrawer(true)} />}
      >
        <Inspector app={app} main={props.shown('inspector')} />
        <Show when={props.first}>
          <CalmFold side="right" name="inspector" onClose={() => app.selection.setDrawer(false)} />
        </Show>
      </Show>
    </>
  );
}

/** The words of each edit's flag. */
function flagWordsOf(app: AppState) {
  return app.document.listed().map(({ edit, scheduled }) => ({ label: flagSaid(app, edit), scheduled }));
}

/** The first view opens playing, and at the first visit with its steps. */
function openFirst(app: AppState): void {
  beginMinute(app);
  playFirst(app);
}

/** Below the stage of the first view: the way to the rest of the page, and the one chart. */
function CalmRest(props: { app: AppState }): JSX.Element {
  return (
    <>
      <Show
        when={minute() || minuteAsked()}
        fallback={
          <p class="calm-hint">
            <button type="button" class="btn" onClick={() => void showMinute(props.app)}>
              First steps
            </button>
            <button type="button" class="btn" title={tooltip('Open the whole page', 'view')} onClick={switchView}>
              Open the whole page
            </button>
            <span>Or paste a config or trace of yours, anywhere.</span>
          </p>
        }
      >
        <Suspense>
          <FirstMinute app={props.app} />
        </Suspense>
      </Show>
      <CalmArea app={props.app} />
    </>
  );
}

/** Loads the glossary at the first hover over a word or a number, and with the first focus; pasted text is read at once. */
function wake(event: Event, app: AppState): void {
  if (event instanceof MouseEvent && !(event.target as Element).closest(TERMS)) return;
  const pasted = (event as ClipboardEvent).clipboardData?.getData('text');
  void import('./firstEvents.ts').then(({ handleFirst }) => handleFirst(app, event, pasted));
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, [data-writes]') !== null;
}

/** Opens a dropped link. */
function openDropped(transfer: DataTransfer, app: Pick<AppState, 'links'>): void {
  const text = (transfer.getData('text/uri-list') || transfer.getData('text/plain')).trim();
  if (isLinkText(text)) void app.links.open(text);
}

function watchMotion(app: Pick<AppState, 'transport'>): void {
  const query = matchMedia('(prefers-reduced-motion: reduce)');
  const tell = (): void => app.transport.setReducedMotion(query.matches);
  tell();
  query.addEventListener('change', tell);
  onCleanup(() => query.removeEventListener('change', tell));
}

/** A hidden page simulates nothing; it continues when it is visible again. */
function watchVisibility(app: Pick<AppState, 'transport'>): void {
  let played = false;
  const changed = (): void => {
    if (document.hidden) {
      played = app.transport.playing();
      if (played) app.transport.pause();
    } else if (played) {
      played = false;
      void app.transport.toggle();
    }
  };
  document.addEventListener('visibilitychange', changed);
  onCleanup(() => document.removeEventListener('visibilitychange', changed));
}
