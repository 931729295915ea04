// The inspector: it offers requests, a waterfall can be read to the first token, and a line of the log leads to its instant.
import assert from 'node:assert/strict';
import { clock, comes, inspectorTab, OPENING_S, pickSlowest, resting, suite } from './harness.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const inspector = (page) => page.getByRole('complementary', { name: 'Inspector' });
const waterfall = (page) => page.getByRole('img', { name: /^Waterfall of request/ });
const number = async (page) => /request (\d+)/.exec(await waterfall(page).getAttribute('aria-label'))[1];

async function goTo(page, seconds) {
  await page.locator('#time-field').fill(String(seconds));
  await page.locator('#time-field').press('Enter');
  await comes(() => clock(page), seconds);
  await resting(page);
}

onPage('it opens with no request: three words offer one, and a selection wins', async (page) => {
  const panel = inspector(page);
  await comes(() => panel.locator('.why-none').textContent(), /^Click a request or a replica\.slowestlatestunlucky$/);
  assert.equal(await waterfall(page).count(), 0);
  assert.ok(!(await page.evaluate(() => location.hash)).includes('select='));
  assert.deepEqual(await violations(page, '.right'), []);
  await pickSlowest(page);
  const first = await number(page);
  await comes(() => panel.locator('.why-none').count(), 0);
  await page.keyboard.press('Escape');
  await panel.getByRole('button', { name: 'latest', exact: true }).click();
  await comes(async () => (await number(page)) !== first, true);
  await page.keyboard.press('Escape');
  await panel.locator('.why-none').waitFor();
  assert.equal(await waterfall(page).count(), 0);
  // Another instant has another one.
  await goTo(page, 100);
  await pickSlowest(page);
  assert.notEqual(await number(page), first);
});

onPage(
  'without a selection three words act: the slowest request, the latest to finish, and the latest with bad luck',
  async (page) => {
    const panel = inspector(page);
    const word = (name) => panel.getByRole('button', { name, exact: true });
    await pickSlowest(page);
    await page.keyboard.press('Escape');
    await word('latest').click();
    await comes(() => panel.innerText(), /completed on r\d/);
    await page.keyboard.press('Escape');
    await word('unlucky').click();
    // Nothing is lost or refused in this run; requests are preempted.
    await comes(() => panel.locator('.why-none').count(), 0);
    await comes(() => panel.innerText(), /Preempted\s+[1-9]/);
  },
  { link: '#kv-pressure;t=100' },
);

onPage('a waterfall can be read to the first token, where the whole hides its phases', async (page) => {
  const panel = inspector(page);
  await pickSlowest(page);
  const widths = () =>
    panel.locator('.fall .fall-row rect').evaluateAll((all) => all.map((r) => Math.round(r.getBBox().width)).join());
  const whole = await widths();
  const zoom = panel.getByRole('group', { name: 'Part of the waterfall' });
  await zoom.getByRole('button', { name: 'To the first token' }).click();
  await comes(async () => (await widths()) !== whole, true);
  const ends = await panel.locator('.fall').evaluate((svg) => {
    const bars = [...svg.querySelectorAll('.fall-row rect')].map((r) => r.getBBox().x + r.getBBox().width);
    return [Math.max(...bars), svg.viewBox.baseVal.width];
  });
  assert.ok(ends[0] <= ends[1] - 60, `bars end at ${ends[0]} of ${ends[1]}, before the figures`);
  await zoom.getByRole('button', { name: 'Whole' }).click();
  await comes(widths, whole);
});

onPage('a line of the log says its kind in words and leads to its instant', async (page) => {
  const panel = inspector(page);
  await panel.getByRole('tab', { name: 'Log' }).click();
  await page.locator('.log-row').first().waitFor();
  await comes(
    () => panel.locator('.log-row .kind').evaluateAll((all) => all.some((k) => k.textContent === 'step end')),
    true,
  );
  await page.getByLabel('Kind of event').selectOption('completed');
  await comes(() => panel.locator('.log-bar [role=status]').textContent(), /^[\d,]+ of [\d,]+ lines$/);
  const at = panel.getByRole('button', { name: /^Go to .* s$/ }).first();
  const said = /Go to ([\d.,]+) s/.exec(await at.getAttribute('aria-label'))[1];
  assert.ok(Number(said) < OPENING_S);
  await at.click();
  await resting(page);
  await comes(() => clock(page), Number(said));
});

onPage('the tab of a replica shows the one that is framed on the stage, without a choice', async (page) => {
  await pickSlowest(page);
  const [framed] = /\br\d+\b/.exec(await inspector(page).textContent());
  await inspectorTab(page, 'Replica');
  await comes(
    () =>
      inspector(page)
        .getByRole('heading', { name: /^r\d+$/ })
        .textContent(),
    framed,
  );
});
