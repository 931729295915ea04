// A run within a page of another origin, in Chromium.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { comes, newPage, open, ROOT, resting, THEMES } from './harness.mjs';
import { painted, theme } from './texts.mjs';
import { violations } from './violations.mjs';

let site;
let host;
before(async () => {
  site = await open();
  host = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>A post</title>
      <iframe title="run" width="800" height="450" src="${site.url}#embed=ttft-over-time;kv-pressure;t=21"></iframe>
      <script>
        window.states = [];
        addEventListener('message', ({ data }) => window.states.push(data));
        window.send = (data) => document.querySelector('iframe').contentWindow.postMessage(data, '*');
      </script>`);
  });
  await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  await site?.close();
  await new Promise((resolve) => host.close(resolve));
});

test('an embedded run shows stage, chart and transport, is played by keys and takes two messages', async () => {
  const page = await site.browser.newPage({ viewport: { width: 1000, height: 600 }, serviceWorkers: 'block' });
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`http://127.0.0.1:${host.address().port}/`);
  const run = page.frameLocator('iframe');
  const at = () => run.locator('.clock').evaluate((el) => Number(el.firstChild.textContent.replaceAll(',', '')));
  const until = (seconds) =>
    page.waitForFunction((s) => window.states.some((m) => m.tokenyard === 'state' && m.at_s >= s), seconds);
  await run.getByRole('region', { name: 'Stage' }).waitFor();
  await run.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await run.locator('.time-chart').waitFor();
  await comes(() => run.getByRole('banner').count(), 0);
  await comes(() => run.getByRole('complementary').count(), 0);
  await page.evaluate(() => window.send({ tokenyard: 'state' }));
  await until(21);
  await comes(() => at(), 21);
  await run.getByRole('button', { name: 'Play', exact: true }).focus();
  await page.keyboard.press('Space');
  await until(22);
  await page.keyboard.press('Space');
  await page.evaluate(() => window.send({ tokenyard: 'load', link: '#chat-4xh100;t=100;seed=x' }));
  await run.getByText('Not all of this link could be opened').waitFor();
  await run.getByRole('button', { name: 'Keep the opened run' }).click();
  await until(99);
  const link = run.getByRole('link', { name: 'Open in Tokenyard' });
  const [opened] = await Promise.all([page.waitForEvent('popup'), link.click()]);
  assert.doesNotMatch(opened.url(), /embed/);
  assert.deepEqual(errors, []);
  await page.close();
});

test('an embedded run has the one requested chart, takes keys for steps and both ends, and sends its link', async () => {
  const page = await site.browser.newPage({ viewport: { width: 1000, height: 600 }, serviceWorkers: 'block' });
  await page.goto(`http://127.0.0.1:${host.address().port}/`);
  const run = page.frameLocator('iframe');
  const at = () => run.locator('.clock').evaluate((el) => Number(el.firstChild.textContent.replaceAll(',', '')));
  /** The answer of the frame to a request; its link follows a moment later. */
  const state = async () => {
    await page.evaluate(() => {
      window.states = [];
      window.send({ tokenyard: 'state' });
    });
    await page.waitForFunction(() => window.states.some((m) => m.tokenyard === 'state'));
    return page.evaluate(() => window.states.at(-1));
  };
  const tells = (at_s, finished) =>
    comes(state, { tokenyard: 'state', at_s, playing: false, finished, link: `#kv-pressure;t=${at_s}` });
  await run.locator('.time-chart').waitFor();
  await comes(() => at(), 21);
  await comes(() => run.locator('.charts figure').count(), 1);
  await tells(21, false);
  await run.getByRole('button', { name: 'Play', exact: true }).focus();
  await page.keyboard.press('.');
  await comes(async () => (await at()) > 21, true);
  const { at_s: first } = await state();
  await tells(first, false);
  await page.keyboard.press('.');
  await comes(async () => (await state()).at_s > first, true);
  const { at_s: second } = await state();
  assert.ok(second < 22, `${second} s: a step is an event`);
  await page.keyboard.press(',');
  await tells(first, false);
  await page.keyboard.press('Home');
  await tells(0, false);
  await page.keyboard.press('End');
  await comes(async () => (await state()).finished, true);
  await tells(await at(), true);
  await page.close();
});

test('axe finds nothing in an embedded run, at the sizes of a post and of a phone, in either theme', async () => {
  const { page, seen, close } = await newPage(site, { link: '#embed=ttft-over-time,queue-depth;kv-pressure;t=21' });
  await page.locator('.time-chart').first().waitFor();
  await resting(page);
  const found = [];
  for (const [width, height] of [
    [800, 450],
    [390, 600],
  ])
    for (const name of THEMES) {
      await page.setViewportSize({ width, height });
      await theme(page, name);
      await painted(page);
      found.push(...(await violations(page)).map((v) => `${width} × ${height}, ${name}: ${v}`));
    }
  assert.deepEqual(found, []);
  assert.deepEqual(seen.errors, []);
  await close();
});

test('a frame shows the note with its links and the chosen charts, and plays once it is scrolled into view', async () => {
  const page = await site.browser.newPage({ viewport: { width: 1000, height: 600 }, serviceWorkers: 'block' });
  await page.goto(`http://127.0.0.1:${host.address().port}/`);
  await page.evaluate((url) => {
    const frame = document.querySelector('iframe');
    frame.style.marginTop = '3000px';
    frame.src = `${url}#embed=note,kv-use,queue-depth,plays-in-view;kv-pressure;t=21;note=see%20%237%20at%2060%20s`;
  }, site.url);
  const run = page.frameLocator('iframe');
  const at = () => run.locator('.clock').evaluate((el) => Number(el.firstChild.textContent.replaceAll(',', '')));
  await run.getByRole('region', { name: 'Note' }).getByRole('button', { name: '60 s' }).waitFor({ state: 'attached' });
  assert.equal(await run.getByRole('button', { name: 'Pause', exact: true }).count(), 0);
  await page.evaluate(() => document.querySelector('iframe').scrollIntoView());
  await run.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await comes(() => run.locator('.time-chart').count(), 2);
  await run.getByRole('button', { name: 'Pause', exact: true }).click();
  await run.getByRole('button', { name: '60 s' }).click();
  await comes(at, 60);
  await page.close();
});

test('the widget of notebooks opens a scenario, hears of its state, and opens another', async () => {
  // The module that notebooks load, with a model in place of theirs.
  const [, esm] = /_ESM = """([\s\S]*?)"""/.exec(readFileSync(`${ROOT}../python/tokenyard/widget.py`, 'utf8'));
  const page = await site.browser.newPage({ viewport: { width: 1000, height: 600 }, serviceWorkers: 'block' });
  await page.goto(`http://127.0.0.1:${host.address().port}/`);
  await page.evaluate(
    async ([text, address]) => {
      const values = { site: address, charts: ['ttft-over-time'], link: '#kv-pressure;t=21', height: 480, state: {} };
      const heard = new Map();
      const model = {
        get: (name) => values[name],
        set: (name, value) => {
          values[name] = value;
        },
        save_changes: () => undefined,
        on: (event, to) => heard.set(event, to),
        off: (event) => heard.delete(event),
      };
      const { default: widget } = await import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
      document.body.replaceChildren();
      const end = widget.render({ model, el: document.body });
      Object.assign(window, { values, heard, end });
    },
    [esm, site.url],
  );
  const state = () => page.evaluate(() => window.values.state);
  const run = page.frameLocator('iframe');
  await run.locator('.time-chart').waitFor();
  await comes(async () => (await state()).at_s, 21);
  await run.getByRole('button', { name: 'Play', exact: true, disabled: false }).focus();
  await page.keyboard.press('Space');
  await comes(async () => (await state()).at_s > 21, true);
  await page.evaluate(() => {
    window.values.link = '#chat-4xh100;t=100';
    window.heard.get('change:link')();
  });
  await run.getByText('Four H100s serving Llama 3.1 8B').first().waitFor();
  // The link follows when the run rests.
  await run.getByRole('button', { name: 'Pause', exact: true }).click();
  await comes(async () => (await state()).link?.split(';')[0], '#chat-4xh100');
  await page.evaluate(() => window.end());
  assert.equal(await page.evaluate(() => window.heard.size), 0);
  await page.close();
});
