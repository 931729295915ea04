// The keys of a lesson, while the focus is in its panel: ← → cards, H the next hint, G a guess by keys, Enter on, Esc back
// to the tab before.
// In projector mode the arrows turn cards anywhere.
import { onCleanup } from 'solid-js';
import { lesson, lessonStep } from '../../state/lessons/lesson.ts';
import { chartStep, guessByKeys } from '../../state/lessons/lessonGuess.ts';
import { keptName, type LessonApp, leaveTab, turnBy } from '../../state/lessons/lessonOpening.ts';
import { keepHints, progressOf } from '../../state/lessons/lessonProgress.ts';
import { finish } from './steps.ts';

/** Parts that need arrow keys and letters themselves. */
const OWN =
  'input, textarea, select, [contenteditable], [data-writes], [role=slider], [role=application], [role=radio], [role=option], [role=spinbutton], [role=tab], [role=menuitem], dialog, [role=dialog]';
/** Parts that Enter presses. */
const PRESSED = 'button, a[href], summary, [role=button]';

const isPlain = (event: KeyboardEvent): boolean =>
  !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;

const within = (event: Event, selector: string): boolean =>
  event.target instanceof Element && event.target.closest(selector) !== null;

export function lessonKeys(panel: HTMLElement, app: LessonApp): void {
  panel.addEventListener('keydown', (event) => {
    if (!isPlain(event) || (within(event, OWN) && event.key !== 'Escape')) return;
    switch (event.key) {
      case 'ArrowLeft':
        turnBy(app, -1);
        break;
      case 'ArrowRight':
        turnBy(app, 1);
        break;
      case 'h':
        openNextHint();
        break;
      case 'g':
        // A guess is drawn by keys on the chart.
        if (chartStep() === undefined) return;
        guessByKeys();
        break;
      case 'Enter':
        if (within(event, PRESSED)) return;
        finish(app);
        break;
      case 'Escape':
        // A popover of the panel closes first.
        if (panel.querySelector(':popover-open') || within(event, 'dialog, [role=dialog]')) return;
        leaveTab(app);
        document.querySelector<HTMLElement>('.right [role=tab][aria-selected=true]')?.focus();
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  });
}

/** Opens the next hint of the step on screen. */
function openNextHint(): void {
  const hints = lesson()?.read.lesson.steps[lessonStep()]?.hints ?? [];
  const opened = progressOf(keptName()).hints[lessonStep()] ?? 0;
  if (opened < hints.length) keepHints(keptName(), lessonStep(), opened + 1);
}

/** Turns cards with the arrow keys anywhere on the page. Called under an owner. */
export function arrowsAnywhere(app: LessonApp): void {
  const turn = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -1, PageDown: 1 }[event.key];
    if (by === undefined || !isPlain(event) || within(event, OWN)) return;
    event.preventDefault();
    event.stopPropagation();
    turnBy(app, by);
  };
  window.addEventListener('keydown', turn, true);
  onCleanup(() => window.removeEventListener('keydown', turn, true));
}
