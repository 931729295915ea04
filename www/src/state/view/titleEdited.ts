// Whether the title of the run is a field in the top bar. A key, a command and the menu of scenarios open it.
import { createSignal } from 'solid-js';
import { awaitField } from '../../base/typedAhead.ts';

const [titleEdited, setEdited] = createSignal(false);

export { titleEdited };

export function setTitleEdited(edited: boolean): void {
  if (edited) awaitField('.title-field');
  setEdited(edited);
}
