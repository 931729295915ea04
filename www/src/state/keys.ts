// What the keys do. Keys typed into a field, and keys that a widget needs, belong to it.
import { NOTHING } from '../base/view.ts';
import type { App } from './app.ts';

const WRITES = 'input:not([type=checkbox]), textarea, select, [contenteditable]';
const USES_ARROWS =
  '[role=slider], [role=tab], [role=menu], [role=menuitem], [role=listbox], [role=combobox], [role=region]';
const USES_SPACE =
  'button, a[href], summary, [role=slider], [role=tab], [role=menuitem], [role=option], [role=switch], input';

export function handleKey(event: KeyboardEvent, app: App, singleKeys: boolean): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || app.help() || app.reading()) return;
  const target = event.target instanceof Element ? event.target : undefined;
  if (event.key === 'Escape') {
    leave(app, target);
    return;
  }
  if (!singleKeys || target?.closest(WRITES)) return;
  if (event.key === ' ' && target?.closest(USES_SPACE)) return;
  if ((event.key === 'ArrowRight' || event.key === 'End') && target?.closest(USES_ARROWS)) return;
  const action = actionFor(event, app);
  if (!action) return;
  event.preventDefault();
  action();
}

function actionFor(event: KeyboardEvent, app: App): (() => void) | undefined {
  switch (event.key) {
    case ' ':
      return () => void app.toggle();
    case '.':
    case 'ArrowRight':
      return () => app.step(event.shiftKey ? 'engine-step' : 'event');
    case '>':
    case ':':
      return event.shiftKey ? () => app.step('engine-step') : undefined;
    case '[':
    case '-':
    case '−':
      return () => app.setSpeed(app.speedIndex() - 1);
    case ']':
    case '+':
    case '=':
      return () => app.setSpeed(app.speedIndex() + 1);
    case 'r':
      return () => void app.restart();
    case 'End':
      return () => app.toEnd();
    case '?':
      return () => void app.setHelp(true);
    default:
      return undefined;
  }
}

function leave(app: App, target: Element | undefined): void {
  if (target?.matches(WRITES) && target instanceof HTMLElement) {
    target.blur();
    return;
  }
  if (app.notice()) app.setNotice(undefined);
  else if (app.selected().request !== undefined || app.selected().replica !== undefined) app.select(NOTHING);
  else app.setDrawer(false);
}
