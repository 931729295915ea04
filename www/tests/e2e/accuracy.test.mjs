// The page of every measured row, as the command line writes it, in Chromium.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli, suite, write } from './harness.mjs';

const onPage = suite();
const MEASURED = `id,silicon_data_source,backend,backend_version,model_path,system,precision,mode,isl,osl,batch_size,tp_size,attention_dp_size,silicon_ttft_ms,silicon_tpot_ms,real_engine
one,example.org; measured=2026-03-27,vllm,0.18.0,Qwen/Qwen3-8B,H100,bf16,agg,1024,128,4,1,1,,9.8,vllm
two,example.org; measured=2026-03-27,vllm,0.18.0,Qwen/Qwen3-8B,H100,bf16,agg,1024,128,8,1,1,,11.2,vllm
`;

onPage('a measured row is readable without a script, and opens as its scenario with one', async (page, t) => {
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'tokenyard-accuracy-'));
  run('validate', write('points.csv', MEASURED), '--page', folder, '--day', '2026-11-30');
  const body = readFileSync(join(folder, 'accuracy.html'), 'utf8');
  assert.match(body, /<td>two<td>/);
  assert.ok(!body.includes('<button'), 'buttons come from the script');
  await page.route('**/accuracy.html', (route) => route.fulfill({ body, contentType: 'text/html' }));
  await page.goto(new URL('accuracy.html', page.url()).href);
  await page.locator('summary').click();
  await page.getByRole('button', { name: /^open two / }).click();
  await page.waitForURL(/#v1\./);
  await page
    .getByRole('banner')
    .getByText(/^Qwen\/Qwen3-8B on H100, .*c8$/)
    .first()
    .waitFor();
});
