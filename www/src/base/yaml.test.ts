// The corpus of tests/yaml, which the command line also reads (src/cli/files/yaml.rs), and the differences between the two
// readers.
import { expect, test } from 'vitest';
import differences from '../../../tests/yaml/differences.json';
import { readYaml } from './yaml.ts';

const TEXTS = import.meta.glob<string>('../../../tests/yaml/*.yaml', { query: '?raw', import: 'default', eager: true });
const DOCUMENTS = import.meta.glob<string>('../../../tests/yaml/*.json', {
  query: '?raw',
  import: 'default',
  eager: true,
});

test('there is a corpus', () => {
  expect(Object.keys(TEXTS).length).toBeGreaterThan(5);
});

test.each(Object.keys(TEXTS))('%s gives the document that the command line reads from it', async (file) => {
  const document = DOCUMENTS[file.replace('.yaml', '.json')] ?? '';
  expect(await readYaml(TEXTS[file] ?? '')).toEqual(JSON.parse(document));
});

test.each(differences)('differences to the command line are known: $text', async ({ text, page }) => {
  const read = await readYaml(text).catch(() => 'refused');
  // JSON has no numbers that are not finite.
  const written: unknown = JSON.parse(JSON.stringify(read, (_, value) => (value === Infinity ? 'Infinity' : value)));
  expect(written).toEqual(page);
});
