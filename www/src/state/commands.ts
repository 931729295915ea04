// Everything that the page can do, in one list: the shortcuts, and commands without a key. The sheet of help shows the
// shortcuts, the list of commands all of it. Loaded with either.
import type { App } from './app.ts';
import { aroundOn, setAroundOn } from './around.ts';
import { AREAS, type Area, setArea, setTall, setTimeWindow, tall, timeWindow } from './closeup.ts';
import { askExchange } from './exchange.ts';
import { lesson, projector, setLearning, setProjector } from './lesson.ts';
import { setNoteEdited } from './noteEdited.ts';
import { choicesOf, chosen, sayWanted } from './occasions.ts';
import { PRESETS } from './presets.ts';
import { isSplit } from './roles.ts';
import { keysOf, SHORTCUTS, type ShortcutName } from './shortcuts.ts';
import { RIGHT_TABS } from './slices/selection.ts';
import { setSpanShown, spanShown } from './spanShown.ts';
import { SPEEDS } from './speeds.ts';
import { setTheoryLaw, theoryLaw } from './theoryLaw.ts';

/** The groups, in the order of both lists. */
export const GROUPS = ['Run', 'Step', 'Speed', 'Edit', 'Words', 'View', 'Study', 'Share', 'Page', 'Preset'] as const;
export type Group = (typeof GROUPS)[number];

export type Command = {
  readonly does: string;
  readonly group: Group;
  /** Its keys as text; empty for a command without. */
  readonly keys: string;
  readonly action: (app: App) => void;
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
  'frame-on': 'Step',
  'frame-back': 'Step',
  slower: 'Speed',
  faster: 'Speed',
  undo: 'Edit',
  redo: 'Edit',
  branch: 'Edit',
  break: 'Edit',
  'less-prefill': 'Edit',
  'more-prefill': 'Edit',
  rename: 'Words',
  mark: 'Words',
  search: 'View',
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

const AREA_NAMES: Readonly<Record<Area, string>> = {
  charts: 'the charts',
  lanes: 'lanes: the steps of each replica',
  kv: 'KV: the blocks of a replica',
  density: 'density: latencies as heat maps',
};

/** The shortcuts, in the order of the groups. */
export const KEYED: readonly (Command & { readonly name: ShortcutName })[] = SHORTCUTS.map((shortcut) => ({
  name: shortcut.name,
  does: shortcut.does,
  group: GROUP_OF[shortcut.name],
  keys: keysOf(shortcut),
  action: shortcut.action,
}));

const plain = (group: Group, does: string, action: (app: App) => void): Command => ({ does, group, keys: '', action });

/** Of the lessons, and of the one that is open. */
function lessonCommands(): readonly Command[] {
  return [
    plain('Page', 'Show the lessons', () => setLearning(true)),
    ...(lesson()
      ? [
          plain('Page', 'Lesson: back to its card', (a) => {
            a.selection.setRightTab('lesson');
            a.selection.setDrawer(true);
            a.selection.setPhoneTab('inspector');
          }),
          plain('Page', projector() ? 'Lesson: leave projector mode' : 'Lesson: projector mode', () =>
            setProjector(!projector()),
          ),
        ]
      : []),
  ];
}

/** The commands of the run on screen. */
export function commandsOf(app: App): readonly Command[] {
  const roles = isSplit(app.document.inForce());
  const occasions = choicesOf(roles).flatMap((choice) => chosen(choice, '') ?? []);
  const left = (tab: 'form' | 'yaml' | 'changes') => (a: App) => {
    a.selection.setLeftTab(tab);
    a.selection.setPhoneTab('scenario');
  };
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
    ...AREAS.map((name) => plain('View', `Show ${AREA_NAMES[name]}`, () => setArea(name))),
    plain('View', tall() ? 'Show the stage again' : 'Fold the stage away', () => setTall(!tall())),
    plain('View', spanShown() ? 'Clear the selected span' : 'Select a span of time', () => setSpanShown(!spanShown())),
    plain(
      'View',
      theoryLaw() === undefined ? 'Show the law of queueing theory' : 'Hide the law of queueing theory',
      () => setTheoryLaw(theoryLaw() === undefined ? '' : undefined),
    ),
    ...(timeWindow() ? [plain('View', 'Show the whole time axis', () => setTimeWindow(undefined))] : []),
    plain('View', aroundOn() ? 'Hide figures before and after an edit' : 'Compare before and after an edit', () => {
      setArea('charts');
      setAroundOn(!aroundOn());
    }),
    plain('View', 'Show the form', left('form')),
    plain('View', 'Show the scenario as YAML', left('yaml')),
    plain('View', 'Show the list of changes', left('changes')),
    ...RIGHT_TABS.map((tab) =>
      plain('View', `Show the ${tab} in the inspector`, (a) => {
        a.selection.setRightTab(tab);
        a.selection.setDrawer(true);
        a.selection.setPhoneTab('inspector');
      }),
    ),
    ...lessonCommands(),
    plain('Study', 'How true is this? Measured runs and your own benchmark', (a) => a.studies.setMeasured(true)),
    plain('Page', 'Change between light and dark', () => {
      void import('../base/theme.ts').then(({ setTheme, theme }) => setTheme(theme() === 'dark' ? 'light' : 'dark'));
    }),
    plain('Page', 'Open a trace, a scenario, a lesson or a benchmark…', () => {
      document.querySelector<HTMLElement>('.top input[type=file]')?.click();
    }),
    plain('Page', 'Bring your fleet: import configuration of other programs…', () =>
      askExchange({ kind: 'import', texts: [] }),
    ),
    plain('Page', 'Take the policy home: export it as configuration…', () => askExchange({ kind: 'export' })),
    ...PRESETS.map((preset) =>
      plain('Preset', `Open “${preset.title || preset.name}”`, (a) => void a.document.openPreset(preset)),
    ),
  ];
}

/** The commands that match all of the words, those that begin with the first one first. */
export function found(all: readonly Command[], words: string): readonly Command[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const text = ({ does, group, keys }: Command): string => `${does} ${group} ${keys}`.toLowerCase();
  const fits = all.filter((command) => wanted.every((word) => text(command).includes(word)));
  const begins = ({ does }: Command): number => (does.toLowerCase().startsWith(wanted[0] ?? '') ? 0 : 1);
  return wanted.length === 0 ? fits : fits.toSorted((a, b) => begins(a) - begins(b));
}
