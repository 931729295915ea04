// The schema of the form, whose descriptions are loaded apart: the first view has little of them.
import { type Accessor, createSignal } from 'solid-js';
import type { Schema } from '../../base/schema.ts';

/** The schema, with its descriptions once `describe` has loaded them. */
export function describedLater(schema: Schema): { described: Accessor<Schema>; describe: () => Promise<void> } {
  const [described, setDescribed] = createSignal(schema);
  return {
    described,
    describe: async () => {
      const { default: words } = await import('virtual:schema-words');
      setDescribed(schema.described(words));
    },
  };
}
