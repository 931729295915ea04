import { expect, test } from 'vitest';
import type { TraceOutcome } from '../../generated/boundary.ts';
import { RefusedError } from '../../sim/client.ts';
import { readCarried } from './carriedTrace.ts';

const TEXT = '{"ts":0,"prompt_tokens":8,"gen_tokens":2}\n';

async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}

/** A client whose reader takes every file, and keeps its text. */
function reader(outcome: TraceOutcome) {
  const read: string[] = [];
  const readTrace = async (file: File): Promise<TraceOutcome> => {
    read.push(file.name, await file.text());
    return outcome;
  };
  return { read, readTrace };
}

const SUMMARY = {
  ...{ format: 'RouteSim', requests: 1, duration_s: 0, prompt_tokens: 8, output_tokens: 2 },
  ...{ hash_block_tokens: 0, digest: '0123456789abcdef' },
};

test('the rows of a scenario are read as the file of their name', async () => {
  const client = reader({ ok: true, diagnostics: [], summary: SUMMARY });
  const document = { workload: { trace: { file: 'a.jsonl', rows: await packed(TEXT) } } };
  const carried = await readCarried(client, document, 1 << 20);
  expect(client.read).toEqual(['a.jsonl', TEXT]);
  expect(carried.summary).toEqual(SUMMARY);
  expect(await carried.file.text()).toBe(TEXT);
});

test.each([
  ['letters that are no base64', async () => '!!!', 'no base64'],
  ['bytes that are no gzip', async () => btoa('plain'), 'no gzip file'],
  ['a cut off file', async () => btoa(atob(await packed(TEXT.repeat(50))).slice(0, 30)), 'damaged gzip data'],
])('%s are one problem at the rows', async (_, rows, found) => {
  const client = reader({ ok: true, diagnostics: [], summary: SUMMARY });
  const document = { workload: { trace: { file: 'a.jsonl', rows: await rows() } } };
  const error = await readCarried(client, document, 1 << 20).catch((e: unknown) => e);
  if (!(error instanceof RefusedError)) throw error;
  expect(error.diagnostics.map((d) => d.path)).toEqual(['workload.trace.rows']);
  expect(error.diagnostics[0]?.found).toContain(found);
  expect(client.read).toEqual([]);
});
