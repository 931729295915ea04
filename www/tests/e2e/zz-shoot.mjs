import { open, newPage, drop, resting } from './harness.mjs';
import { goTo } from './sharing.mjs';
const DOC = {
  title: 'One replica crashes, one limps',
  run: { horizon_s: 240, warmup_s: 20 },
  cluster: { pools: [{ replicas: 4 }], resilience: { retries: 1, resume: false } },
  workload: { clients: [{ name: 'chat', arrivals: { poisson: { rate_per_s: 42 } } }, { name: 'rag', arrivals: { poisson: { rate_per_s: 4 } } }] },
  edits: [
    { at_us: 40e6, fault: { stuck: { replica: 0, for_s: 6 } } },
    { at_us: 78e6, fault: { slow: { replica: 1, factor: 3, for_s: 60 } } },
    { at_us: 98e6, fault: { crash: { replica: 2, restart_s: 58 } } },
    { at_us: 180e6, fault: { slow: { replica: 3, factor: 2, for_s: 20 } } },
  ],
};
const want = process.argv.slice(2);
const it = await open();
for (const [name, options] of [
  ['dark', { colorScheme: 'dark' }],
  ['light', { colorScheme: 'light' }],
  ['phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }],
]) {
  if (want.length && !want.includes(name)) continue;
  const { page, seen } = await newPage(it, options);
  page.setDefaultTimeout(60000);
  await drop(page, 'scenario.json', JSON.stringify(DOC));
  await page.getByText(DOC.title).first().waitFor();
  await resting(page);
  if (name === 'phone') {
    await goTo(page, 118).catch((e) => console.log('goTo', e.message));
    await resting(page);
    await page.screenshot({ path: `/tmp/shots-faults/${name}-stage.png` });
    await page.screenshot({ path: `/tmp/shots-faults/${name}-full.png`, fullPage: true });
  } else {
    await goTo(page, 118);
    await resting(page);
    await page.locator('.stage-host canvas').click({ position: { x: 290, y: 200 } });
    await page.waitForTimeout(800);
    await page.screenshot({ path: `/tmp/shots-faults/${name}-replica.png` });
    await page.keyboard.press('Escape');
    await page.locator('.stage-host canvas').click({ position: { x: 290, y: 300 } });
    await page.keyboard.press('f');
    await page.waitForTimeout(800);
    await page.screenshot({ path: `/tmp/shots-faults/${name}-menu.png` });
    await page.keyboard.press('Escape');
    await goTo(page, 100);
    await resting(page);
    await page.screenshot({ path: `/tmp/shots-faults/${name}-100.png` });
    // A request that was retried.
    const cv = page.locator('.inspector, [aria-label=Inspector]').first();
    await page.getByRole('complementary', { name: 'Inspector' }).getByRole('tab', { name: 'Log' }).click().catch(() => {});
    await page.waitForTimeout(800);
    await page.screenshot({ path: `/tmp/shots-faults/${name}-log.png` });
  }
  console.log(name, JSON.stringify(seen.errors.slice(0, 3)));
  await page.context().close();
}
await it.close();
process.exit(0);
