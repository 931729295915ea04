// Shared code of tests of comparisons and studies.

/** A fleet whose runs take a moment, for studies of many runs. */
export const FLEET = {
  title: 'A small fleet',
  run: { horizon_s: 40, warmup_s: 5 },
  cluster: { pools: [{ replicas: 2 }] },
  workload: { clients: [{ arrivals: { poisson: { rate_per_s: 60 } } }] },
  slo: { ttft_ms: 500 },
};

export const comparison = (page) => page.getByRole('main', { name: 'Compare with B' });

/** Waits until both runs rest at one instant and are compared up to it. */
export const compared = (page) =>
  page.waitForFunction(() => {
    const told = document.querySelector('.compare-head')?.textContent ?? '';
    const now = document.querySelector('.clock')?.firstChild?.textContent?.trim();
    return told.includes(`compared up to ${now} s`);
  });
