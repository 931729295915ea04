// The keyboard shortcuts, each declared once: the handler, the help sheet and the tooltips all use this table.
import { focusByPointer } from '../../base/focus.ts';
import type { App } from '../app.ts';
import { isSplit } from '../edits/roles.ts';
import { breakFocused, toolActs } from '../edits/tools.ts';
import { wantedNamed } from '../run/occasions.ts';
import { stepInspector } from '../run/stepInspector.ts';
import { breakSelected } from '../view/breakMenu.ts';
import { calm, scenarioOpen, setScenarioOpen, switchView, unfold } from '../view/calm.ts';
import { AREAS, type Area, setArea } from '../view/closeup.ts';
import { back } from '../view/depth.ts';
import { endMinute } from '../view/minute.ts';
import { setNoteEdited } from '../view/noteEdited.ts';
import { setSidesHidden, sidesHidden } from '../view/sidesHidden.ts';
import { setTitleEdited } from '../view/titleEdited.ts';

/** A key with its modifiers. `shift` undefined: with or without, depending on the keyboard's layout. */
type Chord = { readonly key: string; readonly shift?: boolean; readonly command?: boolean };

type Shortcut = {
  readonly name: string;
  /** Its description in the help sheet. */
  readonly does: string;
  /** The keys shown in help and tooltips. */
  readonly keys: readonly Chord[];
  /** The same keys as sent by other keyboards. */
  readonly also?: readonly Chord[];
  readonly action: (app: App) => void;
};

/** Widgets that need a key themselves, while the focus is on them; some only if a key brought it there. */
const OWN_KEYS: readonly { readonly keys: readonly string[]; readonly within: string; readonly byKey?: boolean }[] = [
  {
    keys: ['ArrowLeft', 'ArrowRight', 'Home', 'End'],
    within:
      '[role=slider], [role=tab], [role=menu], [role=menuitem], [role=listbox], [role=combobox], [role=region], input[type=range], input[type=radio]',
  },
  { keys: [' '], within: '[role=menuitem], [role=option]' },
  { keys: [' '], within: 'button, a[href], summary, [role=slider], [role=tab], [role=switch], input', byKey: true },
];
/** What a browser presses itself when Space comes up. */
const PRESSED = 'button, a[href], summary, input';
/** Text fields: every key except Escape belongs to them. */
const WRITES =
  'input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable], [data-writes]';

const AREA_NAMES: Readonly<Record<Area, string>> = {
  charts: 'the charts',
  lanes: 'lanes: the steps of each replica',
  kv: 'KV: the blocks of a replica',
  density: 'density: latencies as heat maps',
  tiers: 'tiers: where KV blocks lie',
  sessions: 'sessions: turns, pauses and what was computed again',
};

export const SHORTCUTS = [
  { name: 'play', does: 'Play or pause', keys: [{ key: ' ' }], action: (app) => void app.transport.toggle() },
  {
    name: 'step-event',
    does: 'Step one event',
    keys: [{ key: '.', shift: false }],
    action: (app) => app.transport.step('event'),
  },
  {
    name: 'step-engine',
    does: 'Step one engine step',
    keys: [{ key: '.', shift: true }],
    also: [
      { key: '>', shift: true },
      { key: ':', shift: true },
    ],
    action: (app) => app.transport.step('engine-step'),
  },
  {
    name: 'step-back',
    does: 'Step back to the event before',
    keys: [{ key: ',', shift: false }],
    action: (app) => void app.transport.stepBack(),
  },
  {
    name: 'back-engine',
    does: 'Step back to the engine step before',
    keys: [{ key: ',', shift: true }],
    also: [
      { key: '<', shift: true },
      { key: ';', shift: true },
    ],
    action: (app) => void app.transport.stepBack('engine-step'),
  },
  ...seconds(1, false),
  ...seconds(10, true),
  {
    name: 'frame-on',
    does: 'Step one frame at the speed that is set',
    keys: [{ key: 'n' }],
    action: (app) => app.transport.stepFrame(1),
  },
  {
    name: 'frame-back',
    does: 'Step one frame back',
    keys: [{ key: 'N', shift: true }],
    action: (app) => app.transport.stepFrame(-1),
  },
  {
    name: 'branch',
    does: 'Branch: keep this run and continue in another one',
    keys: [{ key: 'B', shift: true }],
    action: (app) => void app.document.branch(),
  },
  {
    name: 'run-to',
    does: 'Repeat the last “run to”',
    keys: [{ key: 'g', shift: false }],
    action: (app) => app.transport.runTo(),
  },
  {
    name: 'choose-run-to',
    does: 'Choose what to run to',
    keys: [{ key: 'G', shift: true }],
    action: () => {
      unfold();
      document.querySelector<HTMLElement>('.run-to-choice')?.click();
    },
  },
  {
    name: 'next-transfer',
    does: 'Run to the next transfer between replicas',
    keys: [{ key: 'T', shift: true }],
    action: (app) => app.transport.runTo(wantedNamed('transfer')),
  },
  {
    name: 'next-landing',
    does: 'Run to the next landing of a transfer',
    keys: [{ key: 'L', shift: true }],
    action: (app) => app.transport.runTo(wantedNamed('landing')),
  },
  { name: 'pause', does: 'Pause', keys: [{ key: 'P', shift: true }], action: (app) => app.transport.pause() },
  {
    name: 'slower',
    does: 'Slower',
    keys: [{ key: '[' }, { key: '-' }],
    also: [{ key: '−' }],
    action: (app) => app.transport.setSpeed(app.transport.speedIndex() - 1),
  },
  {
    name: 'faster',
    does: 'Faster',
    keys: [{ key: ']' }, { key: '+' }, { key: 'l' }],
    also: [{ key: '=' }],
    action: (app) => app.transport.setSpeed(app.transport.speedIndex() + 1),
  },
  {
    name: 'less-prefill',
    does: 'Turn a prefill replica into a decode replica',
    keys: [{ key: '{' }],
    action: (app) => moveReplicas(app, -1),
  },
  {
    name: 'more-prefill',
    does: 'Turn a decode replica into a prefill replica',
    keys: [{ key: '}' }],
    action: (app) => moveReplicas(app, 1),
  },
  { name: 'router', does: 'Choose the router', keys: [{ key: 'r' }], action: chooseRouter },
  {
    name: 'burst',
    does: 'Send a burst of requests',
    keys: [{ key: 'b' }],
    action: (app) => toolActs(app).burst(),
  },
  {
    name: 'break-row',
    does: 'Break the replica in focus, or mend it',
    keys: [{ key: 'x' }],
    action: breakFocused,
  },
  {
    name: 'break',
    does: 'Choose what breaks in the selected replica',
    keys: [{ key: 'f' }],
    action: (app) => breakSelected(app),
  },
  {
    name: 'restart',
    does: 'Restart',
    keys: [{ key: 'Home' }],
    action: (app) => void app.transport.restart(),
  },
  { name: 'to-end', does: 'Run to the end', keys: [{ key: 'End' }], action: (app) => app.transport.toEnd() },
  {
    name: 'undo',
    does: 'Undo',
    keys: [{ key: 'z', command: true, shift: false }],
    action: (app) => void app.document.undo(),
  },
  {
    name: 'redo',
    does: 'Redo',
    keys: [{ key: 'z', command: true, shift: true }],
    also: [{ key: 'y', command: true }],
    action: (app) => void app.document.redo(),
  },
  {
    name: 'time',
    does: 'Type the time to go to',
    keys: [{ key: 't' }],
    action: () => {
      unfold();
      focusOn('#time-field');
    },
  },
  {
    name: 'search',
    does: 'Search the form',
    keys: [{ key: '/' }],
    action: (app) => app.selection.searchForm(),
  },
  { name: 'view', does: 'Open the whole page, or the first view again', keys: [{ key: 'w' }], action: switchView },
  {
    name: 'scenario',
    does: 'Open the scenario at its edge and close it, or go to it where it is open',
    keys: [{ key: 's' }],
    action: showScenario,
  },
  {
    name: 'why',
    does: 'Open the inspector at its edge and close it, or go to it where it is open',
    keys: [{ key: 'y' }],
    action: showWhy,
  },
  ...AREAS.map((name, i) => ({
    name: `show-${name}` as const,
    does: `Show ${AREA_NAMES[name]}`,
    keys: [{ key: String(i + 1) }],
    action: (app: App) => showArea(app, name),
  })),
  {
    name: 'next',
    does: 'Next request, or the next of what the inspector shows',
    keys: [{ key: 'j' }],
    action: (app) => stepInspector(app, 1),
  },
  {
    name: 'previous',
    does: 'Previous request, or the one before of what the inspector shows',
    keys: [{ key: 'k' }],
    action: (app) => stepInspector(app, -1),
  },
  {
    name: 'gallery',
    does: 'Gallery of presets',
    keys: [{ key: 'p' }],
    action: (app) => void app.dialogs.setGallery(true),
  },
  {
    name: 'bare',
    does: 'Hide the form and the inspector, or show them again',
    keys: [{ key: 'h' }],
    action: () => void setSidesHidden(!sidesHidden()),
  },
  { name: 'say', does: 'Announce the state of the run', keys: [{ key: 'v' }], action: (app) => app.dialogs.say() },
  {
    name: 'share',
    does: 'Share this run',
    keys: [{ key: 'S', shift: true }],
    action: (app) => void app.links.setSharing(true),
  },
  {
    name: 'compare',
    does: 'Compare with a second run',
    keys: [{ key: 'c' }],
    action: (app) => app.studies.setComparing(!app.studies.comparing()),
  },
  {
    name: 'mark',
    does: 'Mark this instant in the note',
    keys: [{ key: 'm' }],
    action: (app) => {
      app.selection.setLeftTab('form');
      app.selection.setPhoneTab('scenario');
      setNoteEdited('mark');
    },
  },
  {
    name: 'rename',
    does: 'Edit the title',
    keys: [{ key: 'F2' }],
    action: () => {
      unfold();
      setTitleEdited(true);
    },
  },
  {
    name: 'palette',
    does: 'Find a command',
    keys: [{ key: 'k', command: true }],
    action: (app) => void app.dialogs.setPalette(true),
  },
  {
    name: 'help',
    does: 'Help and keyboard',
    keys: [{ key: '?' }],
    action: (app) => void app.dialogs.setHelp(true),
  },
  {
    name: 'leave',
    does: 'Close, go back one level of the selection, or skip the steps',
    keys: [{ key: 'Escape' }],
    action: leave,
  },
] as const satisfies readonly Shortcut[];

export type ShortcutName = (typeof SHORTCUTS)[number]['name'];

/** Shortcuts that work while a study covers the run. */
const OVER: readonly string[] = ['leave', 'compare', 'gallery', 'share', 'help', 'palette'];

/** Which shortcuts work: all, those with Ctrl or Cmd, or none. */
export type Allowed = 'all' | 'chords' | 'none';

/** The parts of a keyboard event that matter. */
export type Pressed = {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
};

/** The focused element. */
export type Focused = {
  readonly matches: (selector: string) => boolean;
  /** Whether a pointer put the focus there: Space then plays, and does not press the same button again. */
  readonly byPointer: boolean;
};

/** The shortcut for a pressed key. Escape works whatever is allowed. */
export function shortcutFor(pressed: Pressed, allowed: Allowed, { matches, byPointer }: Focused): Shortcut | undefined {
  const all: readonly Shortcut[] = SHORTCUTS;
  const found = all.find((s) => [...s.keys, ...(s.also ?? [])].some((chord) => fits(chord, pressed)));
  if (!found || found.name === 'leave') return found;
  const isChord = pressed.ctrlKey || pressed.metaKey;
  const writes = matches(WRITES) && found.name !== 'palette';
  const own = OWN_KEYS.filter(({ keys, byKey }) => keys.includes(pressed.key) && !(byKey && byPointer));
  if (writes || own.some(({ within }) => matches(within))) return undefined;
  return allowed === 'all' || (allowed === 'chords' && isChord) ? found : undefined;
}

function fits(chord: Chord, pressed: Pressed): boolean {
  const command = pressed.ctrlKey || pressed.metaKey;
  if (pressed.altKey || command !== (chord.command ?? false)) return false;
  // With a command key, Shift changes the letter's case.
  const same = chord.command ? pressed.key.toLowerCase() === chord.key : pressed.key === chord.key;
  return same && (chord.shift === undefined || chord.shift === pressed.shiftKey);
}

export function handleKey(event: KeyboardEvent, app: App, allowed: Allowed): void {
  if (event.defaultPrevented || app.dialogs.covered()) return;
  const target = event.target instanceof Element ? event.target : undefined;
  // A field that shows the value in force has no typed text to undo.
  const settled = target instanceof HTMLInputElement && target.dataset.value === target.value;
  const yields = settled && (event.ctrlKey || event.metaKey);
  const matches = (selector: string): boolean => !yields && target?.closest(selector) != null;
  const shortcut = shortcutFor(event, allowed, { matches, byPointer: focusByPointer() });
  if (!shortcut) return;
  if (shortcut.name === 'leave' && target?.matches(WRITES) && target instanceof HTMLElement) {
    target.blur();
    return;
  }
  if (shortcut.name !== 'leave') event.preventDefault();
  if (app.studies.studying() && !OVER.includes(shortcut.name)) return;
  // Firefox presses a focused button when the key comes up.
  if (event.key === ' ' && target instanceof HTMLElement && target.matches(PRESSED)) target.blur();
  shortcut.action(app);
}

/** Moves a replica to the prefill role, or away from it. */
function moveReplicas(app: App, by: number): void {
  if (isSplit(app.document.inForce()))
    void import('../edits/changeRoles.ts').then((m) => m.changeRoles(app, { move: { by } }));
  else app.dialogs.tell('No pool of this fleet has a role.');
}

/** The keys that go back and on by some seconds of the run. */
function seconds(s: 1 | 10, shift: boolean) {
  const by = (direction: 1 | -1) => (app: App) => app.transport.seekBy(direction * s * 1e6);
  return [
    { name: `back-${s}s`, does: `Go back ${s} s`, keys: [{ key: 'ArrowLeft', shift }], action: by(-1) },
    { name: `on-${s}s`, does: `Go on ${s} s`, keys: [{ key: 'ArrowRight', shift }], action: by(1) },
  ] as const;
}

/** Shows a view of the charts' area, which has a tab of its own on a phone. */
function showArea(app: Pick<App, 'selection'>, name: Area): void {
  setArea(name);
  app.selection.setPhoneTab('charts');
}

/** Opens the menu of routers where the page has one, or else the field of the form. */
function chooseRouter(app: Pick<App, 'selection'>): void {
  const menu = document.querySelector<HTMLElement>('.router-tool');
  if (menu) menu.click();
  else app.selection.openField('cluster.routing');
}

function showScenario(app: Pick<App, 'selection'>): void {
  if (calm()) {
    setScenarioOpen(!scenarioOpen());
    return;
  }
  app.selection.setPhoneTab('scenario');
  focusOn('.left [role=tab][aria-selected=true]');
}

function showWhy({ selection }: Pick<App, 'selection'>): void {
  const open = !selection.drawer();
  selection.setDrawer(open);
  if (calm() || !open) return;
  selection.setPhoneTab('inspector');
  focusOn('.right [role=tab][aria-selected=true]');
}

function focusOn(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

function leave(app: Pick<App, 'transport' | 'selection' | 'dialogs'>): void {
  if (app.dialogs.notice()) app.dialogs.setNotice(undefined);
  else if (back(app)) return;
  else if (app.transport.progress()) app.transport.pause();
  else if (app.selection.drawer()) app.selection.setDrawer(false);
  else if (scenarioOpen()) setScenarioOpen(false);
  // An open menu closes by itself.
  else if (calm() && !document.querySelector(':popover-open')) endMinute();
}

const WORDS: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  '-': '−',
};

/** The keys of a shortcut as text: `. or →`. */
export function keysOf(shortcut: { readonly keys: readonly Chord[] }): string {
  return shortcut.keys
    .map(({ key, shift, command }) =>
      [command ? 'Ctrl' : '', shift ? 'Shift' : '', WORDS[key] ?? (command ? key.toUpperCase() : key)]
        .filter((part) => part !== '')
        .join(' + '),
    )
    .join(' or ');
}

/** The keys of a shortcut by its name. */
export function keyText(name: ShortcutName): string {
  const shortcut = SHORTCUTS.find((s) => s.name === name);
  return shortcut ? keysOf(shortcut) : '';
}

/** A tooltip: the action of a control, then its keys. */
export const tooltip = (what: string, name: ShortcutName): string => `${what} (${keyText(name)})`;
