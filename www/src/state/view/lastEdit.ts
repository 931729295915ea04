// The run without the reader's last edit, beside the run on screen: which edit that is, and what that run has so far.
import { createSignal } from 'solid-js';
import type { Without } from '../../base/view.ts';
import type { Frame } from '../../generated/boundary.ts';
import type { ListedEdit } from '../edits/edits.ts';
import { readFlag, writeFlag } from './flags.ts';

const KEY = 'without';

/** That run, and the key figures of both at the instant of the edit. */
export type WithoutEdit = Without & { readonly key: Frame['key'] };

export const [without, setWithout] = createSignal<WithoutEdit>();

const [withoutOn, setOn] = createSignal(readFlag(KEY));

/** Whether it is run and shown; the choice stays in the browser. */
export { withoutOn };

export function switchWithout(): void {
  setOn(!withoutOn());
  writeFlag(KEY, withoutOn());
}

/** The edits that the reader made last before an instant; those of the scenario itself are not the reader's. */
export type LastEdit = { readonly atUs: number; readonly indices: readonly number[] };

const isOwn = ({ scheduled, off, atUs }: ListedEdit): boolean => !scheduled && !off && atUs > 0;

export const hasOwnEdits = (listed: readonly ListedEdit[]): boolean => listed.some(isOwn);

export function lastEdit(listed: readonly ListedEdit[], nowUs: number): LastEdit | undefined {
  const passed = listed.filter((edit) => isOwn(edit) && edit.atUs <= nowUs);
  const atUs = Math.max(...passed.map((edit) => edit.atUs));
  const indices = passed.flatMap((edit) => (edit.atUs === atUs ? [edit.index] : []));
  return indices.length === 0 ? undefined : { atUs, indices };
}
