// Edits in the words of the form.
import { child } from '../../base/json.ts';
import type { App } from '../../state/app.ts';
import { type Edit, faultSaid, routeSaid } from '../../state/edits/edits.ts';
import { newSaid, pathName, valueSaid } from './formFields.ts';

/** An edit in the words of the form: the values it sets, the entries it adds, the request it sends elsewhere, what it breaks. */
export function editSaid(app: Pick<App, 'document'>, edit: Edit): readonly (readonly [string, string])[] {
  const set = Object.entries(edit.set ?? {}).map(
    ([path, value]) =>
      [pathName(app.document.schema, app.document.inForce(), path), valueSaid(app, path, value)] as const,
  );
  const added = Object.entries(edit.add ?? {}).map(([list, entry]) => {
    return [newSaid(list), valueSaid(app, '', child(entry, 'name'))] as const;
  });
  const route = routeSaid(edit);
  const fault = faultSaid(edit);
  return [...set, ...added, ...(route ? [route] : []), ...(fault ? [fault] : [])];
}
