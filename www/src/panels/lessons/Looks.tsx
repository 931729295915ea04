// What a card points at, as buttons that lead there: on a phone it is on another tab, and by keyboard it is far away.
import { For, type JSX, Show } from 'solid-js';
import { isPhone } from '../../base/media.ts';
import type { LessonLook } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { pathName } from '../parts/formFields.ts';
import { elementOf, lookName, partsOf, revealField, tabOf } from './places.ts';

const FOCUSABLE = 'input, select, textarea, button, [tabindex="0"]';

export function Looks(props: { app: Pick<App, 'document' | 'selection'>; looks: readonly LessonLook[] }): JSX.Element {
  const { document: run, selection } = props.app;
  const named = (look: LessonLook): string => lookName(look, (path) => pathName(run.schema, run.inForce(), path));
  const go = (at: string): void => {
    if (isPhone()) selection.setPhoneTab(tabOf(at));
    const [kind, name] = partsOf(at);
    if (kind === 'field') revealField(props.app, name);
    // A part of the form that was closed is built meanwhile.
    setTimeout(() => {
      const element = elementOf(at);
      element?.scrollIntoView({ block: 'nearest' });
      const first = element?.matches(FOCUSABLE)
        ? element
        : [...(element?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])][0];
      first?.focus();
    }, 120);
  };
  return (
    <Show when={props.looks.length > 0}>
      <ul class="lesson-looks" aria-label="What this card points at">
        <For each={props.looks}>
          {(look) => (
            <li>
              <button type="button" class="btn box" onClick={() => go(look.at)}>
                <span>Go to {named(look)}</span>
                <Show when={look.says}>{(says) => <span class="m">{says()}</span>}</Show>
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
