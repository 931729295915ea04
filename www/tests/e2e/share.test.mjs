// Links in the built page in Chromium: shared and opened elsewhere, followed by the address bar, broken in many ways.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import {
  cli,
  clock,
  comes,
  drop,
  finalDigest,
  inspectorTab,
  newPage,
  OPENING_S,
  preset,
  ROOT,
  resting,
  savedScenario,
  seedField,
  shareFiles,
  suite,
  write,
} from './harness.mjs';
import { goTo, setSeed, sharedLink } from './sharing.mjs';

const onPage = suite();
const address = (page) => page.url().split('#')[0];
const dialogOf = (page) => page.getByRole('dialog');

/** Waits until the address describes the screen. */
const followed = (page, pattern) =>
  page.waitForFunction((source) => new RegExp(source).test(location.hash), pattern.source);

/** A packed link of any text, as anyone could make it. */
const packed = (text) => `#v1.${deflateRawSync(Buffer.from(text)).toString('base64url')}`;

onPage('a shared run opens elsewhere at the same instant and has the same digest', async (page, t) => {
  await preset(page, 'kv-pressure');
  await setSeed(page, 77);
  await goTo(page, 31.5);
  const link = await sharedLink(page);
  assert.match(link, /#kv-pressure;length=\d+;seed=77;t=31\.5;result=\d+\.\d+\.\d+:[0-9a-f]{16}$/);
  const dialog = dialogOf(page);
  const told = (await dialog.locator('.share-length').textContent()).replace(/\s+/g, ' ').trim();
  assert.equal(told, `${link.length} characters`);
  await dialog.getByText('opens paused at 31.5 s').waitFor();
  await dialog.getByRole('img', { name: 'QR code of the link' }).waitFor();
  await page.keyboard.press('Escape');
  const site = { browser: page.context().browser(), url: address(page) };
  const other = await newPage(site, { link: link.slice(address(page).length) });
  try {
    assert.equal(await resting(other.page), 31.5);
    const digest = await finalDigest(other.page);
    assert.equal(digest, await finalDigest(page));
    assert.deepEqual(other.seen.errors, []);
    const { run, missing } = cli();
    if (!run) t.skip(missing);
    else assert.equal(digest, run('digest', link).split(/\s+/)[0]);
  } finally {
    await other.close();
  }
});

onPage('the address follows without filling the history, and a reload keeps scenario and view', async (page) => {
  assert.equal(new URL(page.url()).hash, '#chat-4xh100', 'a visit keeps its address');
  const entries = await page.evaluate(() => history.length);
  await goTo(page, 12.25);
  await inspectorTab(page, 'Run');
  await followed(page, /^#chat-4xh100;t=12\.25;panel=run$/);
  await setSeed(page, 5);
  await followed(page, /^#chat-4xh100;length=\d+;seed=5;t=12\.25;panel=run$/);
  assert.equal(await page.evaluate(() => history.length), entries);
  await page.reload();
  await page.waitForFunction(() => performance.getEntriesByName('first-frame').length > 0);
  assert.equal(await resting(page), 12.25);
  await comes(async () => (await seedField(page)).inputValue(), '5');
  await comes(() => page.locator('[role=tab][aria-selected=true]', { hasText: 'Run' }).count(), 1);
});

onPage('a link that comes while the address is about to be written is opened', async (page) => {
  await page.evaluate(() => {
    const { get } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
    let comes = true;
    // In the task in which the page gets its own link; the event of a typed link comes in a later one.
    Object.defineProperty(MessageEvent.prototype, 'data', {
      configurable: true,
      get() {
        const data = get.call(this);
        const [json] = Array.isArray(data?.answer) ? data.answer : [];
        if (comes && json && typeof JSON.parse(new TextDecoder().decode(json))?.link === 'string') {
          comes = false;
          location.hash = '#kv-pressure;t=20';
        }
        return data;
      },
    });
  });
  await goTo(page, 12.25);
  await page.waitForFunction(() => document.querySelector('.preset-name')?.textContent === 'kv-pressure');
  assert.equal(await resting(page), 20);
});

/** The opening instant of a preset in the gallery, in seconds. */
const opens = (name) =>
  JSON.parse(readFileSync(join(ROOT, 'src/generated/gallery.json'), 'utf8')).find((card) => card.name === name).opens_s;

onPage(
  'a link that is only a name opens the preset at its instant, on a first visit and from the address bar',
  async (page) => {
    assert.equal(await page.locator('.preset-name').textContent(), 'stale-herd');
    assert.equal(await clock(page), opens('stale-herd'));
    await page.evaluate(() => {
      location.hash = '#cache-livelock';
    });
    await page.waitForFunction(() => document.querySelector('.preset-name')?.textContent === 'cache-livelock');
    assert.equal(await resting(page), opens('cache-livelock'));
  },
  { link: '#stale-herd' },
);

onPage.long('back leaves the page, and forward returns to the run left', async (page) => {
  for (const seconds of [12.25, 30, 20.5]) {
    await goTo(page, seconds);
    await followed(page, new RegExp(`;t=${seconds}$`));
  }
  await setSeed(page, 5);
  await inspectorTab(page, 'Run');
  await followed(page, /^#chat-4xh100;length=\d+;seed=5;t=20\.5;panel=run$/);
  await page.goBack();
  assert.equal(page.url(), 'about:blank');
  await page.goForward();
  await page.waitForFunction(() => performance.getEntriesByName('first-frame').length > 0);
  assert.equal(await resting(page), 20.5);
  assert.match(page.url(), /#chat-4xh100;length=\d+;seed=5;t=20\.5;panel=run$/);
});

onPage('a link that is typed, pasted or dropped is opened, and a title of script is text', async (page) => {
  await page.evaluate(() => {
    location.hash = '#kv-pressure;t=20';
  });
  await page.waitForFunction(() => document.querySelector('.preset-name')?.textContent === 'kv-pressure');
  assert.equal(await resting(page), 20);
  const title = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', `https://elsewhere.example/#chat-4xh100;t=3;title=${encodeURIComponent(text)}`);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, title);
  await page.waitForFunction((text) => document.querySelector('h1')?.textContent === text, title);
  assert.equal(await resting(page), 3);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  const dropped = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.setData('text/plain', '#router-showdown;t=4');
    return data;
  });
  await page.dispatchEvent('main', 'dragover', { dataTransfer: dropped });
  await page.dispatchEvent('main', 'drop', { dataTransfer: dropped });
  await page.waitForFunction(() => document.querySelector('.preset-name')?.textContent === 'router-showdown');
  assert.equal(await resting(page), 4);
});

onPage.long('every broken link reports its errors, loads the rest and offers the default', async (page, t) => {
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  const note = { note: 'A note that is long enough for its link to be packed. '.repeat(6) };
  const whole = run('link', write('noted.json', JSON.stringify(note)));
  assert.match(whole, /^#v1\./);
  const middle = Math.floor(whole.length / 2);
  const other = whole[middle] === 'A' ? 'B' : 'A';
  const deep = `{"p":"chat-4xh100","d":${'{"a":'.repeat(3000)}1${'}'.repeat(3001)}`;
  const broken = {
    damaged: [whole.slice(0, middle) + other + whole.slice(middle + 1), /a link as it was made/],
    truncated: [whole.slice(0, middle), /end is missing/],
    'too new': [whole.replace('#v1.', '#v9.'), /version 9.*newer Tokenyard/],
    bomb: [packed(' '.repeat(8 << 20)), /more than 1048576 bytes/],
    deep: [packed(deep), /allowed/],
    'too long': [`#chat-4xh100;title=${'a'.repeat(33_000)}`, /at most 32768 characters/],
    'a bad field': ['#chat-4xh100;cluster.pools[0].replicas=5000;seed=8', /cluster\.pools\[0\]\.replicas.*0 to 1,024/],
    'no preset': ['#nothing-like-it', /no preset "nothing-like-it"/],
  };
  const dialog = dialogOf(page);
  const seed = await seedField(page);
  for (const [name, [link, message]] of Object.entries(broken)) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, link);
    await dialog.getByText('Not all of this link could be opened').waitFor();
    await comes(() => dialog.textContent(), message, name);
    if (name === 'a bad field') {
      await comes(() => seed.inputValue(), '8');
      await dialog.getByRole('button', { name: 'Keep the opened run' }).click();
    } else {
      await dialog.getByRole('button', { name: 'Open the default instead' }).click();
      await page.waitForFunction(() => document.querySelector('.preset-name')?.textContent === 'slow-replica');
    }
    await dialog.waitFor({ state: 'detached' });
    await resting(page);
  }
});

onPage('a link of a trace requests the file, refuses another one and runs the right one', async (page, t) => {
  const { run, missing } = cli();
  if (!run) {
    t.skip(missing);
    return;
  }
  const rows = (n) =>
    `arrived_at,num_prefill_tokens,num_decode_tokens\n${Array.from({ length: n }, (_, i) => `${i / 10},${100 + i},${10 + (i % 7)}`).join('\n')}\n`;
  const right = rows(120);
  const file = write('mine.csv', right);
  const document = JSON.stringify({ run: { horizon_s: 0, warmup_s: 0 }, workload: { trace: { file: 'mine.csv' } } });
  const link = run('link', write('traced.json', document), '--trace', file);
  await page.evaluate((hash) => {
    location.hash = hash;
  }, link);
  const dialog = dialogOf(page);
  await dialog.getByText('This link replays a trace').waitFor();
  await comes(() => dialog.textContent(), /mine\.csv, 120 rows/);
  await drop(page, 'other.csv', rows(90));
  await dialog.getByText(/a trace of 90 rows with digest/).waitFor();
  await drop(page, 'mine.csv.gz', gzipSync(right));
  await dialog.waitFor({ state: 'detached' });
  await resting(page);
  assert.equal(await finalDigest(page), run('digest', link, '--trace', file).split(/\s+/)[0]);
  // Other runs of it have the trace too.
  await shareFiles(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.rows-block').getByRole('button', { name: 'Download' }).click(),
  ]);
  assert.ok(download.suggestedFilename().endsWith('-requests.csv'));
});

onPage.long(
  'a link has a branch beside the run it left, and both have the digests of the command line',
  async (page, t) => {
    await goTo(page, 40);
    const kept = await savedScenario(page);
    await page.getByRole('button', { name: 'Branch here' }).click();
    const runs = page.getByRole('button', { name: /^Runs \d+ of this scenario/ });
    await runs.waitFor();
    const replicas = page.getByRole('textbox', { name: 'Replicas' }).first();
    await replicas.fill('6');
    await replicas.press('Enter');
    await resting(page);
    const edited = await savedScenario(page);
    const link = await sharedLink(page);
    await dialogOf(page).getByText('“Run 1”, 1 difference from the first').waitFor();
    await page.keyboard.press('Escape');
    const site = { browser: page.context().browser(), url: address(page) };
    const other = await newPage(site, { link: link.slice(address(page).length) });
    try {
      const there = other.page;
      assert.equal(await resting(there), 40);
      const digests = [await finalDigest(there)];
      await there.getByRole('button', { name: /^Runs \d+ of this scenario/ }).click();
      await there.getByRole('button', { name: 'Show Run 1' }).click();
      await there.waitForFunction(
        () => document.querySelector('.runs tr.pick td.differs')?.textContent === 'on screen',
      );
      await there.keyboard.press('Escape');
      await resting(there);
      digests.push(await finalDigest(there));
      assert.notEqual(digests[0], digests[1]);
      assert.deepEqual(other.seen.errors, []);
      const { run, missing } = cli();
      if (!run) t.skip(missing);
      else {
        const told = [edited, kept].map((file) => run('digest', file).split(/\s+/)[0]);
        assert.deepEqual(digests, told);
      }
    } finally {
      await other.close();
    }
  },
);

onPage.long('a seek to a far instant stops and asks, and continues when the user agrees', async (page) => {
  await page.evaluate(() => {
    location.hash = '#fleet-256;run.horizon_s=120;t=90';
  });
  const asks = page.getByRole('button', { name: 'Continue to 90 s' });
  await asks.waitFor();
  const stopped = await resting(page);
  assert.ok(stopped > 0 && stopped < 90, `${stopped} s`);
  await asks.click();
  await page.waitForFunction(() => document.querySelector('.clock')?.firstChild?.textContent?.startsWith('90.000'));
  assert.equal(await resting(page), 90);
});

onPage.long(
  'a thread that ends silently is replaced, and the run rebuilt up to its instant',
  async (page, t) => {
    const digest = await finalDigest(page);
    await goTo(page, OPENING_S);
    // The values of the clock from now on; the run is rebuilt from its start.
    await page.evaluate(() => {
      window.shown = [];
      const read = () =>
        window.shown.push(Number(document.querySelector('.clock').firstChild.textContent.replaceAll(',', '')));
      new MutationObserver(read).observe(document.querySelector('.clock'), {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await comes(async () => (await clock(page)) > OPENING_S + 1, true);
    const thread = page.workers().find((worker) => /worker-/.test(worker.url()));
    await thread.evaluate(() => {
      setTimeout(() => self.close(), 0);
    });
    const notice = page.locator('.notice').filter({ hasText: 'The same run was rebuilt' });
    await notice.waitFor();
    const back = await resting(page);
    assert.equal(back, await page.evaluate(() => Math.max(...window.shown)));
    assert.equal(Number(/stopped at ([\d.]+) s/.exec(await notice.textContent())[1]), back);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await comes(async () => (await clock(page)) > back, true);
    await page.keyboard.press('Space');
    await resting(page);
    assert.equal(await finalDigest(page), digest);
    const { run, missing } = cli();
    if (run) assert.equal(digest, run('digest', await savedScenario(page)).split(/\s+/)[0]);
    else t.diagnostic(missing);
  },
  { errorsExpected: true },
);
