// axe finds nothing in any view of the built page, at any size.
import assert from 'node:assert/strict';
import { ALL, preset, resting, suite, THEMES } from './harness.mjs';
import { onTabs, painted, SIZES, TABS, theme } from './texts.mjs';
import { violations } from './violations.mjs';

const onPage = suite();

onPage('axe finds nothing at any size, in either theme, on any tab', async (page, t) => {
  const found = [];
  const runs = SIZES.flatMap((size, i) =>
    ALL && (size[0] === 1440 || size[0] === 390)
      ? [
          [size, 'dark'],
          [size, 'light'],
        ]
      : [[size, i % 2 === 0 ? 'dark' : 'light']],
  );
  for (const [[width, height], name] of runs) {
    await page.setViewportSize({ width, height });
    await theme(page, name);
    await painted(page);
    await onTabs(page, TABS, async (tab) => {
      found.push(...(await violations(page)).map((v) => `${width} × ${height}, ${name}, ${tab}: ${v}`));
    });
  }
  t.diagnostic(`${runs.length} sizes and themes`);
  assert.deepEqual(found, []);
});

/** Each dialog and flyout, with how to open it and how to detect it. Escape closes all of them. */
const DIALOGS = [
  ['share', (page) => page.keyboard.press('Shift+S'), (page) => page.getByRole('img', { name: 'QR code of the link' })],
  ['help', (page) => page.keyboard.press('?'), (page) => page.getByRole('dialog')],
  [
    'run to',
    (page) => page.getByRole('button', { name: 'Choose what to run to' }).click(),
    (page) => page.getByRole('button', { name: 'next preemption', exact: true }),
  ],
  [
    'runs',
    async (page) => {
      await page.keyboard.press('Shift+B');
      await page.getByRole('button', { name: /^Runs \d+ of this scenario/ }).click();
    },
    (page) => page.getByRole('textbox', { name: 'Name of Run 1' }),
  ],
  [
    'broken link',
    (page) =>
      page.evaluate(() => {
        // A different link each time, because the address may still have the previous one.
        location.hash = `#chat-4xh100;cluster.pools[0].replicas=${5000 + Math.floor(performance.now())}`;
      }),
    (page) => page.getByRole('dialog').getByText('cluster.pools[0].replicas'),
  ],
];

onPage(
  'axe finds nothing in the dialogs of links, runs and time, on a desktop and a phone, in either theme',
  async (page) => {
    await preset(page, 'kv-pressure');
    await page.keyboard.press('Shift+B');
    await page.getByRole('button', { name: /^Runs \d+ of this scenario/ }).waitFor();
    const found = [];
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ])
      for (const name of THEMES) {
        await page.setViewportSize({ width, height });
        await theme(page, name);
        for (const [dialog, open, shown] of DIALOGS) {
          await open(page);
          await shown(page).first().waitFor();
          await painted(page);
          found.push(...(await violations(page)).map((v) => `${width} × ${height}, ${name}, ${dialog}: ${v}`));
          await page.keyboard.press('Escape');
          await shown(page).first().waitFor({ state: 'hidden' });
        }
        await resting(page);
      }
    assert.deepEqual(found, []);
  },
);
