// The router of the run: the one in force, and the others.
import type { Json } from '../../base/json.ts';
import type { Option } from '../../base/schema.ts';
import type { App } from '../../state/app.ts';
import { fieldAt } from '../parts/formFields.ts';

export const ROUTING = 'cluster.routing';
/** The tag of the one that the first minute asks for. */
export const LEAST = 'least-loaded';

export type Routers = {
  readonly options: () => readonly Option[];
  /** The tag of the one in force; empty without a document. */
  readonly current: () => string;
  readonly nameOf: (tag: string) => string;
};

const choiceIn = (doc: App['document'], document: Json) => {
  const input = fieldAt(doc.schema, document, ROUTING)?.input;
  return input?.kind === 'choice' ? input : undefined;
};

/** The tag of the router in a document; empty where it has none. */
export const tagOf = (doc: App['document'], document: Json): string => choiceIn(doc, document)?.tag ?? '';

export function routersOf({ document: doc }: Pick<App, 'document'>): Routers {
  const choice = () => choiceIn(doc, doc.inForce());
  const options = (): readonly Option[] => choice()?.options ?? [];
  return {
    options,
    current: () => tagOf(doc, doc.inForce()),
    nameOf: (tag) => options().find((option) => option.tag === tag)?.label ?? tag,
  };
}
