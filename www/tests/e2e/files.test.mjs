// The built page in Chromium: presets and traces give the command line's digests.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import {
  cli,
  clock,
  comes,
  drop,
  dropTrace,
  finalDigest,
  OPENING_S,
  ROOT,
  resting,
  savedScenario,
  suite,
  write,
} from './harness.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const scenarioPanel = (page) => page.getByRole('complementary', { name: 'Scenario' });

/** The digests in tests/portability.rs of the presets, cut to 30 s with 5 s of warm-up. */
function pinned() {
  const source = readFileSync(`${ROOT}../tests/portability.rs`, 'utf8');
  return [...source.matchAll(/\("([\w@-]+), default", \d+, "([0-9a-f]{16})"\)/g)].map(([, name, digest]) => ({
    name,
    digest,
  }));
}

onPage('presets give the digests pinned for the native program and for Node', async (page, t) => {
  const panel = scenarioPanel(page);
  const trigger = page.getByRole('banner').getByRole('button', { name: 'Presets' });
  await trigger.click();
  await page.getByRole('menuitem').first().waitFor();
  const names = await page.getByRole('menuitem').evaluateAll((all) => all.map((item) => item.dataset.value));
  await page.keyboard.press('Escape');
  const wanted = pinned().filter(({ name }) => names.includes(name));
  assert.ok(wanted.length >= 6, 'digests of presets are pinned');
  await panel.getByRole('button', { name: 'Run' }).click();
  const set = async (label, value) => {
    const field = panel.getByRole('textbox', { name: label, exact: true });
    await field.fill(value);
    await field.press('Enter');
    await page.waitForFunction(() => document.querySelector('.problem') === null);
    await resting(page);
  };
  for (const { name, digest } of wanted) {
    await trigger.click();
    await page.locator(`[role=menuitem][data-value="${name}"]`).click();
    await page.waitForFunction((n) => document.querySelector('.preset-name')?.textContent === n, name);
    await resting(page);
    // In this order: a warm-up longer than the run is refused.
    await set('Warm-up', '5');
    await set('Ends at', '30');
    assert.equal(await finalDigest(page), digest, name);
    t.diagnostic(`${name} ${digest}`);
  }
});

onPage('a table with semicolons and decimal commas, as Excel saves it, runs as a trace', async (page) => {
  const row = (i) => `${String(i / 4).replace('.', ',')};${100 + i};${10 + (i % 5)}`;
  const table = `arrived_at;num_prefill_tokens;num_decode_tokens\n${Array.from({ length: 40 }, (_, i) => row(i)).join('\n')}\n`;
  await dropTrace(page, 'excel.csv', table);
  await resting(page);
  await page
    .getByText(/40 requests/)
    .first()
    .waitFor();
});

onPage('a run that was played ends with the command line’s digest', async (page, t) => {
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  const from = await clock(page);
  await comes(async () => (await clock(page)) > from + 3, true);
  await page.keyboard.press('Space');
  await resting(page);
  const digest = await finalDigest(page);
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  assert.equal(digest, run('digest', 'chat-4xh100').split(/\s+/)[0]);
  t.diagnostic(`digest ${digest} in the page and on the command line`);
});

/** A trace in the Azure format: `requests` rows, the same ones every time. */
function trace(requests) {
  const rows = ['TIMESTAMP,ContextTokens,GeneratedTokens'];
  let state = 7;
  let ms = 0;
  for (let i = 0; i < requests; i += 1) {
    state = (state * 1664525 + 1013904223) % 4294967296;
    ms += state % 200;
    const at = new Date(Date.UTC(2023, 10, 16, 18, 0, 0) + ms);
    rows.push(
      `${at.toISOString().replace('T', ' ').replace('Z', '0000')},${200 + (state % 3000)},${20 + (state % 300)}`,
    );
  }
  return `${rows.join('\n')}\n`;
}

onPage('a dropped trace replaces the traffic and gives the command line’s digest', async (page, t) => {
  const text = trace(2000);
  await dropTrace(page, 'made.csv', text);
  await page.locator('.notice').filter({ hasText: '2,000 requests' }).waitFor();
  await resting(page);
  assert.equal(await clock(page), 0, 'it opens where it begins');
  const end = Number(/of ([\d,.]+) s/.exec(await page.locator('.clock').textContent())?.[1].replace(',', ''));
  assert.ok(end > 150 && end < 250, `the axis is as long as the trace: ${end}`);
  const named = page.getByText('made.csv', { exact: true }).and(page.locator(':not(.visually-hidden)'));
  assert.equal(await named.count(), 1, 'its name is shown once');
  await scenarioPanel(page).getByText('Tensor parallel').first().waitFor();
  assert.equal(await page.getByText('What to look at').count(), 0, 'the note of the other traffic is gone');
  const digest = await finalDigest(page);
  await comes(async () => (await page.locator('dt:text-is("Arrived") + dd').first().textContent()).trim(), '2,000');
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  const scenario = await savedScenario(page);
  assert.equal(digest, run('digest', scenario, '--trace', write('made.csv', text)).split(/\s+/)[0]);
  t.diagnostic(`digest ${digest} in the page and on the command line`);
});

onPage('a broken trace names its line and leaves the run alone', async (page) => {
  await drop(page, 'broken.csv', trace(20).replace(/\n([^\n]*)\n$/, '\nnot,a,row\n'));
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This trace cannot be used').waitFor();
  await dialog.getByText('Your run is unchanged.').waitFor();
  await comes(() => dialog.textContent(), /line 21/);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await clock(page), OPENING_S);
});

onPage('reading a long trace shows its progress and can be cancelled', async (page) => {
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    const rows = '1,100,10\n'.repeat(1 << 20);
    data.items.add(new File(['arrived_at,num_prefill_tokens,num_decode_tokens\n', ...Array(4).fill(rows)], 'long.csv'));
    return data;
  });
  const title = await page.title();
  await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer });
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
  const dialog = page.getByRole('dialog', { name: 'Reading the trace' });
  const read = dialog.getByRole('progressbar', { name: 'Read so far' });
  await comes(async () => (await read.evaluate((bar) => bar.position)) > 0, true);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.title(), title);
  assert.equal(await clock(page), OPENING_S, 'the run is as it was');
});

onPage('a trace packed with gzip is replayed as the plain one is', async (page) => {
  const text = trace(300);
  await dropTrace(page, 'made.csv.gz', gzipSync(text));
  const told = page.locator('.notice').filter({ hasText: 'made.csv: 300 requests' });
  await told.waitFor();
  const packed = await finalDigest(page);
  await page.locator('.notice').getByRole('button').first().click();
  await told.waitFor({ state: 'detached' });
  await dropTrace(page, 'made.csv', text);
  await told.waitFor();
  await resting(page);
  assert.equal(await finalDigest(page), packed);
});

onPage('columns of a table in no known format are named, and it is read as a trace', async (page) => {
  const rows = Array.from({ length: 40 }, (_, i) => `${i * 500},${100 + i},${20 + i}`);
  await drop(page, 'ours.csv', `when,in,out\n${rows.join('\n')}\n`);
  const dialog = page.getByRole('dialog', { name: 'Name the columns' });
  const read = dialog.getByRole('button', { name: 'Read the trace' });
  await read.waitFor();
  assert.equal(await read.isDisabled(), true);
  assert.deepEqual(await violations(page), []);
  await dialog.getByRole('combobox', { name: 'What when is' }).selectOption('arrival');
  await dialog.getByRole('combobox', { name: 'Unit of the arrival' }).selectOption('ms');
  await dialog.getByRole('combobox', { name: 'What in is' }).selectOption('prompt');
  await dialog.getByRole('combobox', { name: 'What out is' }).selectOption('output');
  await dialog.getByText('--columns arrival:ms=when,prompt=in,output=out').waitFor();
  await read.click();
  const inspector = page.getByRole('dialog', { name: 'Open a trace' });
  await inspector.getByText('40 requests', { exact: true }).waitFor();
  await inspector.getByRole('button', { name: 'Run on this cluster' }).click();
  await page.locator('.notice').filter({ hasText: 'ours.csv: 40 requests' }).waitFor();
});

onPage('a trace is looked at before it runs, and a window is chosen by keys', async (page) => {
  const title = await page.title();
  await drop(page, 'made.csv', trace(300));
  const dialog = page.getByRole('dialog', { name: 'Open a trace' });
  await dialog.getByText('300 requests', { exact: true }).waitFor();
  await dialog.getByRole('img', { name: /^Prompt: mean / }).waitFor();
  assert.equal(await clock(page), OPENING_S, 'nothing has run yet');
  assert.deepEqual(await violations(page), []);
  const rate = dialog.getByRole('group', { name: /^Window: the whole trace/ });
  await rate.focus();
  await page.keyboard.press('ArrowRight');
  await dialog.getByRole('group', { name: /^Window: .* from 0\ss$/ }).waitFor();
  await dialog.getByRole('columnheader', { name: 'runs' }).waitFor();
  const [written, runs] = await dialog
    .getByRole('row', { name: /^Requests/ })
    .getByRole('cell')
    .allTextContents();
  assert.equal(written, '300');
  assert.ok(Number(runs) > 0 && Number(runs) < 300, runs);
  await dialog.getByRole('status').getByText(`${runs} requests`, { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Reset' }).click();
  await dialog.getByText('300 requests', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  assert.equal(await page.title(), title);
});

onPage('a benchmark packed with gzip is compared with the run', async (page) => {
  const text = readFileSync(`${ROOT}../tests/it/exchange/samples/vllm-bench-detailed.json`);
  // Its name does not show gzip; its first bytes do.
  await drop(page, 'bench-0721.json', gzipSync(text));
  await page.getByRole('heading', { name: 'bench-0721.json' }).waitFor();
  await page.getByRole('row', { name: /^TPOT mean \d/ }).waitFor();
});

onPage('a damaged gzip file says what was found and how to fix it, and leaves the run alone', async (page) => {
  const packed = gzipSync(trace(300));
  await drop(page, 'made.csv.gz', packed.subarray(0, packed.length - 40));
  const told = page.locator('.notice').filter({ hasText: 'made.csv.gz: found damaged gzip data' });
  await told.waitFor();
  await comes(() => told.textContent(), /copy or download it again, or unpack it/);
  assert.equal(await clock(page), OPENING_S);
});

const AUTOSCALER = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: chat }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: chat }
  minReplicas: 2
  maxReplicas: 6
  metrics:
    - type: External
      external:
        metric: { name: vllm:num_requests_waiting }
        target: { type: AverageValue, averageValue: "5" }
---
kind: ConfigMap
data:
  default: |
    kvCacheThreshold: 0.7
    kvSpareTrigger: 0.1
`;

onPage('pasted policies show the translation of each key, and run as on the command line', async (page, t) => {
  const scenario = await savedScenario(page);
  // An edit at the beginning changes the scenario itself.
  await page.keyboard.press('Home');
  await resting(page);
  await drop(page, 'policies.yaml.gz', gzipSync(AUTOSCALER));
  const dialog = page.getByRole('dialog', { name: 'Bring your fleet' });
  const rows = dialog.locator('.meaning-rows li');
  await rows.filter({ hasText: 'maxReplicas' }).filter({ hasText: 'scaling' }).first().waitFor();
  await rows.filter({ hasText: 'kvCacheThreshold' }).first().waitFor();
  await dialog.getByRole('button', { name: /^Apply to this fleet/ }).click();
  await dialog.waitFor({ state: 'hidden' });
  await resting(page);
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  const printed = run('digest', scenario, '--policies', write('policies.yaml', AUTOSCALER)).split(/\s+/)[0];
  assert.equal(await finalDigest(page), printed);
});
