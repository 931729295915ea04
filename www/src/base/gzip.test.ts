import { expect, test } from 'vitest';
import { GzipError, unpacked } from './gzip.ts';

const MIB = 2 ** 20;

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** The error of a file. */
async function problemOf(file: File, mostBytes: number) {
  const error = await unpacked(file, mostBytes).catch((e: unknown) => e);
  if (!(error instanceof GzipError)) throw error;
  return error.problem;
}

test('a gzip file becomes its content, without the ending of its name', async () => {
  const file = await unpacked(new File([await gzip('a,b\n1,2\n')], 'trace.csv.GZ'), MIB);
  expect(file.name).toBe('trace.csv');
  expect(await file.text()).toBe('a,b\n1,2\n');
});

test('gzip is recognised by its first bytes, never by its name', async () => {
  const packed = await unpacked(new File([await gzip('{}')], 'result.json'), MIB);
  expect([packed.name, await packed.text()]).toEqual(['result.json', '{}']);
  const plain = new File(['a,b\n'], 'trace.csv.gz');
  expect(await unpacked(plain, MIB)).toBe(plain);
  const empty = new File([], 'empty.gz');
  expect(await unpacked(empty, MIB)).toBe(empty);
});

test('a gzip file unpacks to at most the allowed number of bytes', async () => {
  const file = new File([await gzip('0'.repeat(3 * MIB))], 'zeros.gz');
  expect((await unpacked(file, 3 * MIB)).size).toBe(3 * MIB);
  expect(await problemOf(file, 2 * MIB)).toMatchObject({
    found: 'more than 2 MiB after unpacking',
    fix: 'use the command line for it',
  });
});

test.each([
  ['cut short', (bytes: Uint8Array<ArrayBuffer>) => bytes.slice(0, bytes.length - 9)],
  ['only its mark', (bytes: Uint8Array<ArrayBuffer>) => bytes.slice(0, 2)],
  ['changed in its middle', (bytes: Uint8Array<ArrayBuffer>) => bytes.map((b, i) => (i === 14 ? b ^ 0xff : b))],
])('a damaged gzip file reports what was found and how to fix it: %s', async (_, damage) => {
  const bytes = damage(await gzip('TIMESTAMP,ContextTokens,GeneratedTokens\n'.repeat(50)));
  const problem = await problemOf(new File([bytes], 'trace.csv.gz'), MIB);
  expect(problem.found).toMatch(/^damaged gzip data/);
  expect(problem.fix).toBe('copy or download it again, or unpack it and open its content');
});
