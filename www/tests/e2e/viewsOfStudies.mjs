// The views of comparisons, races, sweeps and measured runs, and how to open them: see views.mjs.
import { readFileSync } from 'node:fs';
import { compared, comparison, FLEET } from './comparing.mjs';
import { drop, ROOT, resting } from './harness.mjs';

const truth = (page) => page.getByRole('main', { name: 'How true is this?' });
const OF_COMPARE = { part: '.compare', scroll: '.compare-mid' };
const OF_TRUTH = { part: '.truth', scroll: '.truth-mid' };

/** Opens the comparison with one of its studies. */
async function study(page, name) {
  await page.keyboard.press('c');
  await comparison(page).getByRole('button', { name, exact: true }).first().click();
}

export const COMPARE = {
  link: '#router-showdown',
  views: [
    { name: 'compare-empty', open: async (page) => page.keyboard.press('c'), ...OF_COMPARE },
    {
      name: 'compare',
      open: async (page) => {
        await comparison(page).getByLabel('Router of B').selectOption({ label: 'Least loaded' });
        await compared(page);
        await comparison(page).getByRole('heading', { name: 'Lost most' }).waitFor();
      },
      ...OF_COMPARE,
    },
    {
      name: 'compare-pair',
      open: async (page) => {
        await page.locator('.compare-moved button').first().click();
        await comparison(page)
          .getByRole('region', { name: /in both runs/ })
          .waitFor();
      },
      ...OF_COMPARE,
      scroll: '.compare-right',
    },
    {
      name: 'compare-stages',
      open: async (page) => {
        await comparison(page).getByRole('button', { name: 'Stages' }).click();
        await comparison(page).locator('.stages').getByText('B Least loaded').waitFor();
      },
      ...OF_COMPARE,
    },
  ],
};

export const STUDIES = {
  prepare: async (page) => {
    await drop(page, 'scenario.json', JSON.stringify(FLEET));
    await page.getByText(FLEET.title).first().waitFor();
    await resting(page);
  },
  views: [
    {
      name: 'race-empty',
      open: async (page) => study(page, 'Race'),
      ...OF_COMPARE,
    },
    {
      name: 'race',
      open: async (page) => {
        await comparison(page).getByLabel('Seeds').selectOption('3');
        await comparison(page)
          .getByRole('button', { name: /^Race \d+ .* each$/ })
          .click();
        await comparison(page)
          .getByText(/^\s*(\d+) of \1 /)
          .waitFor();
      },
      ...OF_COMPARE,
    },
    {
      name: 'sweep-empty',
      open: async (page) => comparison(page).getByRole('button', { name: 'Sweep', exact: true }).first().click(),
      ...OF_COMPARE,
    },
    {
      name: 'sweep',
      open: async (page) => {
        await comparison(page).getByLabel('Seeds').selectOption('3');
        await comparison(page)
          .locator('.compare-chooser')
          .getByRole('button', { name: /^Start: / })
          .click();
        await comparison(page)
          .getByText(/^\s*(\d+) of \1 /)
          .waitFor();
      },
      ...OF_COMPARE,
    },
    {
      name: 'capacity',
      open: async (page) => {
        await comparison(page).getByRole('button', { name: 'Find the capacity' }).click();
        await comparison(page).locator('.sweep-found').waitFor();
      },
      ...OF_COMPARE,
      scroll: '.compare-side',
    },
  ],
};

export const AUTOSCALERS = {
  link: '#day-in-ten-minutes',
  views: [
    {
      name: 'race-of-autoscalers',
      open: async (page) => {
        await study(page, 'Race');
        await comparison(page).getByRole('button', { name: 'Autoscalers' }).click();
        await comparison(page).getByLabel('Seeds').selectOption('1');
        await comparison(page)
          .getByRole('button', { name: /^Race \d+ .*, 1 seed each$/ })
          .click();
        await comparison(page)
          .getByText(/^\s*(\d+) of \1 /)
          .waitFor();
      },
      ...OF_COMPARE,
    },
    {
      name: 'compare-over-seeds',
      open: async (page) => {
        await comparison(page).getByRole('button', { name: 'Two runs' }).click();
        await comparison(page).getByLabel('Router of B').selectOption({ label: 'Random' });
        await compared(page);
        await comparison(page).getByLabel('How many seeds').selectOption('3');
        await comparison(page).getByRole('button', { name: 'Run both', exact: true }).click();
        await comparison(page).locator('.compare-regret').waitFor();
      },
      ...OF_COMPARE,
    },
  ],
};

export const TRUTH = {
  link: '#chat-4xh100',
  views: [
    {
      name: 'truth',
      open: async (page) => {
        await page.getByRole('button', { name: 'How true is this?' }).click();
        await truth(page)
          .getByRole('row', { name: /All of these/ })
          .waitFor();
      },
      ...OF_TRUTH,
    },
    {
      name: 'truth-experiment',
      open: async (page) => {
        await truth(page)
          .getByRole('button', { name: /^r3-open-loop-sweep/ })
          .click();
        await truth(page).getByRole('combobox', { name: 'Stage' }).waitFor();
      },
      ...OF_TRUTH,
      scroll: '.truth-side',
    },
    ...['Transfer', 'Ranking'].map((level) => ({
      name: `truth-${level.toLowerCase()}`,
      open: async (page) => truth(page).getByRole('button', { name: level, exact: true }).click(),
      ...OF_TRUTH,
    })),
    {
      name: 'truth-benchmark',
      open: async (page) => {
        const text = readFileSync(`${ROOT}../tests/it/exchange/samples/vllm-bench-detailed.json`, 'utf8');
        await drop(page, 'bench-0721.json', text);
        await truth(page)
          .getByRole('row', { name: /^TPOT mean \d/ })
          .waitFor();
      },
      ...OF_TRUTH,
      scroll: '.truth-side',
    },
  ],
};
