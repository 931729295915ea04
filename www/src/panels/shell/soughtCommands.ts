// Commands that are found by words only, as they are many: fields of the form, words of the glossary, and what stands on the
// cards of presets.
import GALLERY from '../../generated/gallery.json';
import GLOSSARY from '../../generated/glossary.json';
import type { App } from '../../state/app.ts';
import { type Command, commandsOf } from '../../state/commands/commands.ts';
import { pathName, search } from '../parts/formFields.ts';

/** Other words for fields, by path. */
const ALSO: Readonly<Record<string, string>> = {
  'cluster.routing': 'router load balancer balancing',
  'cluster.admission': 'shedding quota rate limit',
  'cluster.flow_control': 'gateway queue priority bands',
};
const MOST_FIELDS = 400;

/** The fields of the form, with their help. */
export function fieldCommands({ schema, inForce }: Pick<App['document'], 'schema' | 'inForce'>): readonly Command[] {
  const document = inForce();
  return search(schema, document, '', MOST_FIELDS).map(({ section, field }) => ({
    does: pathName(schema, document, field.path),
    group: 'Field',
    keys: '',
    also: `${ALSO[field.path] ?? ''} ${section.title} ${field.label} ${field.unit}`,
    about: `${field.path} ${field.description} ${optionsOf(field.input)}`,
    sought: true,
    action: (app) => app.selection.searchForm(field.label.toLowerCase()),
  }));
}

function optionsOf(input: ReturnType<typeof search>[number]['field']['input']): string {
  return input.kind === 'choice' ? input.options.map((option) => option.label).join(' ') : '';
}

/** The words of the glossary, each of which opens there. */
export function wordCommands(): readonly Command[] {
  return GLOSSARY.map(({ word, meaning, ...entry }) => ({
    does: word,
    group: 'Glossary',
    keys: '',
    also: 'also' in entry && Array.isArray(entry.also) ? entry.also.join(' ') : '',
    about: meaning,
    sought: true,
    action: () => dispatchEvent(new CustomEvent('glossary', { detail: word })),
  }));
}

/** Every command; with `sought`, fields and words of the glossary too, which are many. */
export function allCommands(app: App, sought: boolean): readonly Command[] {
  const listed = withCards(commandsOf(app));
  if (!sought) return listed;
  const presets = listed.findIndex(({ group }) => group === 'Preset');
  return [...listed.slice(0, presets), ...fieldCommands(app.document), ...listed.slice(presets), ...wordCommands()];
}

/** The commands of presets, with the words of their cards. */
export function withCards(commands: readonly Command[]): readonly Command[] {
  const words = new Map(GALLERY.map((card) => [card.name, `${card.look.replaceAll('*', '')} ${card.tags.join(' ')}`]));
  return commands.map((command) => {
    const about = command.group === 'Preset' ? words.get(command.also ?? '') : undefined;
    return about === undefined ? command : { ...command, about };
  });
}
