// Opens lessons and their steps: those of the page by name, and those of files. Loaded with the first lesson.
import { batch, createSignal, untrack } from 'solid-js';
import type { Json } from '../../base/json.ts';
import { isPhone } from '../../base/media.ts';
import { NOTHING } from '../../base/view.ts';
import type { Diagnostic, LinkView, OpenedStep } from '../../generated/boundary.ts';
import { RefusedError } from '../../sim/client.ts';
import type { App } from '../app.ts';
import { showCloseup } from '../links/linkShown.ts';
import { presetNamed } from '../run/presets.ts';
import { FIRST_SPEED } from '../run/speeds.ts';
import type { RightTab } from '../slices/selection.ts';
import { setChartList } from '../view/chartList.ts';
import { setSpanShown } from '../view/spanShown.ts';
import { setTheoryLaw } from '../view/theoryLaw.ts';
import {
  lesson,
  lessonStep,
  setGuesses,
  setLearning,
  setLesson,
  setLessonLink,
  setLessonStep,
  setProjector,
  setVerdicts,
} from './lesson.ts';
import { lessonNames, loadLesson } from './lessonList.ts';
import { keepStep, progressOf } from './lessonProgress.ts';
import { endLessonThread, readLesson } from './lessonThread.ts';

export type LessonApp = Pick<App, 'transport' | 'selection' | 'document' | 'dialogs' | 'links'>;

/** The document that the step on screen, or the one before it, opened. */
export const [stepDocument, setStepDocument] = createSignal<Json>();

/** The tab of the inspector before the lesson. */
let tabBefore: RightTab = 'request';
/** Counts the steps opened: of several at once, only the last one has its view applied. */
let turns = 0;

/** The name under which progress in the open lesson is kept: lessons of files are known by their title. */
export function keptName(): string {
  const open = lesson();
  return open ? open.name || `file:${open.read.lesson.title}` : '';
}

/** The link of a step of a lesson of the page. */
export function linkOf(name: string, step: number): string {
  return `#lesson=${name};step=${step + 1}`;
}

/** Lesson and step, from 0, that a link names. */
export function lessonOfLink(link: string): { readonly name: string; readonly step: number } {
  const [, words = ''] = link.split(/#(?:embed;)?lesson=/);
  const [name = '', ...settings] = words.split(';');
  const [, step = '1'] = settings.map((setting) => /^step=(\d{1,3})$/.exec(setting)).find((found) => found) ?? [];
  return { name: decodeURIComponent(name), step: Math.max(1, Number(step)) - 1 };
}

/** Opens the lesson of a link, or that of a file if its text is given. */
export async function openLessonNamed(app: LessonApp, name: string, text?: string): Promise<void> {
  if (text !== undefined) await openLessonText(app, text, name);
  else {
    const wanted = lessonOfLink(name);
    await openLesson(app, wanted.name, wanted.step);
  }
}

/** Opens a lesson of the page at a step, from 0; false if there is none of that name. */
export async function openLesson(app: LessonApp, name: string, step: number): Promise<boolean> {
  if (name !== '' && untrack(lesson)?.name === name) {
    setLearning(false);
    await goStep(app, step);
    return true;
  }
  const text = await loadLesson(name);
  if (text === undefined) {
    const allowed = lessonNames().join(', ') || 'no lessons';
    const found = `the lesson “${name.slice(0, 60)}”`;
    const fix = 'the view of lessons has them all';
    const problem: Diagnostic = { severity: 'error', path: 'lesson', found, allowed, fix };
    app.links.setTrouble({ problems: [problem], waits: undefined });
    return false;
  }
  return play(app, name, text, step, name);
}

/** Opens a lesson from a file, YAML or JSON; false if it is refused, and its problems are listed. */
export async function openLessonText(app: LessonApp, text: string, fileName: string): Promise<boolean> {
  const { readYaml } = await import('../../base/yaml.ts');
  let document: Json;
  try {
    document = await readYaml(text);
  } catch (error) {
    const [said = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    app.dialogs.setNotice({ kind: 'problem', text: `${fileName} cannot be read: ${said}` });
    return false;
  }
  return play(app, '', JSON.stringify(document), 0, fileName);
}

async function play(app: LessonApp, name: string, text: string, step: number, called: string): Promise<boolean> {
  let read: Awaited<ReturnType<typeof readLesson>>;
  try {
    read = await readLesson(text);
  } catch (error) {
    refuse(app, called, error);
    return false;
  }
  const last = read.lesson.steps.length - 1;
  const at = Math.min(step, last);
  if (step > last) {
    const said = `“${read.lesson.title}” has ${last + 1} steps; step ${last + 1} is open.`;
    app.dialogs.setNotice({ kind: 'info', text: said, diagnostics: [] });
  }
  // A step that stays where the page is needs the scenario of an earlier one.
  const from = read.opened.findLastIndex((opened, k) => k <= at && opened.scenario !== null);
  turns += 1;
  const turn = turns;
  const opened = read.opened[from];
  if (opened && !(await openScenario(app, opened, scenarioName(read.lesson.steps[from]?.open ?? '')))) return false;
  if (turn !== turns) return false;
  batch(() => {
    if (!untrack(lesson)) tabBefore = untrack(app.selection.rightTab);
    setLesson({ name, text, read });
    setLessonStep(at);
    const kept = Object.entries(untrack(() => progressOf(keptName())).guesses);
    setGuesses(Object.fromEntries(kept.map(([k, { guess }]) => [k, guess])));
    setVerdicts({});
    setLearning(false);
    setLessonLink(name === '' ? undefined : linkOf(name, at));
    showLesson(app);
  });
  keepStep(keptName(), at);
  return true;
}

function refuse(app: LessonApp, called: string, error: unknown): void {
  if (!(error instanceof RefusedError)) {
    const said = error instanceof Error ? error.message : String(error);
    app.dialogs.setNotice({ kind: 'problem', text: `The lesson could not be opened: ${said}` });
    return;
  }
  const diagnostics: readonly Diagnostic[] = error.diagnostics;
  const many = diagnostics.length === 1 ? 'a problem' : `${diagnostics.length} problems`;
  app.dialogs.setNotice({
    kind: 'info',
    text: `The lesson ${called} has ${many}. The run on screen is unchanged.`,
    diagnostics,
  });
}

/** The name of the scenario that the `open` of a step begins with. */
const scenarioName = (open: string): string => open.split(';')[0]?.trim() ?? '';

/** Opens the scenario of a step and its view; what the view leaves out is as on a fresh page. */
async function openScenario(app: LessonApp, { scenario, view }: OpenedStep, name: string): Promise<boolean> {
  if (scenario === null) return true;
  app.transport.pause();
  const done = await app.document.open(scenario, name, false, view.at_us ?? presetNamed(name)?.opens_us);
  if (done) {
    setStepDocument(app.document.original());
    showView(app, view);
  }
  return done;
}

function showView(app: LessonApp, view: LinkView): void {
  batch(() => {
    app.transport.setSpeed(FIRST_SPEED);
    app.selection.select(NOTHING);
    setTheoryLaw(undefined);
    setSpanShown(false);
    setChartList(view.charts.length > 0 ? view.charts : undefined);
    showCloseup(view.closeup.length > 0 ? view.closeup : ['charts']);
    app.links.look(view);
  });
}

/** Brings the tab of the lesson to the front. */
export function showLesson(app: Pick<App, 'selection'>): void {
  app.selection.setRightTab('lesson');
  app.selection.setDrawer(true);
  if (isPhone()) app.selection.setPhoneTab('inspector');
}

/** Goes to a step of the open lesson, from 0. */
export async function goStep(app: LessonApp, step: number): Promise<void> {
  const open = untrack(lesson);
  const asked = open?.read.lesson.steps[step];
  if (!open || !asked) return;
  turns += 1;
  const turn = turns;
  batch(() => {
    setLessonStep(step);
    showLesson(app);
  });
  keepStep(keptName(), step);
  app.dialogs.tell(`Step ${step + 1} of ${open.read.lesson.steps.length}, ${asked.kind}: ${asked.title}`);
  const opened = open.read.opened[step];
  if (opened) await openScenario(app, opened, scenarioName(asked.open));
  if (turn === turns && untrack(lesson) === open) showLesson(app);
}

/** Moves by a number of steps, back if it is negative. */
export function turnBy(app: LessonApp, by: number): void {
  void goStep(app, untrack(lessonStep) + by);
}

/** Shows the tab of the inspector that was there before the lesson; the lesson stays open. */
export function leaveTab(app: Pick<App, 'selection'>): void {
  app.selection.setRightTab(tabBefore === 'lesson' ? 'request' : tabBefore);
}

/** Closes the lesson; the run on screen stays as it is. */
export function closeLesson(app: Pick<App, 'selection'>): void {
  turns += 1;
  batch(() => {
    if (untrack(app.selection.rightTab) === 'lesson') leaveTab(app);
    if (isPhone()) app.selection.setPhoneTab('stage');
    setLesson(undefined);
    setLessonLink(undefined);
    setProjector(false);
    setGuesses({});
    setVerdicts({});
    setStepDocument(undefined);
  });
  endLessonThread();
}
