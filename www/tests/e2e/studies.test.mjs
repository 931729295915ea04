// The user story "find the capacity of a fleet", in the built page in Chromium: the number, the curves and their knee.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { FLEET, comparison as panel } from './comparing.mjs';
import { cli, comes, drop, preset, resting, savedScenario, suite } from './harness.mjs';
import { painted } from './texts.mjs';
import { compareFits, violations } from './violations.mjs';

const onPage = suite();
async function opened(page) {
  await drop(page, 'scenario.json', JSON.stringify(FLEET));
  await page.getByText(FLEET.title).first().waitFor();
  await resting(page);
  await page.keyboard.press('c');
  await panel(page).getByRole('button', { name: 'Sweep', exact: true }).first().click();
  await panel(page).getByText('Where does it break?').waitFor();
}

onPage('the capacity of a fleet is the number of the command line', async (page, t) => {
  await drop(page, 'scenario.json', JSON.stringify(FLEET));
  await page.getByText(FLEET.title).first().waitFor();
  await resting(page);
  const file = await savedScenario(page);
  await page.keyboard.press('c');
  await panel(page).getByRole('button', { name: 'Sweep', exact: true }).first().click();
  await panel(page).getByLabel('Seeds').selectOption('3');
  await panel(page).getByLabel('Required share').selectOption('0.95');
  await panel(page).getByRole('button', { name: 'Find the capacity' }).click();
  const found = panel(page).locator('.sweep-found');
  await found.waitFor();
  const told = (await found.textContent()).trim();
  assert.match(told, /^\d+\.\d req\/s \(\d+\.\d to \d+\.\d\) at 95 % of requests with TTFT ≤ 500 ms/);
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  assert.equal(run('capacity', file, '--seeds', '3', '--share', '0.95').split('\n')[0], told);
  t.diagnostic(told);
});

onPage('a sweep draws its curves as runs come in, marks the knee, and can be cancelled', async (page) => {
  await opened(page);
  const start = panel(page)
    .locator('.compare-chooser')
    .getByRole('button', { name: /^Start: / });
  await start.click();
  await panel(page).getByRole('button', { name: 'Cancel' }).click();
  await start.waitFor();
  await panel(page).getByRole('textbox', { name: 'From', exact: true }).fill('0.5');
  await panel(page).getByRole('textbox', { name: 'to', exact: true }).fill('2.5');
  await panel(page).getByRole('combobox', { name: 'Values' }).selectOption('5');
  await panel(page).getByLabel('Seeds').selectOption('3');
  await start.click();
  await panel(page)
    .getByText(/^\s*15 of 15/)
    .waitFor();
  const rows = panel(page).getByRole('table').getByRole('row');
  await comes(() => rows.count(), 6);
  await panel(page)
    .getByRole('img', { name: /^TTFT p99 along Traffic/ })
    .waitFor();
  await comes(
    () =>
      panel(page)
        .locator('.sweep-knee')
        .count()
        .then((n) => n > 0),
    true,
  );
  await panel(page)
    .getByText(/Knee at [\d.]+× traffic: TTFT p99 is three times what it is at 0\.5×/)
    .waitFor();
  // Bars of intervals stay within their chart, and a share's axis ends at 100 %.
  const outside = await panel(page)
    .locator('.sweep-charts svg')
    .evaluateAll((all) =>
      all.flatMap((svg) => {
        const inside = svg.getBoundingClientRect();
        return [...svg.querySelectorAll('.sweep-bar')].filter((bar) => {
          const at = bar.getBoundingClientRect();
          return at.top < inside.top || at.bottom > inside.bottom;
        }).length;
      }),
    );
  assert.deepEqual([...new Set(outside)], [0]);
  const shares = panel(page).getByRole('img', { name: /^Objectives met along/ });
  await comes(
    () =>
      shares
        .locator('text')
        .allTextContents()
        .then((all) => all.includes('100.0\u00a0%')),
    true,
  );
  await panel(page).getByRole('button', { name: 'p50', exact: true }).click();
  await panel(page)
    .getByRole('img', { name: /^TTFT p50 along Traffic/ })
    .waitFor();
});

onPage.long('any number of the form can be swept, with several routers, and axe finds nothing', async (page) => {
  await opened(page);
  await panel(page)
    .getByRole('button', { name: /^Varied field/ })
    .click();
  // The search has the focus, and Enter takes the first field that is found.
  await comes(() => page.evaluate(() => document.activeElement?.getAttribute('type')), 'search');
  await page.keyboard.type('fleet replicas');
  await panel(page)
    .getByRole('group', { name: 'Fleet' })
    .getByRole('button', { name: /^Replicas/ })
    .waitFor();
  await page.keyboard.press('Enter');
  await panel(page)
    .getByRole('button', { name: /^Varied field.*Replicas/ })
    .waitFor();
  await comes(() => panel(page).getByRole('textbox', { name: 'From', exact: true }).inputValue(), '1');
  await panel(page).getByRole('combobox', { name: 'Values' }).selectOption('3');
  await panel(page).getByLabel('Seeds').selectOption('1');
  await panel(page).getByText('Routers beside the scenario’s own').click();
  await panel(page).getByLabel('Random', { exact: true }).check();
  await panel(page)
    .locator('.compare-chooser')
    .getByRole('button', { name: /^Start: / })
    .click();
  await panel(page)
    .getByText(/^\s*6 of 6/)
    .waitFor();
  await comes(() => panel(page).getByRole('table').getByRole('row').count(), 7);
  await compareFits(page);
});

onPage('the kind of study is chosen by keys, and the focus stays on it', async (page) => {
  await page.keyboard.press('c');
  const study = panel(page).getByRole('group', { name: 'Kind of comparison' }).getByRole('button');
  for (const [i, name] of [
    [2, 'Sweep'],
    [1, 'Race'],
    [0, 'Two runs'],
  ]) {
    await study.nth(i).focus();
    await page.keyboard.press('Enter');
    await comes(() => study.nth(i).getAttribute('aria-pressed'), 'true');
    await painted(page);
    await comes(() => page.evaluate(() => document.activeElement?.textContent), name);
  }
});

onPage('a sweep that cannot run gives the reason, and nothing is lost', async (page) => {
  await opened(page);
  await panel(page).getByRole('textbox', { name: 'From', exact: true }).fill('5');
  await panel(page).getByRole('textbox', { name: 'to', exact: true }).fill('1');
  await panel(page).getByText('Two numbers, the lower one first.').waitFor();
  await panel(page).getByRole('textbox', { name: 'From', exact: true }).fill('-1');
  await panel(page)
    .locator('.compare-chooser')
    .getByRole('button', { name: /^Start: / })
    .click();
  await panel(page)
    .getByText(/traffic: found -1; allowed: factors above 0/)
    .waitFor();
  await comes(() => panel(page).getByRole('textbox', { name: 'From', exact: true }).inputValue(), '-1');
});

onPage.long('autoscalers are raced beside the oracle, which has no place', async (page, t) => {
  await preset(page, 'day-in-ten-minutes');
  const file = await savedScenario(page);
  await page.keyboard.press('c');
  await panel(page).getByRole('button', { name: 'Race' }).click();
  await panel(page).getByRole('button', { name: 'Autoscalers' }).click();
  for (const name of ['Threshold', 'Target utilization', 'WVA model (legacy)'])
    await panel(page).getByLabel(name, { exact: true }).uncheck();
  await panel(page).getByLabel('Seeds').selectOption('1');
  await panel(page).getByRole('button', { name: 'Race 2 autoscalers and the oracle, 1 seed each' }).click();
  await panel(page)
    .getByText(/^\s*3 of 3/)
    .waitFor();
  const bound = panel(page).locator('.race-bound');
  await bound.getByText('the bound, without a place').waitFor();
  const rows = panel(page).getByRole('table').locator('tbody tr:not(.race-bound)');
  assert.equal(await rows.count(), 2);
  const figure = panel(page).getByRole('img', { name: /^Objectives met over replica-seconds/ });
  assert.equal(await figure.locator('circle').count(), 2);
  assert.equal(await figure.locator('.race-bound-mark').count(), 1);
  await compareFits(page);
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  const found = JSON.parse(
    run('compare', file, file, '--set-b', 'cluster.pools[0].scaling.policy=kpa', '--seeds', '1', '--json'),
  ).regret;
  const said = (of) => [
    `${of.attainment_regret.regret.toFixed(1)} points`,
    `${Math.round(of.replica_seconds_regret.regret).toLocaleString('en')} replica-s`,
    `$${of.usd_regret.regret.toFixed(2)}`,
  ];
  for (const [name, of] of [
    ['HPA', found.a],
    ['KPA', found.b],
  ])
    assert.deepEqual(await rows.filter({ hasText: name }).locator('.race-worse span').allInnerTexts(), said(of), name);
  assert.equal(
    await bound.locator('td').nth(6).innerText(),
    Math.round(found.a.replica_seconds_regret.bound).toLocaleString('en'),
  );
});

onPage.long('over several seeds a comparison with autoscalers is shown beside the oracle', async (page) => {
  await preset(page, 'day-in-ten-minutes');
  await page.keyboard.press('c');
  await panel(page).getByLabel('Router of B').selectOption({ label: 'Random' });
  await panel(page).getByLabel('How many seeds').selectOption('3');
  await panel(page).getByRole('button', { name: 'Run both', exact: true }).click();
  const table = panel(page).locator('.compare-regret');
  await table.waitFor();
  const cells = await table.locator('tbody td').allInnerTexts();
  assert.equal(cells.length, 6);
  for (const cell of cells) assert.match(cell, /^\$?[\d,.]+ \(\$?[\d,.]+\), \$?[\d,.]+ (worse|better)$/);
  await painted(page);
  assert.deepEqual(await violations(page), []);
});

onPage.long(
  'if an edit changes the autoscaler, comparison and race give the reason for the missing oracle',
  async (page) => {
    await preset(page, 'day-in-ten-minutes');
    const document = JSON.parse(readFileSync(await savedScenario(page), 'utf8'));
    document.title = 'Another limit at half a minute';
    document.run = { ...document.run, horizon_s: 120 };
    document.edits = [{ at_us: 30e6, set: { 'cluster.pools[0].scaling.max': 6 } }];
    await drop(page, 'edited.json', JSON.stringify(document));
    await page.getByRole('heading', { name: document.title }).waitFor();
    await resting(page);
    await page.keyboard.press('c');
    await panel(page).getByLabel('Router of B').selectOption({ label: 'Random' });
    await panel(page).getByLabel('How many seeds').selectOption('3');
    await panel(page).getByRole('button', { name: 'Run both', exact: true }).click();
    const why = panel(page).locator('.no-oracle');
    await why.getByText('edits[0]: found an edit of the autoscaler').waitFor();
    await panel(page).getByText('Key figures over 3 seeds').waitFor();
    assert.equal(await panel(page).locator('.compare-regret').count(), 0);
    await panel(page).getByRole('button', { name: 'Race' }).click();
    await panel(page).getByRole('button', { name: 'Autoscalers' }).click();
    await panel(page).getByLabel('Seeds').selectOption('1');
    await panel(page)
      .getByRole('button', { name: /^Race \d+ .*, 1 seed each$/ })
      .click();
    await why.getByText('leave the edit out, or compare runs from its instant on').waitFor();
    await painted(page);
    assert.deepEqual(await violations(page), []);
  },
);

onPage(
  'a sweep that would take over a minute here says what to run elsewhere, and the command copies',
  async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const long = { ...FLEET, title: 'A long day', run: { horizon_s: 10_000, warmup_s: 5 } };
    await drop(page, 'scenario.json', JSON.stringify(long));
    await page.getByText(long.title).first().waitFor();
    await page.keyboard.press('c');
    await panel(page).getByRole('button', { name: 'Sweep', exact: true }).first().click();
    const elsewhere = panel(page).getByRole('region', { name: 'Run elsewhere' });
    await panel(page).getByLabel('Seeds').selectOption('10');
    await elsewhere.getByText(/\d+ runs take about .+ on this page \(estimated\)\./).waitFor();
    const command = (await elsewhere.locator('code').textContent()) ?? '';
    assert.match(command, /^tokenyard sweep \S+ --vary \S+ --seeds 10 -o sweep$/);
    await elsewhere.getByRole('button', { name: 'Copy command' }).click();
    await elsewhere.getByText('Command copied.').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
    assert.deepEqual(await violations(page), []);
    // A short sweep needs no other machine.
    await drop(page, 'scenario.json', JSON.stringify({ ...FLEET, title: 'A short day' }));
    await page.getByText('A short day').first().waitFor();
    await comes(() => elsewhere.count(), 0);
  },
);
