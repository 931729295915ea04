import { expect, test } from 'vitest';
import { readDocument, seedOf, writeDocument } from './text.ts';
import { readYaml, writeYaml } from './yaml.ts';

const LONG = '18446744073709551615';

test('a seed of 64 bits survives JSON and YAML to the last digit', async () => {
  const document = readDocument(`{"title":"\\"seed\\":99999999999999999999","seed":${LONG},"run":{"horizon_s":1}}`);
  expect(document).toEqual({ title: '"seed":99999999999999999999', seed: LONG, run: { horizon_s: 1 } });
  expect(writeDocument(document)).toContain(`"seed":${LONG},`);
  expect(readDocument(writeDocument(document, 2))).toEqual(document);
  const yaml = await writeYaml(document);
  expect(yaml).toContain(`seed: ${LONG}\n`);
  expect(await readYaml(yaml)).toEqual(document);
});

test('a seed that fits a number exactly is a number', async () => {
  expect(readDocument('{"seed":42}')).toEqual({ seed: 42 });
  expect(writeDocument({ seed: 42 })).toBe('{"seed":42}');
  expect(await readYaml('seed: 9007199254740991\nrate: 8.5\nlist: [1, a, null]')).toEqual({
    seed: Number.MAX_SAFE_INTEGER,
    rate: 8.5,
    list: [1, 'a', null],
  });
  expect(seedOf('9007199254740993')).toBe('9007199254740993');
  expect(seedOf('007')).toBe(7);
  expect(seedOf('-1')).toBeUndefined();
  expect(seedOf('1e3')).toBeUndefined();
});
