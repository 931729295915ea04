// Bring your fleet and take the policy home: configuration pasted on the page, a conflict settled, applied, changed, and
// written again with that change as the only difference.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cli, comes, resting, savedScenario, suite, write } from './harness.mjs';
import { violations } from './violations.mjs';

const onPage = suite();

const PICKER = `apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: prefix-cache-scorer
- type: max-score-picker
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: queue-scorer
    weight: 2
  - pluginRef: kv-cache-utilization-scorer
    weight: 2
  - pluginRef: prefix-cache-scorer
    weight: 3
  - pluginRef: max-score-picker
`;
const SERVE = 'vllm serve meta-llama/Llama-3.1-8B-Instruct --max-num-seqs 128 --gpu-memory-utilization 0.9\n';
/** The same router with another weight, as of another cluster. */
const PICKER_AGAIN = PICKER.replace('weight: 3', 'weight: 5');

/** A command that says nothing of the traffic. */
const LARGE = 'vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 4\n';

const dialog = (page) => page.getByRole('dialog', { name: 'Bring your fleet' });
const home = (page) => page.getByRole('dialog', { name: 'Take the policy home' });

/** Pastes a text on what has the focus, as Ctrl + V does. */
async function paste(page, text) {
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const on = document.activeElement ?? document.body;
    on.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

async function command(page, words) {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).waitFor();
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
}

onPage(
  'a fleet is pasted, a conflict settled, a weight changed, and the file taken home differs by it',
  async (page) => {
    await paste(page, PICKER);
    await dialog(page).waitFor();
    const rows = dialog(page).locator('.meaning-rows li[data-row]');
    await rows.filter({ hasText: 'queue-scorer' }).first().waitFor();
    await paste(page, SERVE);
    await rows
      .filter({ hasText: /max.num.seqs/ })
      .first()
      .waitFor();
    await paste(page, PICKER_AGAIN);
    const radios = dialog(page).getByRole('radio');
    await comes(() => radios.count(), 2);
    // Nothing can be applied before the conflict is settled.
    assert.equal(await dialog(page).getByRole('button', { name: 'Settle 1 conflict first' }).isDisabled(), true);
    assert.deepEqual(await violations(page), []);
    await radios.first().check();
    await dialog(page).getByText('You settled 1 conflict.').waitFor();
    await dialog(page)
      .getByRole('button', { name: /^Apply to this fleet/ })
      .click();
    await dialog(page).waitFor({ state: 'hidden' });
    await resting(page);

    // The weight of the scorer of queues, in the form.
    const panel = page.getByRole('complementary', { name: 'Scenario' });
    await panel.getByRole('searchbox').fill('weight');
    const weight = panel.getByRole('textbox', { name: /^Waiting requests/ });
    await weight.fill('4');
    await weight.press('Enter');
    await resting(page);
    await page.evaluate(() => document.activeElement?.blur());

    await command(page, 'take the policy home');
    const changed = home(page).locator('.export-line:is(.added, .removed) .export-text');
    await comes(() => changed.count(), 2);
    const [before, after] = (await changed.allTextContents()).map((text) => text.replace(/^(added|taken away): /, ''));
    assert.equal(before.replace(/\d+(\.\d+)?/, 'N'), after.replace(/\d+(\.\d+)?/, 'N'), 'the same key');
    assert.match(after, /weight: 4/);
    assert.deepEqual(await violations(page), []);
  },
);

onPage(
  'a pasted command is a new scenario: its own title, the traffic that is asked for, nothing else',
  async (page) => {
    await paste(page, LARGE);
    const traffic = dialog(page).getByRole('region', { name: 'Traffic of a new scenario' });
    const rate = traffic.getByRole('textbox', { name: /^Rate/ });
    await rate.waitFor();
    assert.ok(Number(await rate.inputValue()) > 0, 'a rate is proposed');
    const opening = dialog(page).getByRole('button', { name: 'Open as new scenario' });
    await rate.fill('a few');
    await dialog(page).getByText('Its traffic is in plain numbers').waitFor();
    assert.equal(await opening.isDisabled(), true);
    assert.deepEqual(await violations(page), []);
    // What was typed last is taken, though nothing was left yet.
    await rate.fill('2.5');
    await opening.click();
    await dialog(page).waitFor({ state: 'hidden' });
    await resting(page);
    const heading = page.getByRole('heading', { level: 1 });
    await comes(() => heading.textContent(), /^Imported: Llama 3\.1 70B, 4 × 4 H100/);
    const made = JSON.parse(readFileSync(await savedScenario(page), 'utf8'));
    assert.equal(made.workload.clients[0].arrivals.poisson.rate_per_s, 2.5);
    assert.deepEqual([made.note, made.edits], ['', []]);
    const { run } = cli();
    if (run) assert.deepEqual(made, JSON.parse(run('import', write('serve.sh', LARGE), '--rate', '2.5')));
  },
);

onPage('the dialog of imports is used by keys alone', async (page) => {
  await paste(page, PICKER);
  const rows = dialog(page).locator('.meaning-rows li[data-row]');
  await rows.first().waitFor();
  // The caret in the text selects the key and its row.
  const text = dialog(page).getByRole('textbox', { name: 'The text pasted' });
  await text.focus();
  await text.evaluate((field, at) => field.setSelectionRange(at, at), PICKER.indexOf('weight: 3') + 2);
  await text.press('ArrowRight');
  await dialog(page)
    .locator('.meaning-rows [aria-current=true]')
    .filter({ hasText: /^1:16weight/ })
    .waitFor();
  // The arrows go from row to row.
  await rows.first().focus();
  await page.keyboard.press('ArrowDown');
  await comes(() => page.evaluate(() => document.activeElement?.getAttribute('aria-current')), 'true');
  // Typed text is read again, and a scenario's shortcuts do nothing meanwhile.
  const clock = await page.locator('.clock').textContent();
  await page.keyboard.press('n');
  assert.equal(await page.locator('.clock').textContent(), clock);
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'hidden' });
});

onPage('an empty dialog offers examples, and one is read', async (page) => {
  await command(page, 'bring your fleet');
  await dialog(page).waitFor();
  assert.deepEqual(await violations(page), []);
  await dialog(page).getByRole('button', { name: 'A HorizontalPodAutoscaler' }).click();
  await dialog(page).locator('.meaning-rows li[data-row]').first().waitFor();
  await dialog(page).getByText('one document recognised').waitFor();
  assert.deepEqual(await violations(page), []);
});

onPage('text pasted into a field stays there', async (page) => {
  await page.getByRole('textbox', { name: /Go to time/ }).focus();
  await paste(page, PICKER);
  await resting(page);
  assert.equal(await page.getByRole('dialog').count(), 0);
});
