// The start of the page under difficulties: within another site, sandboxed, with missing scripts; and its recovery when
// the simulation's thread hangs.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { comes, newPage, open, part, resting } from './harness.mjs';
import { goTo } from './sharing.mjs';

const WAIT = { timeout: 120_000 };
let site;
let host;
before(async () => {
  site = await open();
  host = createServer(({ url }, response) => {
    response.setHeader('content-type', 'text/html');
    const sandbox = url.startsWith('/sandboxed') ? 'sandbox="allow-scripts"' : '';
    response.end(`<!doctype html><title>A post</title>
      <iframe ${sandbox} title="run" width="800" height="450" src="${site.url}#embed=ttft-over-time;kv-pressure;t=21"></iframe>`);
  });
  await new Promise((resolve) => host.listen(0, 'localhost', resolve));
});
after(async () => {
  await site?.close();
  await new Promise((resolve) => host.close(resolve));
});

/** A page of another site, not only another port, so that the browser separates or denies the frame's storage. */
async function post(path, prepare = async () => {}) {
  const context = await site.browser.newContext({ viewport: { width: 1000, height: 600 }, serviceWorkers: 'block' });
  const page = await context.newPage();
  await prepare(page);
  await page.goto(`http://localhost:${host.address().port}${path}`);
  return { page, run: page.frameLocator('iframe'), close: () => context.close() };
}

const seconds = (run) =>
  run.locator('.clock').evaluate((el) => Number(el.firstChild.textContent.replaceAll(',', '')), undefined, WAIT);

async function plays(run) {
  await comes(() => seconds(run), 21);
  await run.getByRole('button', { name: 'Play', exact: true }).click();
  await comes(async () => (await seconds(run)) > 21.5, true);
}

for (const [where, path] of [
  ['in a frame of another site', '/'],
  ['in a frame of another site that is sandboxed without an origin', '/sandboxed'],
])
  test(`a run starts and plays ${where}`, async () => {
    const { run, close } = await post(path);
    await run.locator('.clock').waitFor(WAIT);
    await plays(run);
    await close();
  });

test('a run starts in a frame where all storage is denied', async () => {
  const { run, close } = await post('/', (page) =>
    page.addInitScript(() => {
      const denied = () => {
        throw new DOMException('denied', 'SecurityError');
      };
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
        Object.defineProperty(window, name, { get: denied });
      LockManager.prototype.request = () => Promise.reject(new DOMException('denied', 'SecurityError'));
    }),
  );
  await run.locator('.clock').waitFor(WAIT);
  await plays(run);
  await close();
});

/** A page whose requests for one kind of script get another answer. */
async function without(pattern, answer, link = '') {
  const context = await site.browser.newContext({ serviceWorkers: 'block' });
  const page = await context.newPage();
  await page.route(pattern, answer);
  await page.goto(site.url + link);
  return { page, close: () => context.close() };
}

test('a page whose scripts do not load says so', async () => {
  const { page, close } = await without(/\/page-[^/]*\.js/, (route) => route.fulfill({ status: 404 }));
  await page.getByText('Tokenyard has not started yet').waitFor(WAIT);
  await close();
});

for (const [what, answer] of [
  ['is not there', { status: 404, body: 'no' }],
  ['comes under a wrong type', { status: 200, contentType: 'text/html', body: '<p>hello' }],
])
  test(`a simulation whose script ${what} says that it cannot start`, async () => {
    const { page, close } = await without(/\/worker-[^/]*\.js/, (route) => route.fulfill(answer));
    await page.getByText('The simulation could not start: its script could not be loaded').waitFor(WAIT);
    await page.getByRole('button', { name: 'Load the page again' }).waitFor();
    await close();
  });

test('a simulation without its module says that it cannot start', async () => {
  const answer = (route) => route.fulfill({ status: 404 });
  const { page, close } = await without(/tokenyard_bg[^/]*\.wasm/, answer, '#kv-pressure');
  await page.getByText('The simulation could not start: the server answers 404').waitFor(WAIT);
  await close();
});

test('until its module has come the page says how much has, and Play why it waits', async () => {
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  const answer = async (route) => {
    await held;
    await route.continue();
  };
  const { page, close } = await without(/tokenyard_bg[^/]*\.wasm/, answer, '#kv-pressure');
  await page.getByText('Loading the simulation').waitFor(WAIT);
  await page.getByText(/^0 of [\d,]*[1-9][\d,]* KB$/).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Play', exact: true }).isDisabled(), true);
  const play = page.locator('.play');
  assert.match(await play.getAttribute('title'), /^Waits for the simulation/);
  release();
  await page.getByText('Loading the simulation').waitFor({ state: 'detached' });
  assert.equal(await play.isDisabled(), false);
  await close();
});

/**
 * Makes the thread of the simulation hang at the first message that satisfies `is`, the text of a function of a
 * message.
 */
const hangsAt = (is) => (page) =>
  page.route(/\/worker-[^/]*\.js/, async (route) => {
    const response = await route.fetch();
    const hook = `{
      const is = ${is};
      Object.defineProperty(self, 'onmessage', {
        set: (take) => addEventListener('message', (event) => { while (is(event.data)); take(event); }),
      });
    }`;
    await route.fulfill({ response, body: `${hook}\n${await response.text()}` });
  });

async function hanging(is) {
  const opened = await newPage(site, { opened: hangsAt(is) });
  await resting(opened.page);
  return opened;
}

const ended = (page) => page.getByText(/The simulation stopped at .* it did not answer for 5 s and was ended/);

/** Changes the number of replicas of the first pool, at the playhead. */
async function replicas(page, count) {
  const field = page.getByRole('textbox', { name: 'Replicas' }).first();
  await field.fill(count);
  await field.press('Enter');
}

/** What the simulation hangs in: name, the message that starts it, and how a user does it. */
const HANGS = [
  [
    'a seek',
    "(m) => m.kind === 'ask' && m.question.kind === 'seek' && m.question.untilUs === 90e6",
    (page) =>
      page
        .locator('#time-field')
        .fill('90')
        .then(() => page.locator('#time-field').press('Enter')),
  ],
  [
    'an edit',
    "(m) => m.kind === 'ask' && m.question.kind === 'apply' && m.question.edit.includes('9')",
    (page) => replicas(page, '9'),
  ],
  ['play', "(m) => m.kind === 'play'", (page) => page.getByRole('button', { name: 'Play', exact: true }).click()],
];
for (const [what, is, act] of part('actions in which the simulation hangs', HANGS, 1))
  test(`a simulation that hangs in ${what} is ended, and the run continues with its edits`, async () => {
    const { page, close } = await hanging(is);
    await replicas(page, '6');
    await resting(page);
    await page.locator('.top .ac', { hasText: '+1' }).waitFor();
    await act(page);
    await ended(page).waitFor(WAIT);
    assert.equal(await resting(page), 48);
    await comes(() => page.getByRole('textbox', { name: 'Replicas' }).first().inputValue(), '6');
    await comes(() => page.locator('.top .ac').textContent(), '+1');
    await goTo(page, 60);
    assert.equal(await resting(page), 60);
    await close();
  });
