// The form: a model of one's own from its config.json.
import assert from 'node:assert/strict';
import { clock, resting, suite } from './harness.mjs';

const onPage = suite();
const scenarioPanel = (page) => page.getByRole('complementary', { name: 'Scenario' });

const MIXTRAL = {
  _name_or_path: 'mistralai/Mixtral-8x7B-v0.1',
  model_type: 'mixtral',
  hidden_size: 4096,
  intermediate_size: 14336,
  num_attention_heads: 32,
  num_hidden_layers: 32,
  num_key_value_heads: 8,
  num_local_experts: 8,
  num_experts_per_tok: 2,
  tie_word_embeddings: false,
  torch_dtype: 'bfloat16',
  vocab_size: 32000,
};

onPage(
  'a pasted config.json is read, its problems are listed, nothing of it is lost, and the pool uses it',
  async (page) => {
    const panel = scenarioPanel(page);
    await panel.getByRole('button', { name: 'Paste a config.json…' }).click();
    const box = panel.getByRole('textbox', { name: /config\.json of the model/ });
    const { hidden_size: _, ...headless } = { ...MIXTRAL, torch_dtype: 'bfloat17' };
    const wrong = JSON.stringify(headless, null, 2);
    await box.fill(wrong);
    const problems = panel.locator('.own .problems');
    await problems.waitFor();
    assert.equal(await problems.locator('li').count(), 2, 'each problem has its line');
    assert.match(await problems.textContent(), /hidden_size.*torch_dtype|torch_dtype.*hidden_size/s);
    await box.fill(`${wrong}]`);
    await page.waitForFunction(() => document.querySelectorAll('.own .problems li').length === 1);
    assert.equal(await box.inputValue(), `${wrong}]`, 'what was pasted stays');
    await box.fill(JSON.stringify(MIXTRAL));
    await problems.waitFor({ state: 'detached' });
    const read = Object.fromEntries(
      await panel
        .locator('.own .read > div')
        .evaluateAll((rows) => rows.map((row) => [row.children[0].textContent, row.children[1].textContent])),
    );
    assert.equal(read.Layers, '32');
    assert.equal(read.Hidden, '4,096');
    assert.equal(read.Heads, '32');
    assert.equal(read['KV heads'], '8');
    assert.equal(read.Experts, '8');
    assert.equal(read['Per weight'], '2 bytes');
    // A model of 93 GB does not fit on one GPU: refused, with the reason, and nothing is lost.
    const before = await clock(page);
    await panel.getByRole('button', { name: 'Use this model' }).click();
    await problems.waitFor();
    assert.match(await problems.textContent(), /memory|GiB|fit/i);
    assert.equal(await box.inputValue(), JSON.stringify(MIXTRAL));
    assert.equal(await clock(page), before, 'the run stays');
    const tp = panel.getByRole('textbox', { name: 'Tensor parallel' });
    await tp.fill('4');
    await tp.press('Enter');
    await resting(page);
    await panel.getByRole('button', { name: 'Use this model' }).click();
    await panel.getByRole('button', { name: 'In use' }).waitFor();
    assert.equal(await panel.getByRole('textbox', { name: 'Model', exact: true }).inputValue(), 'Mixtral-8x7B-v0.1');
    assert.equal(await panel.getByRole('switch', { name: 'Own model' }).getAttribute('aria-checked'), 'true');
    assert.equal(await panel.getByRole('textbox', { name: 'Layers', exact: true }).inputValue(), '32');
    await page.locator('.notice').filter({ hasText: 'roofline' }).waitFor();
    assert.equal(await page.locator('.problem').count(), 0);
  },
);

onPage('a GPU of one’s own takes its figures, and a wrong one says its range', async (page) => {
  const panel = scenarioPanel(page);
  await panel.getByRole('switch', { name: 'Own GPU' }).click();
  const memory = panel.getByRole('textbox', { name: 'Memory', exact: true });
  await memory.waitFor();
  await resting(page);
  await memory.fill('141');
  await memory.press('Enter');
  await page.waitForFunction(() => document.querySelector('.problem') === null);
  await resting(page);
  const bandwidth = panel.getByRole('textbox', { name: 'Bandwidth' });
  await bandwidth.fill('-1');
  await bandwidth.press('Enter');
  await page.locator('.problem').waitFor();
  assert.match(await page.locator('.problem').textContent(), /Found -1; allowed: /);
  assert.equal(await bandwidth.inputValue(), '-1');
  assert.equal(await memory.inputValue(), '141');
});
