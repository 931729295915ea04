// Everything that the page can do, in one list: the shortcuts, and commands without a key. The sheet of help shows the
// shortcuts, the list of commands all of it. Loaded with either.
import type { App } from '../app.ts';
import { isSplit } from '../edits/roles.ts';
import { chooseFile } from '../files/chooseFile.ts';
import { askExchange } from '../files/exchange.ts';
import { lesson, projector, setLearning, setProjector } from '../lessons/lesson.ts';
import { openShare } from '../links/sharePart.ts';
import { openToPlay } from '../run/firstPlay.ts';
import { choicesOf, chosen, sayWanted } from '../run/occasions.ts';
import { PRESETS } from '../run/presets.ts';
import { SPEEDS } from '../run/speeds.ts';
import { type LeftTab, RIGHT_TABS, type RightTab } from '../slices/selection.ts';
import { unfold } from '../view/calm.ts';
import { type ChartMenuPart, setChartMenu } from '../view/chartMenu.ts';
import { setArea, setTall, setTimeWindow, tall, timeWindow } from '../view/closeup.ts';
import { switchWithout, withoutOn } from '../view/lastEdit.ts';
import { showMinute } from '../view/minute.ts';
import { setNoteEdited } from '../view/noteEdited.ts';
import { setAccountDue, setAccountOpen } from '../view/span.ts';
import { setSpanShown, spanShown } from '../view/spanShown.ts';
import { setTheoryLaw, theoryLaw } from '../view/theoryLaw.ts';
import { keysOf, SHORTCUTS, type ShortcutName } from './shortcuts.ts';

/** The groups, in the order of both lists. */
export const GROUPS = [
  'Run',
  'Step',
  'Speed',
  'Edit',
  'Words',
  'View',
  'Study',
  'Share',
  'Page',
  'Field',
  'Preset',
  'Glossary',
] as const;
export type Group = (typeof GROUPS)[number];

export type Command = {
  readonly does: string;
  readonly group: Group;
  /** Its keys as text; empty for a command without. */
  readonly keys: string;
  /** Other words for it. */
  readonly also?: string;
  /** A text about it, which is searched too. */
  readonly about?: string;
  /** Whether it is shown only when words are sought: fields and words of the glossary are many. */
  readonly sought?: boolean;
  readonly action: (app: App) => void;
};

/** Other words for shortcuts. */
const ALSO: Partial<Readonly<Record<ShortcutName, string>>> = {
  view: 'calm simple instrument unfold fold',
  bare: 'present presentation slides full screen projector',
  share: 'link url embed iframe qr code',
  compare: 'race sweep difference second run b a/b',
  gallery: 'presets scenarios examples',
  branch: 'fork copy',
  router: 'routing policy',
  burst: 'spike traffic load',
  'break-row': 'crash fail fault kill repair',
  break: 'crash fail fault kill',
  'to-end': 'finish complete',
  help: 'shortcuts keys',
};

/** The group of each shortcut. */
const GROUP_OF: Readonly<Record<ShortcutName, Group>> = {
  play: 'Run',
  pause: 'Run',
  restart: 'Run',
  'to-end': 'Run',
  time: 'Run',
  'run-to': 'Run',
  'choose-run-to': 'Run',
  'next-transfer': 'Run',
  'next-landing': 'Run',
  'step-event': 'Step',
  'step-engine': 'Step',
  'step-back': 'Step',
  'back-engine': 'Step',
  'back-1s': 'Step',
  'on-1s': 'Step',
  'back-10s': 'Step',
  'on-10s': 'Step',
  'frame-on': 'Step',
  'frame-back': 'Step',
  slower: 'Speed',
  faster: 'Speed',
  undo: 'Edit',
  redo: 'Edit',
  branch: 'Edit',
  router: 'Edit',
  burst: 'Edit',
  'break-row': 'Edit',
  break: 'Edit',
  'less-prefill': 'Edit',
  'more-prefill': 'Edit',
  rename: 'Words',
  mark: 'Words',
  search: 'View',
  view: 'View',
  scenario: 'View',
  why: 'View',
  'show-charts': 'View',
  'show-lanes': 'View',
  'show-kv': 'View',
  'show-density': 'View',
  'show-tiers': 'View',
  'show-sessions': 'View',
  next: 'View',
  previous: 'View',
  leave: 'View',
  bare: 'View',
  say: 'View',
  compare: 'Study',
  share: 'Share',
  gallery: 'Page',
  palette: 'Page',
  help: 'Page',
};

/** Shortcuts that do something only where pools have roles. */
const OF_ROLES: readonly ShortcutName[] = ['next-transfer', 'next-landing', 'less-prefill', 'more-prefill'];

/** The shortcuts, in the order of the groups. */
export const KEYED: readonly (Command & { readonly name: ShortcutName })[] = SHORTCUTS.map((shortcut) => ({
  name: shortcut.name,
  does: shortcut.does,
  group: GROUP_OF[shortcut.name],
  keys: keysOf(shortcut),
  also: ALSO[shortcut.name] ?? '',
  action: shortcut.action,
}));

const plain = (group: Group, does: string, action: (app: App) => void, also = ''): Command => ({
  ...{ does, group, keys: '', also, action },
});

/** The request shown in the inspector, as something to share. */
function requestCommands({ selection }: App): readonly Command[] {
  const { request } = selection.selected();
  if (request === undefined) return [];
  const share = (does: string, also: string): Command =>
    plain('Share', does, (a) => openShare(a, 'request'), `share request ${also}`);
  return [
    share(`Share request #${request}…`, 'this selected'),
    share(`Copy the link of #${request}…`, 'url address'),
    share(`Copy the sentence about #${request}…`, 'explanation words text'),
    share(`Save the picture of #${request}…`, 'waterfall svg download export'),
    share(`Open #${request} in Perfetto…`, 'trace timeline place'),
  ];
}

/** Files of the run, and the scenario as configuration of other programs. */
function fileCommands(): readonly Command[] {
  const files = (does: string, also: string): Command => plain('Share', does, (a) => openShare(a, 'files'), also);
  return [
    files('Save a trace of the run for Perfetto…', 'perfetto chrome trace timeline export download'),
    files('Save the run as a page of HTML…', 'html offline export download summary'),
    files('Save rows of requests, events or decisions…', 'csv jsonl spreadsheet notebook export download rows'),
    files('Save the report of the run…', 'json digest export download'),
    files('Save why slow requests are slow, as Markdown…', 'explain account export download'),
    plain(
      'Share',
      'Take the policy home: export it as configuration…',
      () => askExchange({ kind: 'export' }),
      'epp endpoint picker yaml vllm serve dynamo smg hpa keda wva blis flags helm kubernetes',
    ),
  ];
}

function showTab(app: App, tab: RightTab): void {
  app.selection.setRightTab(tab);
  app.selection.setDrawer(true);
  app.selection.setPhoneTab('inspector');
}

/** Of the lessons, and of the one that is open. */
function lessonCommands(): readonly Command[] {
  return [
    plain('Page', 'Show the lessons', () => setLearning(true)),
    ...(lesson()
      ? [
          plain('Page', 'Lesson: back to its card', (a) => showTab(a, 'lesson')),
          plain(
            'Page',
            projector() ? 'Lesson: leave projector mode' : 'Lesson: projector mode',
            () => setProjector(!projector()),
            'present presentation',
          ),
        ]
      : []),
  ];
}

const left =
  (tab: LeftTab) =>
  (app: App): void => {
    app.selection.setLeftTab(tab);
    app.selection.setPhoneTab('scenario');
  };

/** Opens a tool of the charts, over the charts of the whole page. */
const chartTool =
  (part: ChartMenuPart) =>
  (app: App): void => {
    unfold();
    setArea('charts');
    app.selection.setPhoneTab('charts');
    setChartMenu({ part });
  };

/** What is shown of the run, and where. */
function viewCommands(app: App): readonly Command[] {
  return [
    plain('View', tall() ? 'Show the stage again' : 'Fold the stage to a strip', () => setTall(!tall()), 'tall height'),
    plain('View', spanShown() ? 'Clear the selected span' : 'Select a span of time', () => setSpanShown(!spanShown())),
    plain(
      'View',
      theoryLaw() === undefined ? 'Show the law of queueing theory' : 'Hide the law of queueing theory',
      () => setTheoryLaw(theoryLaw() === undefined ? '' : undefined),
    ),
    ...(app.transport.anomalies().length > 0
      ? [
          plain('Run', 'Go to the latest anomaly', (a) => {
            const mark = a.transport.anomalies().at(-1);
            if (mark) void a.transport.showAnomaly(mark);
          }),
        ]
      : []),
    ...(timeWindow() ? [plain('View', 'Show the whole time axis', () => setTimeWindow(undefined))] : []),
    plain(
      'View',
      withoutOn() ? 'Hide the run without the last edit' : 'Show the run without the last edit',
      switchWithout,
      'before and after dashed line counterfactual',
    ),
    plain('View', 'Show the stage as a table', (a) => {
      unfold();
      a.selection.setPhoneTab('stage');
      requestAnimationFrame(() => document.querySelector<HTMLElement>('.stage-table-toggle')?.click());
    }),
    plain('View', 'Choose charts…', chartTool('choose'), 'add remove order further more graphs'),
    plain('View', 'Save charts…', chartTool('save'), 'png svg graphs'),
    plain('View', 'Zoom the charts…', chartTool('tools'), 'time axis window'),
    plain('View', 'Show the form', left('form')),
    plain('View', 'Show the scenario as YAML', left('yaml')),
    plain('View', 'Show the list of changes', left('changes')),
    ...RIGHT_TABS.map((tab) =>
      plain(
        'View',
        `Show the ${tab} in the inspector`,
        (a) => showTab(a, tab),
        tab === 'request' ? 'waterfall where its time went' : '',
      ),
    ),
  ];
}

/** Why the run went as it did, and how true it is. */
function studyCommands(): readonly Command[] {
  return [
    plain(
      'Study',
      'Why are slow requests slow? Where their time went',
      (a) => {
        a.transport.pause();
        setAccountOpen(true);
        setAccountDue(true);
        showTab(a, 'run');
      },
      'explain account latency',
    ),
    plain(
      'Study',
      'How true is this? Measured runs and your own benchmark',
      (a) => a.studies.setMeasured(true),
      'validation error accuracy calibrate',
    ),
  ];
}

/** The commands of the run on screen. */
export function commandsOf(app: App): readonly Command[] {
  const roles = isSplit(app.document.inForce());
  const occasions = choicesOf(roles).flatMap((choice) => chosen(choice, '') ?? []);
  return [
    ...KEYED.filter(({ name }) => name !== 'palette' && (roles || !OF_ROLES.includes(name))),
    ...occasions.map((wanted) =>
      plain('Run', `Run to the next ${sayWanted(wanted)}`, (a) => a.transport.runTo(wanted)),
    ),
    ...SPEEDS.map((speed, index) =>
      plain('Speed', Number.isFinite(speed) ? `Play at ${speed}×` : 'Play at full speed', (a) =>
        a.transport.setSpeed(index),
      ),
    ),
    plain('Page', 'All words of the glossary', () => dispatchEvent(new Event('glossary'))),
    plain('Edit', 'Undo all changes: reset the scenario', (a) => void a.document.reset()),
    plain('Words', 'Edit the note', (a) => {
      left('form')(a);
      setNoteEdited('note');
    }),
    ...viewCommands(app),
    ...studyCommands(),
    ...lessonCommands(),
    plain(
      'Page',
      'Show the first minute again',
      (a) => void showMinute(a),
      'tour guide introduction steps new start help',
    ),
    plain('Page', 'Change between light and dark', () => {
      void import('../../base/theme.ts').then(({ setTheme, theme }) => setTheme(theme() === 'dark' ? 'light' : 'dark'));
    }),
    plain('Page', 'Open a trace, a scenario, a lesson or a benchmark…', chooseFile, 'file upload'),
    plain('Edit', 'Change the seed', (a) => a.selection.openField('seed'), 'random dice draws'),
    ...fileCommands(),
    ...requestCommands(app),
    plain(
      'Page',
      'Bring your fleet: import configuration of other programs…',
      () => askExchange({ kind: 'import', texts: [] }),
      'paste yaml kubernetes vllm serve epp helm',
    ),
    ...PRESETS.map((preset) =>
      plain('Preset', `Open “${preset.title || preset.name}”`, (a) => void openToPlay(a, preset), preset.name),
    ),
  ];
}

/** Most commands in the list. */
const MOST = 80;

/**
 * The commands that match all of the words: first those that begin with the first one, then those that have all in their
 * name or other words for it, then those with a text about it. A word of the glossary comes after what can be done.
 */
export function found(all: readonly Command[], words: string): readonly Command[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return all.filter((command) => !command.sought);
  const rank = ({ does, group, keys, also = '', about = '' }: Command): number => {
    const has = (text: string): boolean => wanted.every((word) => text.includes(word));
    const name = `${does} ${group} ${keys}`.toLowerCase();
    if (has(name)) return group !== 'Glossary' && does.toLowerCase().startsWith(wanted[0] ?? '') ? 0 : 1;
    const further = `${name} ${also.toLowerCase()}`;
    if (has(further)) return 1;
    return has(`${further} ${about.toLowerCase()}`) ? 2 : 3;
  };
  const ranked = all.map((command) => ({ command, rank: rank(command) })).filter((one) => one.rank < 3);
  return ranked
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ command }) => command);
}
