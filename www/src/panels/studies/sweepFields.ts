// The fields that a sweep can vary: the traffic, and the numbers of the form that change what is simulated.
import { getAt, type Json } from '../../base/json.ts';
import type { Schema } from '../../base/schema.ts';
import { entriesOf, fieldsIn, SECTIONS } from '../parts/formFields.ts';
import type { Axis } from './SweepCharts.tsx';

export type Varied = Axis & {
  /** Its section in the form, and its name there. */
  readonly group: string;
  readonly label: string;
  readonly integer: boolean;
  readonly now: number;
};

/** All arrival rates by a factor, as named in `--vary`. */
export const TRAFFIC: Varied = {
  path: 'traffic',
  title: 'Traffic: all rates by a factor',
  unit: '×',
  times: 1,
  group: '',
  label: '',
  integer: false,
  now: 1,
};

/** Sections whose numbers say what is kept and for how long, not what is simulated. */
const NOT_VARIED = ['Run', 'Observation'];

/** The fields of the scenario that hold a number. */
export function numbersOf(schema: Schema, document: Json): readonly Varied[] {
  return SECTIONS.filter(({ title }) => !NOT_VARIED.includes(title)).flatMap((section) =>
    entriesOf(document, section).flatMap((entry) =>
      fieldsIn(schema, document, section, entry).flatMap((field): readonly Varied[] => {
        const value = getAt(document, field.path) ?? field.initial;
        if (field.input.kind !== 'number' || typeof value !== 'number') return [];
        const title = [section.title, field.within, field.label].filter((part) => part !== '').join(', ');
        const { path, unit, times, input } = field;
        const label = title.slice(section.title.length).replace(/^, /, '');
        return [{ path, title, group: section.title, label, unit, times, integer: input.integer, now: value / times }];
      }),
    ),
  );
}

/** The fields with every word of a query in their name, section or path. */
export function foundFields(fields: readonly Varied[], query: string): readonly Varied[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return fields.filter(({ title, path }) => words.every((word) => `${title} ${path}`.toLowerCase().includes(word)));
}
