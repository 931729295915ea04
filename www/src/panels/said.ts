// Edits and values in the words of the form.
import { child, type Json } from '../base/json.ts';
import type { App } from '../state/app.ts';
import { type Edit, routeSaid } from '../state/edits.ts';
import { choiceText, fieldAt, inUnit, pathName, shortName } from './formFields.ts';

/** An edit in the words of the form: what it sets, what it adds, whom it sends where. */
export function editSaid(app: App, edit: Edit): readonly (readonly [string, string])[] {
  const set = Object.entries(edit.set ?? {}).map(
    ([path, value]) => [pathName(app.schema, app.inForce(), path), valueSaid(app, path, value)] as const,
  );
  const added = Object.entries(edit.add ?? {}).map(([list, entry]) => {
    const word = list === 'cluster.pools' ? 'New pool' : 'New client';
    return [word, valueSaid(app, '', child(entry, 'name'))] as const;
  });
  const route = routeSaid(edit);
  return [...set, ...added, ...(route ? [route] : [])];
}

/** An edit on a flag: the first thing that it does, and how many more there are. */
export function flagSaid(app: App, edit: Edit): string {
  const [first] = Object.entries(edit.set ?? {});
  const parts = editSaid(app, edit);
  const said =
    first === undefined
      ? (parts[0]?.join(' ') ?? '')
      : `${shortName(app.schema, app.inForce(), first[0])} ${valueSaid(app, ...first)}`;
  return parts.length > 1 ? `${said} +${parts.length - 1}` : said;
}

/** The value at a path in the form's words: a number with its unit, a policy by its name, a list by its length. */
export function valueSaid(app: App, path: string, stored: Json | undefined): string {
  const field = fieldAt(app.schema, app.inForce(), path);
  const value = field ? inUnit(field, stored) : stored;
  if (value === undefined) return 'default';
  if (value === null) return 'off';
  if (typeof value === 'number') {
    const text = value.toLocaleString('en', { maximumFractionDigits: 9 });
    return field && field.unit !== '' ? `${text}\u00a0${field.unit}` : text;
  }
  const text = field?.input.kind === 'choice' || typeof value !== 'string' ? choiceText(value, field) : value;
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
