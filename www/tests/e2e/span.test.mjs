// A span of time selected on the charts in the built page in Chromium: dragged, moved with keys, typed, explained and cleared.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chartTool, cli, clock, comes, inspectorTab, savedScenario, suite, THEMES, write } from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const link = '#router-showdown;t=40';
const toggle = (page) => page.locator('.charts').getByRole('button', { name: 'Span', exact: true });
const bar = (page) => page.locator('.span-bar');
const edge = (page, which) => page.getByRole('slider', { name: `${which} of the selected span` });
const said = (page) => page.locator('.why-said');
const plain = (text) => text.replaceAll('\u00a0', ' ').trim();
/** The limits shown on the axis, in seconds. */
const limits = async (page) => {
  const [, from, to] = /([\d.]+) to ([\d.]+) s/.exec(await bar(page).innerText()) ?? [];
  return [Number(from), Number(to)];
};

/** Drags over a chart between two shares of its width. */
async function drag(page, chart, from, to) {
  const box = await page.locator('.time-chart .plot-area').nth(chart).boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y, { steps: 3 });
  await page.mouse.move(box.x + box.width * to, y, { steps: 3 });
  await page.mouse.up();
}

onPage.long(
  'a span dragged over a chart appears on all of them, and its account is that of the command line',
  async (page, t) => {
    await chartTool(page, 'Span');
    await bar(page).waitFor();
    const now = await clock(page);
    // A run of 240 s: a tenth of the width is 24 s, and the playhead is at 40 s.
    await drag(page, 0, 0.15, 0.05);
    await comes(async () => (await limits(page)).map((s) => Math.abs(s - Math.round(s / 12) * 12) < 1.5), [true, true]);
    const [fromS, toS] = await limits(page);
    assert.ok(fromS > 10 && toS < 38, `${fromS} to ${toS}`);
    assert.equal(await clock(page), now, 'the click that ends a drag goes nowhere');
    const band = await page.locator('.span-band').boundingBox();
    for (const chart of await page.locator('.time-chart .plot-area').all()) {
      const box = await chart.boundingBox();
      const at = (s) => box.x + (box.width * s) / 240;
      assert.ok(Math.abs(band.x - at(fromS)) < 2 && Math.abs(band.x + band.width - at(toS)) < 2);
      assert.ok(band.y <= box.y + 1 && band.y + band.height >= box.y + box.height - 1);
    }
    await bar(page).getByRole('button', { name: 'Explain' }).click();
    await said(page).getByText(`that got their first token from ${fromS} to ${toS} s`).waitFor();
    await comes(
      () => said(page).evaluate((p) => p.getBoundingClientRect().bottom < innerHeight),
      true,
      'it is in sight',
    );
    for (const name of THEMES) {
      await theme(page, name);
      await painted(page);
      assert.deepEqual(await violations(page), [], name);
    }
    const { run, missing } = cli();
    if (!run) {
      t.skip(missing);
      return;
    }
    const document = JSON.parse(readFileSync(await savedScenario(page), 'utf8'));
    document.run.horizon_s = now;
    const file = write('until.json', JSON.stringify(document));
    const args = ['--time', 'ttft', '--by', 'end', '--from', String(fromS), '--to', String(toS), '--json'];
    const e = JSON.parse(run('explain', file, ...args));
    assert.equal(plain(await said(page).textContent()), plain(e.sentences.map((s) => s.text).join(' ')));
    // On the chart below, the span is of the other latency.
    await drag(page, 1, 0.06, 0.1);
    await bar(page).getByRole('button', { name: 'Explain' }).click();
    await said(page).getByText('that finished from').waitFor();
  },
  { link },
);

onPage(
  'a span is moved with the arrow keys, typed, and cleared with Escape',
  async (page) => {
    await page.getByRole('button', { name: 'Tools of TTFT', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.chart-menu').getByRole('button', { name: 'Span' }).focus();
    await page.keyboard.press('Enter');
    await comes(() => toggle(page).getAttribute('aria-pressed'), 'true');
    await comes(() => limits(page), [16, 40], 'the tenth of the axis before the playhead');
    const now = await clock(page);
    await edge(page, 'Start').focus();
    await page.keyboard.press('Shift+ArrowRight');
    await comes(() => limits(page), [28, 40]);
    await page.keyboard.press('ArrowLeft');
    await comes(() => limits(page), [26.8, 40]);
    await edge(page, 'End').focus();
    await page.keyboard.press('Home');
    await comes(() => limits(page), [26.8, 26.8], 'an edge stops at the other one');
    await page.keyboard.press('Shift+ArrowRight');
    await comes(() => limits(page), [26.8, 38.8]);
    await page.keyboard.press('End');
    await comes(() => limits(page), [26.8, 40], 'what has not happened is no part of it');
    assert.equal(await edge(page, 'End').getAttribute('aria-valuetext'), '40 s');
    assert.equal(await clock(page), now, 'the keys of an edge are its own');
    await page.keyboard.press('Escape');
    await comes(() => bar(page).count(), 0);
    assert.equal(await toggle(page).count(), 0);
    // A span typed in the panel appears on the charts.
    await inspectorTab(page, 'Run');
    await page.getByRole('button', { name: 'Where did their time go?' }).click();
    await page.getByRole('textbox', { name: 'from, s' }).fill('12');
    await page.getByRole('textbox', { name: 'to, s' }).fill('14.5');
    await page.keyboard.press('Tab');
    await comes(() => limits(page), [12, 14.5]);
    await page.getByRole('textbox', { name: 'from, s' }).fill('39.99');
    await page.getByRole('textbox', { name: 'to, s' }).fill('39.991');
    await page.getByRole('combobox', { name: 'Requests' }).selectOption('0');
    await page.getByRole('button', { name: 'Explain', exact: true }).last().click();
    await page
      .getByRole('alert')
      .getByText(/^0 of [\d,]+ finished requests that finished from 39.99 to/)
      .waitFor();
    await bar(page).getByRole('button', { name: 'Clear the selected span' }).click();
    await comes(() => bar(page).count(), 0);
    await comes(() => page.getByRole('textbox', { name: 'from, s' }).inputValue(), '');
  },
  { link },
);

onPage(
  'on a phone a span is selected and explained, and nothing is cut at the side',
  async (page) => {
    await page.setViewportSize({ width: 390, height: 844 });
    const view = page.getByRole('navigation', { name: 'View' });
    await view.getByRole('button', { name: 'Charts' }).click();
    await chartTool(page, 'Span');
    await bar(page).waitFor();
    await drag(page, 1, 0.05, 0.15);
    await painted(page);
    assert.deepEqual(await violations(page), []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    assert.equal(wide, false);
    await bar(page).getByRole('button', { name: 'Explain' }).click();
    await said(page).getByText('that finished from').waitFor();
  },
  { link },
);
