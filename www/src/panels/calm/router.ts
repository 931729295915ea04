// The router of the run: the one in force, and the others.
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

export function routersOf({ document: doc }: Pick<App, 'document'>): Routers {
  const choice = () => {
    const input = fieldAt(doc.schema, doc.inForce(), ROUTING)?.input;
    return input?.kind === 'choice' ? input : undefined;
  };
  const options = (): readonly Option[] => choice()?.options ?? [];
  return {
    options,
    current: () => choice()?.tag ?? '',
    nameOf: (tag) => options().find((option) => option.tag === tag)?.label ?? tag,
  };
}
