// The page's copy of the scenario's schema, in few bytes: what the form does not read is left out, and descriptions come apart.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What only a validator of documents reads in the schema: the page asks the simulation instead. */
const FOR_VALIDATORS = new Set(['$schema', 'additionalProperties', 'required', 'TimedEdit', 'Edit', 'Route']);

/**
 * Leaves out of the page's copy of the schema what the form does not read: a seventh of it. Fields and options describe themselves.
 * Descriptions, more than half of the rest, are a module of their own, `virtual:schema-words`: the copy has their numbers in their place.
 */
export function schemaOfTheForm() {
  const WORDS = 'virtual:schema-words';
  const read = (text) => {
    const schema = JSON.parse(text, (key, value) => (isLeftOut(key, value) ? undefined : value));
    for (const definition of Object.values(schema.$defs)) delete definition.description;
    return described(schema);
  };
  return {
    name: 'schema-of-the-form',
    enforce: 'pre',
    resolveId: (id) => (id === WORDS ? `\0${WORDS}` : undefined),
    load(id) {
      if (id !== `\0${WORDS}`) return undefined;
      const file = fileURLToPath(new URL('../src/generated/schema.json', import.meta.url));
      this.addWatchFile(file);
      return `export default ${JSON.stringify(read(readFileSync(file, 'utf8')).words)};`;
    },
    transform: (text, file) =>
      file.endsWith('/generated/schema.json') ? JSON.stringify(numbered(read(text).schema)) : undefined,
  };
}

/** The schema with the number of each description in its place, and the descriptions. */
function described(whole) {
  const words = [];
  const schema = JSON.parse(JSON.stringify(whole), (key, value) => {
    if (!DESCRIPTIONS.has(key) || typeof value !== 'string') return value;
    if (!words.includes(value)) words.push(value);
    return words.indexOf(value);
  });
  return { schema, words };
}

/** What describes a field or an option. A field of this name is an object. */
const DESCRIPTIONS = new Set(['description', 'x-none-help']);

/** Widths of numbers that limit nothing are left out too. */
const isLeftOut = (key, value) =>
  FOR_VALIDATORS.has(key) || (key === 'format' && typeof value === 'string' && !/^u?int32$/.test(value));

/** The label of a field that is its key in words: fields with such a label have none in the page's copy. */
const labelOf = (key) => {
  const words = key.replace(/_(s|ms|us)$/, '').replace(/[-_]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/**
 * The schema in fewer bytes, which `sentencesOfTheForm` undoes when the page starts: three kilobytes less to send. What an
 * edit of a field does is one of a few dozen sentences, and fields have its number; labels that are keys in words are left
 * out, and a field without a label has 0.
 */
function numbered(schema) {
  const sentences = [];
  const short = JSON.parse(JSON.stringify(schema), (key, value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    if (key === 'properties') return Object.fromEntries(Object.entries(value).map(unlabelled));
    // One order of keys in every field is sent in fewer bytes.
    const { description, 'x-label': label, 'x-unit': unit, 'x-edit': edit, 'x-edit-help': help, ...rest } = value;
    if (typeof help !== 'string' || typeof edit !== 'string') return value;
    const said = JSON.stringify([edit, help]);
    if (!sentences.includes(said)) sentences.push(said);
    return { description, 'x-label': label, 'x-unit': unit, 'x-edit': sentences.indexOf(said), ...rest };
  });
  return { ...short, 'x-edits': sentences.map((said) => JSON.parse(said)) };
}

function unlabelled([key, field]) {
  if (field === null || typeof field !== 'object') return [key, field];
  const { 'x-label': label, ...rest } = field;
  if (label === undefined) return [key, { ...rest, 'x-label': 0 }];
  return [key, label === labelOf(key) ? rest : field];
}

/** Puts back into the fields what `numbered` took out, when the page starts. */
export function sentencesOfTheForm() {
  return {
    name: 'sentences-of-the-form',
    transform: (code, file) => {
      if (!file.endsWith('/generated/schema.json')) return undefined;
      const fill = `const edits = whole['x-edits'];
delete whole['x-edits'];
const labelOf = ${labelOf.toString()};
const fill = (node) => {
  const edit = edits[node['x-edit']];
  if (edit) [node['x-edit'], node['x-edit-help']] = edit;
  for (const [key, field] of Object.entries(node.properties ?? {})) {
    if (field['x-label'] === 0) delete field['x-label'];
    else field['x-label'] ??= labelOf(key);
  }
  for (const value of Object.values(node)) if (value && typeof value === 'object') fill(value);
};
fill(whole);`;
      const [before, after] = code.split(/^export default /m);
      if (after === undefined) throw new Error('The schema is no default export: look at sentencesOfTheForm.');
      return `${before}const whole = ${after.replace(/;?\s*$/, ';')}\n${fill}\nexport default whole;`;
    },
  };
}
