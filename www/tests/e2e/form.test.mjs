// The form: a custom model from its config.json.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { clock, comes, drop, part, resting, seedField, suite, THEMES, writeText } from './harness.mjs';
import { theme } from './texts.mjs';
import { violations } from './violations.mjs';

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
    // The catalogue has no coefficients for a custom model, so step times have to change with it.
    await panel.getByRole('button', { name: /^Scheduling/ }).click();
    await panel.getByRole('combobox', { name: 'Step times', exact: true }).click();
    await page
      .getByRole('option')
      .filter({ has: page.locator('b', { hasText: /^Catalogue$/ }) })
      .click();
    await resting(page);
    await panel.getByRole('button', { name: 'Paste a config.json…' }).click();
    const box = panel.getByRole('textbox', { name: /config\.json of the model/ });
    const { hidden_size: _, ...headless } = { ...MIXTRAL, torch_dtype: 'bfloat17' };
    const wrong = JSON.stringify(headless, null, 2);
    await box.fill(wrong);
    const problems = panel.locator('.own .problems');
    await problems.waitFor();
    await comes(() => problems.locator('li').count(), 2, 'each problem has its line');
    await comes(() => problems.textContent(), /hidden_size.*torch_dtype|torch_dtype.*hidden_size/s);
    await box.fill(`${wrong}]`);
    await page.waitForFunction(() => document.querySelectorAll('.own .problems li').length === 1);
    await comes(() => box.inputValue(), `${wrong}]`, 'what was pasted stays');
    // A file that is dropped on the box is read into it, packed or not.
    await drop(page, 'config.json.gz', gzipSync(JSON.stringify(MIXTRAL)), '.own textarea');
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
    await comes(() => problems.textContent(), /memory|GiB|fit/i);
    await comes(() => box.inputValue(), JSON.stringify(MIXTRAL));
    assert.equal(await clock(page), before, 'the run stays');
    const tp = panel.getByRole('textbox', { name: 'Tensor parallel' });
    await tp.fill('4');
    await tp.press('Enter');
    await resting(page);
    await panel.getByRole('button', { name: 'Use this model' }).click();
    await panel.getByRole('button', { name: 'In use' }).waitFor();
    await comes(() => panel.getByRole('textbox', { name: 'Model', exact: true }).inputValue(), 'Mixtral-8x7B-v0.1');
    assert.equal(
      await panel.getByRole('switch', { name: 'Own model', exact: true }).getAttribute('aria-checked'),
      'true',
    );
    await comes(() => panel.getByRole('textbox', { name: /^Layers/ }).inputValue(), '32');
    await page.locator('.notice').filter({ hasText: 'calibrated' }).waitFor();
    await comes(() => page.locator('.problem').count(), 0);
  },
);

onPage('a custom GPU takes its figures, and a wrong one reports its range', async (page) => {
  const panel = scenarioPanel(page);
  await panel.getByRole('switch', { name: 'Own GPU' }).click();
  const memory = panel.getByRole('textbox', { name: /^Memory, / });
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
  await comes(() => page.locator('.problem').textContent(), /Found -1; allowed: /);
  await comes(() => bandwidth.inputValue(), '-1');
  await comes(() => memory.inputValue(), '141');
});

/** The place of each policy's list: the section, its label, and its index among the lists with that label. */
const PICKERS = [
  ['Admission', 'Policy', 1],
  ['Routing', 'Policy', 0],
  ['Scheduling', 'Scheduler', 0],
  ['Scheduling', 'Priority', 0],
  ['Scheduling', 'Step times', 0],
];

onPage('every variant of every policy can be picked, and its parameters have help', async (page, t) => {
  const panel = scenarioPanel(page);
  await panel.getByRole('button', { name: /^Scheduling/ }).click();
  for (const name of ['Admission', 'Routing', 'Scheduling'])
    await panel.getByRole('button', { name: `Explain ${name}` }).click();
  for (const [section, label, index] of PICKERS) {
    const list = panel.getByRole('combobox', { name: label, exact: true }).nth(index);
    await list.click();
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    const variants = await page.getByRole('listbox').getByRole('option').locator('b').allTextContents();
    await page.keyboard.press('Escape');
    assert.ok(variants.length >= 4, `${section}: ${variants.join(', ')}`);
    let parameters = 0;
    for (const variant of part(`variants of ${section}, ${label}`, variants, 4)) {
      if ((await list.textContent()) !== variant) {
        await list.click();
        await page
          .getByRole('option')
          .filter({ has: page.locator('b', { hasText: new RegExp(`^${variant}$`) }) })
          .click();
      }
      await page.waitForFunction(
        ([name, i, wanted]) => {
          const labels = [...document.querySelectorAll('.f')].filter(
            (f) =>
              f.querySelector('.pick-text') !== null && f.querySelector('label').firstChild.textContent.trim() === name,
          );
          return labels[i]?.querySelector('.pick-text')?.textContent === wanted;
        },
        [label, index, variant],
      );
      await resting(page);
      const wrong = await panel.locator('.f.wrong').allTextContents();
      assert.deepEqual(wrong, [], `${section} ${variant}`);
      // The parameters are the indented rows under the list.
      const bare = await page.evaluate(
        ([name, i]) => {
          const rows = [...document.querySelectorAll('.f')];
          const at = rows.indexOf(
            rows.filter(
              (f) =>
                f.querySelector('.pick-text') !== null &&
                f.querySelector('label').firstChild.textContent.trim() === name,
            )[i],
          );
          const after = rows.slice(at + 1);
          const end = after.findIndex((row) => !row.classList.contains('sub'));
          const own = after.slice(0, end < 0 ? undefined : end);
          const found = [];
          for (const row of own) {
            const help = row.querySelector('.help')?.textContent ?? '';
            const number = row.querySelector('input[type=text][inputmode=decimal]') !== null;
            if (help.length < 12 || (number && !/From .+ to /.test(help))) found.push(row.textContent);
          }
          return { own: own.length, found };
        },
        [label, index],
      );
      parameters += bare.own;
      assert.deepEqual(bare.found, [], `${section} ${variant}`);
    }
    t.diagnostic(`${section}, ${label}: ${variants.length} variants, ${parameters} parameters`);
  }
});

onPage(
  'the scorers of a profile are rows, and a moved weight makes the profile custom with these scorers',
  async (page) => {
    const panel = scenarioPanel(page);
    const pick = async (label, index, option) => {
      await panel.getByRole('combobox', { name: label, exact: true }).nth(index).click();
      await page.getByRole('option', { name: option }).first().click();
    };
    const rows = () =>
      panel.locator('.f.weight').evaluateAll((all) => all.map((f) => f.querySelector('label').firstChild.textContent));
    await pick('Policy', 0, 'Weighted');
    await panel.getByRole('combobox', { name: 'Profile' }).click();
    await page.getByRole('option', { name: /^llm-d default/ }).click();
    await comes(rows, ['Prefix affinity', 'Waiting requests', 'KV utilization']);
    const weight = panel.getByRole('slider', { name: 'Waiting requests, as a slider' });
    await weight.focus();
    await page.keyboard.press('ArrowRight');
    await comes(() => panel.getByRole('combobox', { name: 'Profile' }).textContent(), /Custom/);
    await comes(() => panel.getByRole('textbox', { name: /^Waiting requests/ }).inputValue(), '2.5');
    await comes(() => panel.getByRole('textbox', { name: /^Prefix affinity/ }).inputValue(), '3');
    await panel.getByRole('button', { name: 'Add scorer' }).click();
    await comes(() => panel.locator('.f.weight').count(), 4);
    // The details of a row have the scorer and the button that removes it.
    await panel.getByRole('button', { name: 'Settings of KV utilization' }).click();
    await panel.getByRole('button', { name: /^Remove .*scorers\[2\]/ }).click();
    await comes(() => panel.locator('.f.weight').count(), 3);
    // Rare settings are shown when asked.
    await comes(() => panel.getByRole('textbox', { name: /^Token threshold/ }).count(), 0);
    await panel
      .getByRole('button', { name: /^\d+ more settings/ })
      .first()
      .click();
    await comes(() => panel.getByRole('textbox', { name: /^Token threshold/ }).inputValue(), '4,194,304');
    assert.deepEqual(await violations(page, '.form'), []);
    await comes(() => page.locator('.problem').count(), 0);
  },
);

onPage(
  'a long list has groups and a search field, is complete by keyboard and stays inside the window',
  async (page) => {
    const panel = scenarioPanel(page);
    const list = panel.getByRole('combobox', { name: 'Policy', exact: true }).first();
    await list.scrollIntoViewIfNeeded();
    await list.focus();
    await page.keyboard.press('ArrowDown');
    const box = page.getByRole('listbox', { name: 'Policy' });
    await box.waitFor();
    await comes(
      () => box.getByRole('group').evaluateAll((all) => all.map((g) => g.ariaLabel)),
      ['No signals', 'Load', 'Cache and sessions', 'Weighted scores'],
    );
    const { top, bottom, height } = await page.locator('.long-list').evaluate((e) => ({
      ...e.getBoundingClientRect().toJSON(),
      height: innerHeight,
    }));
    assert.ok(top >= 0 && bottom <= height, `${top} to ${bottom} of ${height}`);
    for (const name of THEMES) {
      await theme(page, name);
      assert.deepEqual(await violations(page, '.long-list'), [], name);
    }
    await page.getByRole('searchbox', { name: 'Search: Policy' }).fill('dynamo');
    await comes(() => box.getByRole('option').count(), 1);
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });
    await comes(() => list.evaluate((e) => e === document.activeElement), true, 'the focus is where it was');
    await page.keyboard.press('ArrowDown');
    await box.waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await comes(() => list.textContent(), 'Weighted');
    await comes(() => page.locator('.problem').count(), 0);
  },
);

onPage('one field tells what it means: by a click on its label, and by F1', async (page) => {
  const panel = scenarioPanel(page);
  const replicas = panel.getByRole('textbox', { name: 'Replicas' });
  await replicas.focus();
  await page.keyboard.press('F1');
  await comes(() => panel.locator('.help').count(), 1);
  await comes(
    () => replicas.evaluate((e) => document.getElementById(e.getAttribute('aria-describedby'))?.textContent),
    /From .+ to /,
  );
  await page.keyboard.press('F1');
  await comes(() => panel.locator('.help').count(), 0);
  await panel.locator('label', { hasText: 'Tensor parallel' }).click();
  await comes(() => panel.locator('.help').count(), 1);
});

onPage('field names include their section or entry, and a section explains all of its fields at once', async (page) => {
  const panel = scenarioPanel(page);
  await panel.getByRole('textbox', { name: 'Rate, Arrivals, client chat' }).waitFor();
  await panel.getByRole('textbox', { name: 'Median, Prompt, client chat' }).waitFor();
  for (const name of ['Name', 'Model'])
    await panel.getByRole('group', { name: 'chat' }).getByRole('textbox', { name }).first().waitFor();
  await panel.getByRole('button', { name: 'Add request' }).waitFor();
  await comes(() => panel.getByRole('button', { name: /^(About|Explain)/ }).count(), 4, 'one for each open section');
  await panel.getByRole('button', { name: 'Explain Fleet' }).click();
  await comes(() => panel.locator('.help').first().textContent(), /\w{4}/);
  const stops = await page.evaluate(
    () =>
      [...document.querySelectorAll('button, input, select, textarea, [tabindex="0"]')].filter(
        (e) => e.tabIndex >= 0 && e.checkVisibility(),
      ).length,
  );
  assert.ok(stops <= 155, `${stops} tab stops`);
});

onPage(
  'the search finds fields by name and by help, in closed sections too, and they can be edited there',
  async (page) => {
    const panel = scenarioPanel(page);
    await page.keyboard.press('/');
    await page.waitForFunction(() => document.activeElement?.matches('.find input'));
    await page.keyboard.type('token budget');
    const budget = panel.getByRole('textbox', { name: /Token budget/ });
    await budget.fill('4096');
    await budget.press('Enter');
    await page.waitForFunction(() => document.querySelector('.f.chg') !== null);
    await panel.getByRole('searchbox').fill('no such words');
    await panel.getByText('No field has these words').waitFor();
    await panel.getByRole('searchbox').fill('');
    await panel.getByRole('button', { name: /^Fleet/ }).waitFor();
  },
);

onPage('fast arrows in a field all count, and a value set back leaves no edit', async (page) => {
  const panel = scenarioPanel(page);
  const rate = panel.getByRole('textbox', { name: 'Rate, Arrivals, client chat' });
  await rate.focus();
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowUp');
  await page.waitForFunction(() => document.querySelector('.f.chg input')?.dataset.value === '25');
  await comes(() => rate.inputValue(), '25');
  await panel.getByRole('tab', { name: 'Changes' }).click();
  await panel.locator('.changes .what').filter({ hasText: 'client chat: Arrivals, Rate 25' }).waitFor();
  await panel.getByRole('tab', { name: 'Form' }).click();
  await rate.fill('22');
  await rate.press('Enter');
  await page.waitForFunction(() => document.querySelector('.f.chg') === null);
  await resting(page);
  await panel.getByRole('tab', { name: /^Changes/ }).click();
  await page.waitForFunction(() => document.querySelectorAll('.changes li').length === 1);
  await comes(() => panel.locator('.changes li').textContent(), /scheduled/);
});

onPage('an error disappears when it is corrected, and Escape restores the value in force', async (page) => {
  const panel = scenarioPanel(page);
  const tp = panel.getByRole('textbox', { name: 'Replicas' });
  await tp.fill('-3');
  await tp.press('Enter');
  await panel.locator('.problem').waitFor();
  await tp.press('Escape');
  await panel.locator('.problem').waitFor({ state: 'detached' });
  await comes(() => tp.inputValue(), '4');
  const seed = await seedField(page);
  await seed.fill('1.5');
  await seed.press('Enter');
  await page.locator('.notice').filter({ hasText: 'a whole number from 0' }).waitFor();
  await comes(() => seed.inputValue(), '1.5');
  await comes(() => seed.getAttribute('aria-invalid'), 'true');
  await seed.fill('42');
  await seed.press('Enter');
  await page.locator('.notice').waitFor({ state: 'detached' });
});

onPage('a YAML alias bomb is reported, and the message disappears when the text changes', async (page) => {
  const panel = scenarioPanel(page);
  await panel.getByRole('tab', { name: 'YAML' }).click();
  const text = panel.getByRole('textbox', { name: 'Scenario as YAML' });
  await comes(() => text.textContent(), /title/);
  const nine = (name) => `[${Array.from({ length: 9 }, () => `*${name}`).join(', ')}]`;
  await writeText(
    page,
    text,
    `a: &a [x]\nb: &b ${nine('a')}\nc: &c ${nine('b')}\nd: &d ${nine('c')}\ne: &e ${nine('d')}\nf: ${nine('e')}\n`,
  );
  await panel.getByRole('button', { name: 'Apply' }).click();
  await panel.locator('.yaml .problems').filter({ hasText: /alias/i }).waitFor();
  await writeText(page, text, 'title: text\n');
  await panel.locator('.yaml .problems').waitFor({ state: 'detached' });
});

onPage(
  'a YAML tab opened without a network says so, and the form still works',
  async (page) => {
    const panel = scenarioPanel(page);
    await page.context().setOffline(true);
    await panel.getByRole('tab', { name: 'YAML' }).click();
    await panel.getByRole('alert').filter({ hasText: 'could not be loaded' }).waitFor();
    await page.context().setOffline(false);
    await panel.getByRole('tab', { name: 'Form' }).click();
    await panel.getByRole('textbox', { name: 'Replicas' }).waitFor();
  },
  { errorsExpected: true },
);

onPage('the text editor completes keys of the schema and shows a problem at its line', async (page) => {
  const panel = scenarioPanel(page);
  await panel.getByRole('tab', { name: 'YAML' }).click();
  const text = panel.getByRole('textbox', { name: 'Scenario as YAML' });
  await writeText(page, text, 'tokenyard: 1\ncluster:\n  pools:\n    - name: main\n      replicas: 4\n');
  await text.press('Control+End');
  await page.keyboard.type('      gp', { delay: 20 });
  await panel.getByRole('option', { name: /^gpu/ }).first().waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('replicaz: 3', { delay: 20 });
  await panel.locator('.cm-lint-marker-error').waitFor();
  // The keys of the page do not act while a text is written.
  assert.equal(await page.locator('.page').getAttribute('data-mode'), 'paused');
  await writeText(page, text, 'tokenyard: 1\n');
  await panel.locator('.cm-lint-marker-error').waitFor({ state: 'detached' });
});
