// Every function of the page has its place: what once stood on it at once is behind a key, a menu, a fold or the list of commands.
import assert from 'node:assert/strict';
import {
  askedSpeed,
  chartTool,
  clock,
  comes,
  inspectorTab,
  moreFigures,
  resting,
  SIX,
  seedField,
  stepBy,
  suite,
} from './harness.mjs';

const onPage = suite();
const banner = (page) => page.getByRole('banner');
const left = (page) => page.getByRole('complementary', { name: 'Scenario' });
const why = (page) => page.getByRole('complementary', { name: 'Inspector' });
const foot = (page) => page.getByRole('region', { name: 'Transport' });
const charts = (page) => page.getByRole('region', { name: 'Charts', exact: true });
const focused = (page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent);

/** Finds a command in the list, and does it or closes the list. */
async function command(page, words, wanted, does = false) {
  const list = page.getByRole('dialog', { name: 'Commands' });
  await page.keyboard.press('Control+k');
  await list.getByRole('combobox', { name: 'Find a command' }).fill(words);
  const found = list.getByRole('option').filter({ hasText: wanted }).first();
  await found.waitFor();
  if (does) await found.click();
  else await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
}

/** Opens a section of the form, if it is shut. */
async function section(page, title) {
  const head = left(page).getByRole('button', { name: new RegExp(`^${title}`) });
  await head.waitFor();
  if ((await head.getAttribute('aria-expanded')) === 'false') await head.click();
}

/** Declares a test that walks rows on one page: each is what once stood on the page, and how it is reached. */
const walk = (name, rows, options) =>
  onPage(
    name,
    async (page) => {
      for (const [what, reach] of rows) {
        try {
          await reach(page);
        } catch (error) {
          throw new Error(`${what}: ${error.message}`, { cause: error });
        }
      }
    },
    options,
  );

walk('the top bar has what the whole page does', [
  [
    'logo, title, preset menu',
    async (page) => {
      await banner(page)
        .getByRole('button', { name: /Presets$/ })
        .click();
      await page.locator('[role=menuitem][data-value="kv-pressure"]').waitFor();
      await page.keyboard.press('Escape');
    },
  ],
  [
    'Gallery, Lessons',
    async (page) => {
      await banner(page).getByRole('button', { name: 'Gallery' }).click();
      await page.getByRole('dialog', { name: 'Presets' }).waitFor();
      await page.keyboard.press('Escape');
      await banner(page).getByRole('button', { name: 'Learn' }).click();
      await page
        .getByRole('searchbox', { name: 'Find a lesson' })
        .or(page.getByLabel('Find a lesson'))
        .first()
        .waitFor();
      await page.keyboard.press('Escape');
    },
  ],
  [
    'Open trace…',
    async (page) => {
      await command(page, 'open trace', /^.*Open a trace, a scenario, a lesson or a benchmark/s);
      await banner(page).getByRole('button', { name: 'Gallery' }).click();
      await page.getByRole('dialog', { name: 'Presets' }).getByText('Drop a scenario or a trace on the page').waitFor();
      await page.keyboard.press('Escape');
      await page.evaluate(() => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', 'vllm serve meta-llama/Llama-3.1-8B-Instruct --max-num-seqs 128\n');
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      });
      await page.getByRole('dialog', { name: 'Bring your fleet' }).waitFor();
      await page.keyboard.press('Escape');
    },
  ],
  [
    'Compare, Share',
    async (page) => {
      await banner(page).getByRole('button', { name: 'Compare' }).click();
      await page.getByLabel('Compare with B').waitFor();
      await page.keyboard.press('Escape');
      await banner(page).getByRole('button', { name: 'Share' }).click();
      const share = page.getByRole('dialog', { name: 'Share this run' });
      await share.getByRole('button', { name: 'Files', exact: true }).click();
      for (const name of ['Save as HTML', /Perfetto/, /Take the policy home/])
        await share.getByRole('button', { name }).first().waitFor();
      await page.keyboard.press('Escape');
    },
  ],
  [
    'How true?, “carried · TPOT ±3.5 %”',
    async (page) => {
      await banner(page)
        .getByRole('button', { name: /How true is this\?$/ })
        .click();
      await page.getByRole('main', { name: 'How true is this?' }).waitFor();
      await page.keyboard.press('Escape');
    },
  ],
  [
    '?, theme',
    async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: /Help/ }).waitFor();
      await page.keyboard.press('Escape');
      await command(page, 'help', /Help and keyboard/);
      const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
      const before = await theme();
      await banner(page).getByRole('button', { name: 'Light theme' }).click();
      await comes(async () => (await theme()) !== before, true);
    },
  ],
]);

walk('the scenario has its settings a section away', [
  [
    'Seed, dice',
    async (page) => {
      await (await seedField(page)).waitFor();
      await left(page).getByRole('button', { name: 'New seed' }).waitFor();
    },
  ],
  [
    'Form, YAML, Changes, undo, redo',
    async (page) => {
      for (const name of [/^Form/, /^YAML/, /^Changes/]) await left(page).getByRole('tab', { name }).waitFor();
      await left(page)
        .getByRole('tab', { name: /^Changes/ })
        .click();
      for (const name of ['Undo', 'Redo']) {
        await left(page).getByRole('button', { name, exact: true }).waitFor();
        await command(page, name, new RegExp(name));
      }
      await left(page).getByRole('tab', { name: 'Form' }).click();
    },
  ],
  [
    '“What to look at”, Edit, Mark',
    async (page) => {
      await section(page, 'What to look at');
      await left(page).getByRole('button', { name: 'Edit', exact: true }).waitFor();
      await left(page).getByRole('button', { name: 'Mark this instant' }).waitFor();
    },
  ],
  [
    'search of the form',
    async (page) => {
      await page.keyboard.press('/');
      await comes(() => focused(page), 'Search the form');
      await page.keyboard.press('Escape');
      await page.evaluate(() => document.activeElement.blur());
      await command(page, 'autoscal', /Field\s*pool main: Policy/);
    },
  ],
  [
    '12 sections, open',
    async (page) => {
      const all = left(page).locator('.sec:not([hidden]) .sec-head');
      assert.ok((await all.count()) >= 10);
      for (const one of await all.all())
        if ((await one.getAttribute('aria-expanded')) === 'false') assert.ok((await one.boundingBox()).height <= 34);
      const shut = await left(page).locator('.sec.shut:not([hidden], .story)').count();
      assert.equal(
        await left(page).locator('.sec:not([hidden]) .sec-head > .sum').count(),
        shut,
        'a folded section says what it is set to',
      );
    },
  ],
  [
    'Own model, Own GPU, config.json…, Expert ranks, Role, + Pool, Split',
    async (page) => {
      await section(page, 'Fleet');
      const more = left(page).getByRole('button', { name: 'More of Fleet' });
      if (await more.isVisible()) await more.click();
      for (const path of ['expert_ranks', 'role', 'architecture', 'hardware'])
        await left(page).locator(`[data-path="cluster.pools[0].${path}"]`).first().waitFor();
      await left(page).getByRole('button', { name: 'Add pool' }).waitFor();
      await left(page)
        .getByText(/config\.json/)
        .first()
        .waitFor();
      await left(page).getByRole('button', { name: /Split/ }).first().waitFor();
    },
  ],
  [
    'Save as file, Reset',
    async (page) => {
      await left(page).getByRole('button', { name: 'Save as file' }).waitFor();
      await left(page).getByRole('button', { name: 'Reset' }).waitFor();
    },
  ],
]);

walk(
  'figures and stage show the rest where the hand is',
  [
    [
      '7 – 8 key figures',
      async (page) => {
        assert.equal(await page.locator('.kpi > div').count(), 4);
        await moreFigures(page);
        for (const title of ['TPOT p99', 'E2E p99', 'Goodput', 'Cache hits', 'Cost'])
          await page.locator('.kpi h2', { hasText: title }).waitFor();
        // Any of them is pinned in place of one of the four, and stays there.
        const names = () => page.locator('.kpi > div > h2 > span:first-child').allTextContents();
        await page.getByRole('button', { name: 'Pin Goodput' }).click();
        await comes(async () => (await names())[3], 'Goodput');
        await page.reload();
        await page.locator('.kpi').waitFor();
        await comes(async () => (await names())[3], 'Goodput');
        await page.getByRole('button', { name: 'Unpin Goodput' }).click();
        await comes(async () => (await names())[3], 'waiting');
      },
    ],
    [
      'figures of faults (Available, Success, Attempts, Lost)',
      async (page) => {
        for (const title of ['Available', 'Success', 'Attempts', 'Lost'])
          await page.locator('.kpi h2', { hasText: title }).waitFor();
      },
    ],
    [
      '8 evidence icons at figures',
      async (page) => {
        await page.locator('.kpi > div', { hasText: 'TPOT p99' }).hover();
        const basis = page.locator('.kpi').getByRole('button', { name: /^What TPOT p99 is based on/ });
        await comes(() => basis.evaluate((icon) => getComputedStyle(icon).opacity), '1');
        // The hand leaves, so that no word of the glossary is explained over the stage.
        await page.mouse.move(5, 500);
        await page.locator('.term-popover').waitFor({ state: 'detached' });
        await banner(page)
          .getByRole('button', { name: /How true is this\?$/ })
          .waitFor();
      },
    ],
    [
      'Busy %, KV map, TTFT p50, trend per replica',
      async (page) => {
        await page.locator('.stage-host canvas').click({ position: { x: 300, y: 60 } });
        await why(page).getByRole('tab', { name: 'Replica', selected: true }).waitFor();
        await why(page).getByRole('heading', { name: /^r\d$/ }).waitFor();
        for (const words of ['TTFT', 'KV', 'Busy'])
          await comes(() => why(page).innerText(), new RegExp(words, 'i'), words);
        await page.keyboard.press('Escape');
      },
    ],
    [
      'Show as table',
      async (page) => {
        await command(page, 'stage table', 'Show the stage as a table', true);
        await page.locator('.stage').getByRole('table').first().waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Show as table' }).waitFor();
      },
    ],
    [
      '⋯ on a card',
      async (page) => {
        await page.locator('.stage-host canvas').click({ button: 'right', position: { x: 300, y: 60 } });
        await page.getByRole('dialog', { name: 'Break r0' }).waitFor();
        await page.keyboard.press('Escape');
      },
    ],
  ],
  { link: '#slow-replica' },
);

walk(
  'charts and close-ups have their tools behind keys and one button',
  [
    [
      'Charts, Lanes, KV, Density',
      async (page) => {
        for (const [key, name] of [
          ['2', 'Lanes'],
          ['3', 'KV'],
          ['4', 'Density'],
        ]) {
          await page.keyboard.press(key);
          await page.getByRole('region', { name }).first().waitFor();
          await comes(async () => (await page.locator('.stage').boundingBox()).height <= 61, true, `${name} is high`);
        }
        await page.keyboard.press('1');
        await charts(page).waitFor();
        for (const name of ['Show lanes', 'Show KV', 'Show density']) await command(page, name, name);
      },
    ],
    [
      'Choose charts, Save charts, Theory, Span, +, ↕, table icons',
      async (page) => {
        await charts(page).locator('.time-chart figcaption').first().hover();
        await charts(page).getByRole('button', { name: 'Tools of TTFT', exact: true }).click();
        const tools = page.getByRole('dialog', { name: 'Tools of the charts' });
        for (const name of ['TTFT as a table', 'Theory', 'Span', /^Zoom in/, 'Choose charts', 'Save charts'])
          await tools.getByRole('button', { name }).waitFor();
        await page.keyboard.press('Escape');
        await tools.waitFor({ state: 'detached' });
        await command(page, 'fold the stage', 'Fold the stage to a strip');
        await command(page, 'choose charts', 'Choose charts…', true);
        await page.getByRole('dialog', { name: 'Charts to show' }).waitFor();
        await page.keyboard.press('Escape');
      },
    ],
    [
      'TTFT density, ECDFs of TTFT and E2E',
      async (page) => {
        await chartTool(page, 'Choose charts');
        const list = page.getByRole('dialog', { name: 'Charts to show' });
        for (const name of ['TTFT density', 'TTFT distribution', 'E2E distribution'])
          assert.ok(await list.getByRole('checkbox', { name }).isChecked(), name);
        await page.keyboard.press('Escape');
        assert.equal(await charts(page).locator('.ecdf').count(), 2);
        await charts(page).getByRole('button', { name: 'Tools of TTFT density' }).waitFor();
      },
    ],
    [
      'Before and after',
      async (page) => {
        await page.keyboard.press('b');
        await page.locator('.figure-was').first().waitFor();
      },
    ],
  ],
  { link: SIX },
);

walk('Why explains a request, a replica and the run', [
  [
    'Request, Replica, Run, Log',
    async (page) => {
      for (const name of ['Replica', 'Run', 'Log', 'Request']) {
        await inspectorTab(page, name);
        await why(page).getByRole('tab', { name, selected: true }).waitFor();
      }
    },
  ],
  [
    'slowest / latest completion / latest preemption',
    async (page) => {
      await comes(() => why(page).locator('.why-none').innerText(), /^Click a request or a replica\./);
      for (const name of ['latest', 'unlucky']) await why(page).getByRole('button', { name, exact: true }).waitFor();
      await why(page).getByRole('button', { name: 'slowest', exact: true }).click();
      await comes(() => why(page).locator('.why-none').count(), 0);
    },
  ],
  [
    'scores on the branches',
    async (page) => {
      await why(page)
        .getByRole('heading', { name: /^Why r\d/ })
        .waitFor();
      await comes(() => why(page).innerText(), /score/);
    },
  ],
  [
    '↑ ↓ of the inspector',
    async (page) => {
      const number = async () => Number((await why(page).locator('h2.big').innerText()).slice(1));
      const before = await number();
      await page.keyboard.press('j');
      await comes(number, before + 1);
      await page.keyboard.press('k');
      await comes(number, before);
    },
  ],
]);

walk('the foot goes to any instant, step, occasion and speed', [
  [
    'time field',
    async (page) => {
      await foot(page).locator('.time').click();
      await comes(() => focused(page), 'Go to time, in seconds');
      await page.evaluate(() => document.activeElement.blur());
    },
  ],
  [
    'step engine, step event, step back',
    async (page) => {
      for (const name of ['Step one event', 'Step one engine step', 'Step back', 'Step back one engine step'])
        await stepBy(page, name);
      await page.keyboard.press('Escape');
      await resting(page);
      const from = await clock(page);
      // The first step can end within the millisecond that the clock shows.
      for (let i = 0; i < 3; i += 1) {
        await page.keyboard.press('Shift+Period');
        await resting(page);
      }
      assert.ok((await clock(page)) > from, 'engine steps go on');
      const on = await clock(page);
      for (let i = 0; i < 3; i += 1) {
        await page.keyboard.press('Shift+Comma');
        await resting(page);
      }
      assert.ok((await clock(page)) < on, 'and back');
    },
  ],
  [
    'Run to …, Branch here',
    async (page) => {
      await foot(page)
        .getByRole('button', { name: /^Run to next/ })
        .waitFor();
      await foot(page).getByRole('button', { name: 'Branch here' }).waitFor();
    },
  ],
  [
    '“requests in flight”, speed slider',
    async (page) => {
      const before = await askedSpeed(page);
      await page.getByRole('combobox', { name: 'Speed' }).selectOption({ label: 'Speed 60×' });
      await comes(() => page.getByRole('combobox', { name: 'Speed' }).getAttribute('title'), 'minutes of load');
      await page.getByRole('combobox', { name: 'Speed' }).selectOption({ label: before });
    },
  ],
]);

walk(
  'the first view has its names, its edges and its list of speeds',
  [
    [
      'logo, title, preset menu: the sentence',
      async (page) => {
        assert.match(await page.locator('.calm-says').innerText(), /^A simulated LLM cluster/);
      },
    ],
    [
      'Gallery, Lessons: the same row',
      async (page) => {
        for (const name of ['Gallery', 'Learn', 'Compare', 'Share'])
          await page.getByRole('button', { name, exact: true }).first().waitFor();
      },
    ],
    [
      'Open trace…: paste',
      async (page) => {
        await page.getByText('Or paste a config or trace of yours, anywhere.').waitFor();
      },
    ],
    [
      'speed slider: the list',
      async (page) => {
        await page.getByRole('combobox', { name: 'Speed' }).selectOption({ label: 'Speed 10×' });
        await page.getByRole('combobox', { name: 'Speed' }).selectOption({ label: 'Speed 1×' });
      },
    ],
    [
      'Busy %, KV map, TTFT p50, trend per replica: a row',
      async (page) => {
        await page.locator('.stage-host canvas').click({ position: { x: 560, y: 40 } });
        await why(page).waitFor();
      },
    ],
    [
      'everything else: W',
      async (page) => {
        await page.keyboard.press('w');
        await page.locator('.kpi').waitFor();
      },
    ],
  ],
  { link: '#slow-replica', view: 'calm' },
);
