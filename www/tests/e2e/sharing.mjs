// Shared code of tests of links, and scenarios with long links.
import { resting, seedField } from './harness.mjs';

export async function goTo(page, seconds) {
  await page.locator('#time-field').fill(String(seconds));
  await page.locator('#time-field').press('Enter');
  await resting(page);
}

export async function setSeed(page, seed) {
  const field = await seedField(page);
  await field.fill(String(seed));
  await field.press('Enter');
  await resting(page);
}

/** The link that the dialog for sharing shows; without `result` that of the address bar, which never says the result. */
export async function sharedLink(page, { result = true } = {}) {
  await page.getByRole('banner').getByRole('button', { name: 'Share' }).click();
  const field = page.getByRole('textbox', { name: 'Link', exact: true });
  await page.waitForFunction(() => document.querySelector('.share-url')?.value.startsWith('http'));
  if (!result) {
    const said = await field.inputValue();
    await page.getByRole('checkbox', { name: 'Result' }).click();
    await page.waitForFunction((before) => document.querySelector('.share-url')?.value !== before, said);
  }
  return field.inputValue();
}

/**
 * A scenario with a number of explicit requests, all different, so that its link grows with each. They are the same
 * every time.
 */
export function explicit(requests) {
  let state = 7;
  const below = (bound) => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return Math.floor((state / 4294967296) * bound);
  };
  const one = (_, text) => ({
    arrival_us: below(60_000_000),
    prompt: [{ text, tokens: 1 + below(900) }],
    output: { tokens: 1 + below(90) },
  });
  return JSON.stringify({
    title: 'One by one',
    run: { horizon_s: 60, warmup_s: 0 },
    workload: { clients: [], requests: Array.from({ length: requests }, one) },
  });
}
