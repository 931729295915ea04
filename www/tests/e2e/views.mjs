// Every main view and dialog of the page, and how to open it, for all-views.test.mjs.
import { chartTool, chooseReplica, drop, inspectorTab, resting, seedField } from './harness.mjs';
import { AUTOSCALERS, COMPARE, STUDIES, TRUTH } from './viewsOfStudies.mjs';

/**
 * A scene is a page with a link and the views opened on it one after the other. A view has `open`, which opens it;
 * `tabs`, its tabs on a phone; `part`, the part that overlays the page; `scroll`, its scrolling part, for pictures; and
 * `close`, if it would hide the next view of the scene.
 */
const leave = async (page) => {
  await page.keyboard.press('Escape');
};
const left = (page) => page.locator('.left');
const OF_INSPECTOR = { tabs: ['Inspector'], part: '.right', scroll: '.right .tab:not([hidden])' };
const OF_FORM = { tabs: ['Scenario'], part: '.left', scroll: '.left .tab:not([hidden])' };
const OF_DIALOG = { part: '.sheet', scroll: '.sheet', close: leave };
const ALL_TABS = ['Stage', 'Charts', 'Scenario', 'Inspector'];

/** The main screen of a scenario. */
const main = (name, link = `#${name}`) => ({
  link,
  views: [{ name: `main-${name}`, open: async () => {}, tabs: ALL_TABS }],
});

/** A tab of the inspector. */
const tab = (name, open) => ({ name, open, ...OF_INSPECTOR });

const AUTOSCALER = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: chat }
spec:
  minReplicas: 2
  maxReplicas: 12
  metrics:
    - type: Pods
      pods:
        metric: { name: vllm_num_requests_waiting }
        target: { type: AverageValue, averageValue: "3" }
  behavior:
    scaleDown: { stabilizationWindowSeconds: 120 }
`;

const FORM = {
  link: '#tenant-quotas',
  views: [
    {
      name: 'form-open',
      open: async (page) => {
        const closed = left(page).locator(
          'button.sec-head[aria-expanded=false], .sec-head button[aria-expanded=false]',
        );
        for (let n = await closed.count(); n > 0; n = await closed.count()) await closed.first().click();
        await resting(page);
      },
      ...OF_FORM,
    },
    {
      name: 'form-problem',
      open: async (page) => {
        const field = left(page).getByRole('textbox', { name: 'Replicas' }).first();
        await field.fill('5000');
        await field.press('Enter');
        await page.locator('.left .problem').first().waitFor();
      },
      ...OF_FORM,
      close: async (page) => {
        await left(page).getByRole('textbox', { name: 'Replicas' }).first().press('Escape');
      },
    },
    {
      name: 'form-search',
      open: async (page) => left(page).getByRole('searchbox').fill('prompt'),
      ...OF_FORM,
      close: async (page) => left(page).getByRole('searchbox').fill(''),
    },
    {
      name: 'yaml',
      open: async (page) => {
        await left(page).getByRole('tab', { name: 'YAML' }).click();
        await left(page).getByRole('textbox', { name: 'Scenario as YAML' }).filter({ hasText: 'cluster' }).waitFor();
      },
      ...OF_FORM,
    },
    {
      name: 'changes',
      open: async (page) => {
        await left(page).getByRole('tab', { name: 'Form' }).click();
        const replicas = left(page).getByRole('textbox', { name: 'Replicas' }).first();
        await replicas.fill('7');
        await replicas.press('Enter');
        await resting(page);
        await left(page).getByRole('tab', { name: 'Changes' }).click();
        await left(page)
          .getByRole('button', { name: /^Remove the edit at/ })
          .first()
          .waitFor();
      },
      ...OF_FORM,
    },
  ],
};

const REQUESTS = {
  link: '#router-showdown;t=60;select=request:400',
  views: [
    tab('request', async (page) => page.getByRole('img', { name: /Waterfall of request/ }).waitFor()),
    tab('request-alternatives', async (page) => {
      const block = page.locator('.what-if');
      await block.getByRole('button', { name: 'Compare all alternatives' }).click();
      await block.getByRole('table').waitFor();
      await block.scrollIntoViewIfNeeded();
    }),
    tab('replica', async (page) => {
      await chooseReplica(page, 0);
      await page.locator('.little').waitFor();
    }),
    tab('run', async (page) => inspectorTab(page, 'Run')),
    tab('explain', async (page) => {
      await page.getByRole('button', { name: 'Where did their time go?' }).click();
      await chartTool(page, 'Span');
      await page.locator('.span-bar').getByRole('button', { name: 'Explain' }).click();
      await page.locator('.why-said').getByText('on average').waitFor();
    }),
    {
      name: 'charts-with-span',
      open: async () => {},
      tabs: ['Charts'],
      part: '.charts',
      close: async (page) => page.getByRole('button', { name: 'Clear the selected span' }).click(),
    },
    tab('log', async (page) => {
      await inspectorTab(page, 'Log');
      await page.locator('.log-row').first().waitFor();
    }),
  ],
};

const THEORY = {
  link: '#router-showdown;t=240',
  views: [
    {
      name: 'theory',
      open: async (page) => {
        await chartTool(page, 'Theory');
        await page.locator('.theory-violated').waitFor();
      },
      tabs: ['Charts'],
      part: '.charts',
    },
    {
      name: 'theory-assumptions',
      open: async (page) => {
        await page.locator('.theory-violated').click();
        await page.locator('.theory-list:popover-open').waitFor();
      },
      tabs: [],
      wide: true,
      part: '.theory-list:popover-open',
      close: leave,
    },
    {
      name: 'table-of-chart',
      open: async (page) => {
        await chartTool(page, /as a table$/);
      },
      tabs: ['Charts'],
      part: '.chart-table',
    },
  ],
};

const SCALING = {
  link: '#spike-cold-starts;t=150',
  views: [
    { name: 'main-scaling', open: async () => {}, tabs: ALL_TABS },
    tab('scaling', async (page) => {
      await inspectorTab(page, 'Scaling');
      await page.locator('.scaling-table tbody tr').first().waitFor();
    }),
  ],
};

const ESTIMATOR = {
  link: '#filter-mended;t=240',
  views: [tab('scaling-estimator', async (page) => inspectorTab(page, 'Scaling'))],
};

/** The views before the first event. */
const EMPTY = {
  link: '#chat-4xh100;t=0',
  views: [
    { name: 'main-empty', open: async () => {}, tabs: ALL_TABS },
    ...['Request', 'Replica', 'Run', 'Log'].map((name) =>
      tab(`${name.toLowerCase()}-empty`, async (page) => inspectorTab(page, name)),
    ),
  ],
};

const DIALOGS = {
  link: '#kv-pressure',
  views: [
    {
      name: 'presets-menu',
      open: async (page) => {
        await page.getByRole('banner').getByRole('button', { name: 'Presets' }).click();
        await page.getByRole('menu').waitFor();
      },
      part: '.flyout:popover-open',
      close: leave,
    },
    {
      name: 'share',
      open: async (page) => {
        await page.keyboard.press('Shift+S');
        await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
      },
      ...OF_DIALOG,
    },
    {
      name: 'commands',
      open: async (page) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog', { name: 'Commands' }).waitFor();
      },
      ...{ ...OF_DIALOG, scroll: '.palette-list' },
    },
    {
      name: 'help',
      open: async (page) => {
        await page.keyboard.press('?');
        await page.getByRole('dialog').waitFor();
      },
      ...OF_DIALOG,
    },
    {
      name: 'gallery',
      open: async (page) => {
        await page.keyboard.press('p');
        await page.locator('.gallery .card').first().waitFor();
      },
      part: '.gallery',
      scroll: '.gallery-scroll, .gallery',
      close: leave,
    },
    {
      name: 'run-to',
      open: async (page) => {
        await page.getByRole('button', { name: 'Choose what to run to' }).click();
        await page.getByRole('button', { name: 'next preemption', exact: true }).waitFor();
      },
      part: '.flyout:popover-open',
      close: leave,
    },
    {
      name: 'runs',
      open: async (page) => {
        await page.keyboard.press('Shift+B');
        await page.getByRole('button', { name: /^Runs \d+ of this scenario/ }).click();
        await page.getByRole('textbox', { name: 'Name of Run 1' }).waitFor();
      },
      part: '.flyout:popover-open',
      close: leave,
    },
    {
      name: 'link-trouble',
      open: async (page) => {
        await page.evaluate(() => {
          location.hash = '#chat-4xh100;cluster.pools[0].replicas=5000;seed=x';
        });
        await page.getByRole('dialog').getByText('cluster.pools[0].replicas').waitFor();
      },
      ...OF_DIALOG,
    },
  ],
};

/** Pastes a text as with Ctrl + V, on the page or on what has the focus. */
const paste = (page, text) =>
  page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const on = document.activeElement ?? document.body;
    on.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);

const EXCHANGE = {
  link: '#kv-pressure',
  views: [
    {
      name: 'import-empty',
      open: async (page) => {
        await page.keyboard.press('Control+k');
        await page.keyboard.type('bring your fleet');
        await page.keyboard.press('Enter');
        await page.getByRole('dialog', { name: 'Bring your fleet' }).waitFor();
      },
      part: '.exchange',
      scroll: '.import-sides',
      close: leave,
    },
    {
      name: 'import-read',
      open: async (page) => {
        await paste(page, AUTOSCALER);
        await page.locator('.map-exact-row').first().waitFor();
      },
      part: '.exchange',
      scroll: '.import-sides',
      close: leave,
    },
    {
      name: 'export',
      open: async (page) => {
        await page.keyboard.press('Control+k');
        await page.keyboard.type('take the policy home');
        await page.keyboard.press('Enter');
        await page.locator('.export-line').first().waitFor();
      },
      part: '.exchange',
      scroll: '.export-sides',
      close: leave,
    },
    {
      name: 'trace-inspector',
      open: async (page) => {
        const rows = Array.from({ length: 200 }, (_, i) => `${i * 0.7},${200 + ((i * 37) % 900)},${20 + (i % 90)}`);
        await drop(page, 'made.csv', `arrived_at,num_prefill_tokens,num_decode_tokens\n${rows.join('\n')}\n`);
        await page.getByRole('dialog', { name: 'Open a trace' }).getByRole('img').first().waitFor();
      },
      part: '.exchange',
      scroll: '.trace-sides',
      close: leave,
    },
    {
      name: 'trace-columns',
      open: async (page) => {
        await drop(page, 'ours.csv', 'when,in,out\n1,100,20\n2,300,40\n');
        await page.getByRole('dialog', { name: 'Name the columns' }).waitFor();
      },
      part: '.exchange',
      scroll: '.columns-table',
      close: leave,
    },
  ],
};

const EDITS = {
  link: '#chat-4xh100',
  views: [
    {
      name: 'edit-on-timeline',
      open: async (page) => {
        await page.getByRole('button', { name: /^Edit at 60\.000 s: / }).focus();
        await page.keyboard.press('Enter');
        await resting(page);
        await page.evaluate(() => document.activeElement?.blur());
        const box = await page.locator('.scrubber canvas').boundingBox();
        await page.mouse.click(box.x + (box.width * 60) / 240 + 8, box.y + 8);
        await page.locator('.flyout:popover-open').waitFor();
      },
      part: '.flyout:popover-open',
      close: leave,
    },
    {
      name: 'notice',
      open: async (page) => {
        const seed = await seedField(page);
        await seed.fill('1.5');
        await seed.press('Enter');
        await page.locator('.notice').waitFor();
      },
      part: '.notice',
    },
    {
      name: 'trace-refused',
      open: async (page) => {
        await drop(page, 'trace.csv', 'arrived_at,num_prefill_tokens,num_decode_tokens\n1,x,3\n');
        await page.getByRole('dialog').getByText('This trace cannot be used').waitFor();
      },
      ...OF_DIALOG,
    },
  ],
};

const EMBED = {
  link: '#embed=ttft-over-time,queue-depth;kv-pressure;t=21',
  views: [
    {
      name: 'embed',
      open: async (page) => page.locator('.time-chart').first().waitFor(),
    },
  ],
};

const DENSITY = {
  link: '#kv-pressure;t=60',
  views: [
    {
      name: 'density',
      open: async (page) => {
        await page.getByRole('button', { name: 'Density', exact: true }).click();
        await page.getByRole('region', { name: 'Density' }).getByRole('row').nth(3).waitFor();
        const map = page.getByRole('region', { name: /^Brush of the TTFT map/ });
        await map.focus();
        await page.keyboard.press('b');
        await page.locator('.rows-pill').first().waitFor();
      },
      tabs: ['Charts', 'Inspector'],
      scroll: '.area',
    },
  ],
};

export const SCENES = [
  main('chat-4xh100', ''),
  main('kv-pressure'),
  main('mixed-fleet', '#mixed-fleet'),
  main('fleet-256'),
  main('two-variants', '#two-variants;t=256'),
  main('long-chats'),
  EMPTY,
  FORM,
  REQUESTS,
  THEORY,
  SCALING,
  ESTIMATOR,
  DIALOGS,
  EXCHANGE,
  EDITS,
  COMPARE,
  STUDIES,
  AUTOSCALERS,
  TRUTH,
  DENSITY,
  EMBED,
];
