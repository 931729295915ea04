import { clock, comes, inspectorTab, preset, suite, toEnd } from './harness.mjs';
import { inspectorFits } from './violations.mjs';

const onPage = suite();
const decisions = (page) => page.locator('.scaling-table tbody tr');

onPage('starting and wanted replicas and decisions are visible, and a decision leads to its instant', async (page) => {
  await preset(page, 'spike-cold-starts');
  await page.locator('#time-field').fill('150');
  await page.locator('#time-field').press('Enter');
  await comes(() => clock(page), 150);
  await inspectorTab(page, 'Scaling');
  await page
    .getByRole('img', { name: /^Replicas over time, at most 8\. Now 2 serving, .*6 starting, .*8 wanted/ })
    .waitFor();
  await comes(() => decisions(page).count(), 2);
  await comes(() => decisions(page).first().textContent(), /6 → 8.*rate-limited, to-max.*waiting, just measured/);
  await decisions(page).nth(1).getByRole('button').focus();
  await page.keyboard.press('Enter');
  await comes(() => clock(page), 105);
});

onPage('the panel fits and axe finds nothing in it, on a desktop and a phone', async (page) => {
  await preset(page, 'spike-cold-starts');
  await toEnd(page);
  await inspectorTab(page, 'Scaling');
  await decisions(page).first().waitFor();
  await inspectorFits(page, ['.scaling-table']);
});

onPage('pools that decide together say so, each with its own load, and the form has their optimiser', async (page) => {
  await preset(page, 'two-variants');
  await page.locator('#time-field').fill('211');
  await page.locator('#time-field').press('Enter');
  await comes(() => clock(page), 211);
  await inspectorTab(page, 'Scaling');
  const headline = page.getByRole('region', { name: 'Decision' });
  const told = 'at 210\\.000 s.*The pools of the model have too little capacity together.* This one: ';
  await comes(() => headline.textContent(), new RegExp(`No change ${told}`));
  await page.locator('.scaling-pools select').selectOption('h100');
  await comes(() => headline.textContent(), new RegExp(`\\+1 ${told}`));
  await page.getByRole('button', { name: /^Autoscaling/ }).click();
  await page.getByText('Optimiser', { exact: true }).first().waitFor();
});
