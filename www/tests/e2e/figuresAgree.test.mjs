// Figures on screen add up, agree with each other and name their time span.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  chooseReplica,
  comes,
  drop,
  inspectorTab,
  moreFigures,
  preset,
  resting,
  runFigures,
  SIX,
  savedReport,
  suite,
  toEnd,
} from './harness.mjs';
import { watchCanvases } from './texts.mjs';

const onPage = suite();
const inspector = (page) => page.getByRole('complementary', { name: 'Inspector' });
const figure = (page, title) => page.locator('.kpi > div').filter({ hasText: title });

/** A chart over time by its title. */
const chart = (page, title) =>
  page.locator('.time-chart').filter({ has: page.locator('figcaption b').getByText(title, { exact: true }) });

/** A value of the inspector by its name. */
async function said(page, name) {
  const row = inspector(page)
    .locator('.list > div')
    .filter({ has: page.getByText(name, { exact: true }) });
  return (await row.locator('dd').first().textContent()).trim();
}

onPage('the slowest requests are named, and the parts of each add up to its E2E to the microsecond', async (page) => {
  await preset(page, 'kv-pressure');
  await toEnd(page);
  await runFigures(page);
  const slowest = page.locator('.slowest tbody tr');
  await slowest.first().waitFor();
  const all = await slowest.evaluateAll((list) => list.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const preempted = all.findIndex((cells) => Number(cells.at(-1)) > 0);
  assert.ok(preempted >= 0, 'one of the slowest was preempted');
  const e2e = all[preempted].at(-2);
  await slowest.nth(preempted).getByRole('button').click();
  const fall = page.getByRole('img', { name: /Waterfall of request/ });
  await fall.waitFor();
  const rows = await fall.locator('.fall-row').evaluateAll((all) => all.map((row) => Number(row.dataset.us)));
  const sum = await fall.locator('.fall-sum').evaluate((row) => Number(row.dataset.us));
  assert.equal(
    rows.reduce((a, b) => a + b, 0),
    sum,
  );
  await comes(async () => (await fall.locator('.fall-sum .row-value').textContent()).trim(), e2e);
  await comes(() => fall.getAttribute('aria-label'), /Preempted /, 'preemptions stay');
});

onPage(
  'there is one TTFT p99 at a time, and every percentile names its span',
  async (page) => {
    await toEnd(page);
    const chart = page.locator('.time-chart').first();
    const told = async (place) => (await place.textContent()).replaceAll(/\s/g, '');
    const shown = await told(figure(page, 'TTFT p99').locator('p > span').first());
    await comes(() => told(chart.locator('.strong')), shown);
    const span = (await page.locator('.kpi .win').textContent()).trim();
    await comes(async () => (await chart.locator('.span').textContent()).trim(), span);
    const ecdf = page.locator('.ecdf').first();
    const sentence = await ecdf.locator('canvas').getAttribute('aria-label');
    assert.ok(sentence.replaceAll(/\s/g, '').includes(`99%within${shown}`), `${sentence}: not ${shown}`);
    assert.ok(sentence.includes(span) && (await ecdf.locator('figcaption').textContent()).includes(span));
    await inspectorTab(page, 'Run');
    const row = inspector(page).locator('.tbl').first().locator('tr').filter({ hasText: 'TTFT' });
    await comes(async () => (await row.locator('td').nth(2).textContent()).replaceAll(/\s/g, ''), shown);
  },
  { link: SIX },
);

onPage(
  'while playing, key figures, heads of charts and distributions are of one instant',
  async (page) => {
    await page.getByRole('button', { name: 'Play', exact: true }).first().click();
    const found = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const bare = (text) => text.replaceAll(/\s/g, '');
          const seen = new Set();
          const apart = [];
          let frames = 0;
          const look = () => {
            const figure = [...document.querySelectorAll('.kpi > div')].find((el) =>
              el.textContent.includes('TTFT p99'),
            );
            const key = bare(figure.querySelector('p > span').textContent);
            const head = bare(document.querySelector('.time-chart').getAttribute('aria-label'));
            const share = bare(document.querySelector('.ecdf canvas').getAttribute('aria-label'));
            if (!head.includes(`p99${key}.`) || !share.includes(`99%within${key}`)) apart.push([key, head, share]);
            seen.add(key);
            frames += 1;
            if (frames < 400 && seen.size < 6) requestAnimationFrame(look);
            else resolve({ apart, values: seen.size });
          };
          requestAnimationFrame(look);
        }),
    );
    assert.deepEqual(found.apart, []);
    assert.ok(found.values > 1, 'the figures moved on');
  },
  { link: SIX },
);

onPage(
  'an outage shows as such: no earlier percentiles, the number of requests at the gateway, and a mark on the timeline',
  async (page) => {
    await resting(page);
    await comes(() => figure(page, 'TTFT p99').locator('p').innerText(), /^–$/);
    await comes(() => figure(page, 'waiting').locator('p').innerText(), /^\d+\s*\d+ at the gateway$/);
    const head = (name) => chart(page, name).getAttribute('aria-label');
    await comes(() => head('TTFT'), /last 30 s: p50 none, p90 none, p99 none\.$/);
    await comes(() => head('Waiting'), /gateway [1-9]/);
    const picture = (name) => page.getByRole('img', { name });
    await picture(/requests wait at replicas and \d+ at the gateway/).waitFor();
    await picture(/^Timeline .* stretches requests waited and none ended/).waitFor();
  },
  { link: '#scale-to-zero;t=615' },
);

onPage('the TPOT objective is compared with TPOT, and ITL is shown beside it', async (page) => {
  await toEnd(page);
  await moreFigures(page);
  const tile = figure(page, 'TPOT p99');
  await comes(() => tile.locator('p').textContent(), /ITL/);
  await comes(() => figure(page, 'ITL p99').count(), 0);
});

onPage(
  'a click on a distribution opens the request at that latency',
  async (page) => {
    await toEnd(page);
    const canvas = page.locator('.ecdf canvas').first();
    const box = await canvas.boundingBox();
    await canvas.click({ position: { x: box.width - 2, y: box.height / 2 } });
    await page.getByRole('img', { name: /Waterfall of request/ }).waitFor();
  },
  { link: SIX },
);

onPage('a click on a chart of latencies seeks and opens the slowest request of that time', async (page) => {
  await toEnd(page);
  const plot = page.locator('.time-chart .plot').first();
  const box = await plot.boundingBox();
  await plot.click({ position: { x: box.width / 2, y: box.height / 2 } });
  await page.getByRole('img', { name: /Waterfall of request/ }).waitFor();
  await page.waitForFunction(() => {
    const now = Number(document.querySelector('.clock')?.firstChild.textContent);
    return now > 118 && now < 123;
  });
});

onPage(
  'the pointer over one chart shows its instant on all of them, with the values there',
  async (page) => {
    await toEnd(page);
    const areas = page.locator('.time-chart .plot-area');
    const box = await areas.nth(2).boundingBox();
    await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2);
    const at = (el) => el.getBoundingClientRect().left;
    for (const area of await areas.all()) {
      const cross = await area.locator('.crosshair').evaluate(at);
      assert.ok(Math.abs(cross - box.x - box.width / 4) < 1, `${cross}`);
    }
    // A bucket of latencies is drawn at its middle, a gauge at the instant it was read.
    const chip = Number(await page.locator('.cursor-chip').textContent());
    for (const span of await page.locator('.time-chart .span').allTextContents()) {
      const told = Number(/(?:at|to) ([\d.]+) s$/.exec(span.trim())?.[1]);
      assert.ok(Math.abs(told - chip) <= 1, `${span} at ${chip}`);
    }
    // TTFT has three percentiles, KV in use has four replicas.
    assert.equal(await areas.nth(0).locator('.crosshair-point').count(), 3);
    assert.equal(await areas.nth(2).locator('.crosshair-point').count(), 4);
    await page.mouse.move(box.x - 60, box.y - 300);
    await comes(() => page.locator('.crosshair').count(), 0);
  },
  { link: SIX },
);

onPage.long('axes reset with another scenario', async (page) => {
  const drawn = () =>
    page.evaluate(() =>
      // The strip of density waits for a module that loads later.
      [...document.querySelectorAll('canvas')]
        .filter((canvas) => !canvas.closest('figure')?.textContent.includes('TTFT density'))
        .map(textsOn),
    );
  await page.evaluate(() => {
    window.textsOn = (canvas) => (window.canvasTexts.get(canvas) ?? []).map((t) => t.text).join(' ');
  });
  await watchCanvases(page);
  await preset(page, 'router-showdown');
  // The last drawing comes after the run rests, so wait until it no longer changes.
  let opening;
  for (let same = 0; same < 4; ) {
    const now = await drawn();
    same = JSON.stringify(now) === JSON.stringify(opening) ? same + 1 : 0;
    opening = now;
    await page.waitForTimeout(700);
  }
  await preset(page, 'kv-pressure');
  await toEnd(page);
  assert.notDeepEqual(await drawn(), opening);
  await preset(page, 'router-showdown');
  let again;
  for (let tries = 0; tries < 40; tries++) {
    again = await drawn();
    if (JSON.stringify(again) === JSON.stringify(opening)) break;
    await page.waitForTimeout(500);
  }
  assert.deepEqual(again, opening);
});

onPage.long('a replica among 256 shows its running requests, and counts requests in flight once', async (page) => {
  const many = {
    title: 'Two hundred and fifty-six',
    run: { horizon_s: 20, warmup_s: 0 },
    cluster: { pools: [{ replicas: 256 }] },
    workload: { clients: [{ arrivals: { poisson: { rate_per_s: 600 } } }] },
  };
  await drop(page, 'scenario.json', JSON.stringify(many));
  await page.getByText(many.title).first().waitFor();
  await resting(page);
  await chart(page, 'Waiting').click({ position: { x: 120, y: 40 } });
  await resting(page);
  await chooseReplica(page, 3);
  await inspector(page).locator('.chips .link').first().waitFor();
  const [all, coming, waiting, running] = await Promise.all(
    ['In flight', 'on their way', 'waiting', 'running'].map((name) => said(page, name).then(Number)),
  );
  assert.ok(running > 0, 'the instant is one at which it works');
  assert.equal(all, coming + waiting + running);
  await comes(() => inspector(page).locator('.chips .link').count(), Math.min(48, running));
  await comes(() => inspector(page).getByText('Nothing is running here now.').count(), 0);
});

onPage(
  'in the warm-up the latest seconds are shown, with a note that nothing is measured yet',
  async (page) => {
    const warm = { title: 'Still warm', run: { horizon_s: 30, warmup_s: 25 } };
    await drop(page, 'scenario.json', JSON.stringify(warm));
    await page.getByText(warm.title).first().waitFor();
    await resting(page);
    await chart(page, 'Waiting').click({ position: { x: 180, y: 40 } });
    await resting(page);
    await comes(() => page.locator('.ecdf canvas').last().getAttribute('aria-label'), /half of the requests/);
    await runFigures(page);
    await inspector(page).getByText('The warm-up is not over').waitFor();
  },
  { link: SIX },
);

onPage('a log that keeps few events gives the number of lost older ones', async (page) => {
  const short = { title: 'A short memory', run: { horizon_s: 30, warmup_s: 0 }, observe: { event_log: 200 } };
  await drop(page, 'scenario.json', JSON.stringify(short));
  await page.getByRole('heading', { name: short.title }).waitFor();
  await resting(page);
  await inspectorTab(page, 'Log');
  await page.getByRole('button', { name: 'Restart' }).click();
  await inspector(page).getByText('Press Play: every event is listed here.').waitFor();
  await comes(() => page.locator('.log-foot').count(), 0, 'nothing is lost yet');
  await toEnd(page);
  const number = async (place, words) => {
    const [, found] = new RegExp(`^([\\d,]+) ${words}$`).exec((await place.textContent()).trim());
    return Number(found.replaceAll(',', ''));
  };
  await page.locator('.log-foot').waitFor();
  const lost = await number(page.locator('.log-foot'), 'older events are no longer kept\\.');
  const total = await number(page.locator('.log-bar .m'), 'lines');
  assert.ok(lost > 0);
  assert.equal(total - lost, 200);
  await page.locator('.log-row').first().waitFor();
});

/** A shown duration in milliseconds, with the value of its last digit. */
function shownMs(text) {
  const [, value, unit] = /^([\d,.]+)\s?(ms|s|min)?$/.exec(text.trim());
  const scale = { ms: 1, s: 1000, min: 60_000 }[unit ?? 'ms'];
  const decimals = value.split('.')[1]?.length ?? 0;
  return { ms: Number(value.replaceAll(',', '')) * scale, digit: scale / 10 ** decimals };
}

onPage('classes, tenants, clients and pools have the figures of the saved report', async (page) => {
  const report = JSON.parse(readFileSync(await savedReport(page), 'utf8'));
  const wanted = [
    ...report.classes,
    ...report.tenants,
    ...report.clients,
    ...report.pools.map(({ requests }) => requests),
  ];
  assert.ok(wanted.length >= 4);
  await runFigures(page);
  const block = inspector(page).locator('.blk').filter({ hasText: 'By class, tenant, client, pool' });
  for (const [name, key] of [
    ['TTFT', 'ttft_ms'],
    ['TPOT', 'tpot_ms'],
    ['E2E', 'e2e_ms'],
    ['Queue', 'queue_wait_ms'],
  ]) {
    await block.getByRole('button', { name, exact: true }).click();
    await comes(() => block.getByRole('button', { name, exact: true }).getAttribute('aria-pressed'), 'true');
    const rows = await block
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
    assert.deepEqual(
      rows.map(([group, n]) => [group, Number(n.replaceAll(',', ''))]),
      wanted.map((group) => [group.name, group[key].count]),
    );
    for (const [i, [group, , met, ...tails]] of rows.entries()) {
      const attained = Number(/^(\d+)\s%$/.exec(met)[1]);
      assert.ok(
        Math.abs(attained - 100 * (wanted[i].met_share ?? wanted[i].attainment)) <= 0.5 + 1e-9,
        `${group}: ${met}`,
      );
      for (const [k, percentile] of ['p50', 'p90', 'p99'].entries()) {
        const { ms, digit } = shownMs(tails[k]);
        const told = wanted[i][key][percentile];
        assert.ok(
          Math.abs(ms - told) <= 0.501 * digit,
          `${name} ${percentile} of ${group}: ${tails[k]} for ${told} ms`,
        );
      }
    }
  }
});
