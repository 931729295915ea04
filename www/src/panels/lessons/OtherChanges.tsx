// What the reader changed beside the one field that the step points at. Nothing is locked: it is said, and can be undone.
import { createMemo, type JSX, Show } from 'solid-js';
import type { App } from '../../state/app.ts';
import { type Change, placedEdits } from '../../state/edits/edits.ts';
import { lesson } from '../../state/lessons/lesson.ts';
import { stepDocument } from '../../state/lessons/lessonOpening.ts';
import { pathName } from '../parts/formFields.ts';
import { foreign } from './foreignChanges.ts';

export function OtherChanges(props: { app: Pick<App, 'document' | 'transport'>; index: number }): JSX.Element {
  const { document, transport } = props.app;
  /** The instant of the latest edit of the step's own scenario. */
  const editedUs = createMemo(() => {
    const now = transport.throttledFrame()?.now_us ?? 0;
    const instants = placedEdits(stepDocument() ?? null).map(({ atUs }) => atUs);
    return Math.max(0, ...instants.filter((atUs) => atUs <= now));
  });
  const differing = document.differing(() => {
    const opened = stepDocument();
    return opened === undefined ? undefined : { from: opened, to: document.inForce(), fromUs: editedUs() };
  });
  const found = createMemo<readonly Change[]>(() =>
    stepDocument() === undefined ? [] : foreign(lesson()?.read.lesson.steps ?? [], props.index, differing() ?? []),
  );
  const names = (): string =>
    [...new Set(found().map(({ path }) => pathName(document.schema, document.inForce(), path)))].join('; ');
  const undo = async (): Promise<void> => {
    for (const { path, from } of found()) {
      if (from === undefined) await document.undo();
      else await document.change(path, from);
    }
  };
  return (
    <Show when={found().length > 0}>
      <div class="lesson-changed" role="status">
        <p>You also changed {names()}. The engine’s figures above are of the lesson’s own scenario.</p>
        <button type="button" class="btn box" onClick={() => void undo()}>
          Undo
        </button>
      </div>
    </Show>
  );
}
