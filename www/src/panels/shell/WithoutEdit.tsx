// Has the run without the last edit followed as long as the run on screen has edits of the reader. Loaded with the first.
import type { JSX } from 'solid-js';
import type { App } from '../../state/app.ts';
import { followWithoutEdit } from '../../state/studies/withoutEdit.ts';
import { flagSaid, valueSaid } from '../parts/formFields.ts';

export default function WithoutEdit(props: { app: Pick<App, 'transport' | 'document'> }): JSX.Element {
  followWithoutEdit(props.app, (edit) => {
    const [first, ...more] = Object.entries(edit.set ?? {});
    // A policy is known by its name alone.
    const isName = first !== undefined && more.length === 0 && typeof first[1] === 'string';
    return isName ? valueSaid(props.app, ...first) : flagSaid(props.app, edit);
  });
  return undefined;
}
