// Made-up servers whose ranks step together, over the replicas of made-up frames. Never a source of numbers.
import type { Frame, RankFrame, ServerFrame } from '../../src/generated/boundary.ts';

/** The same frame with servers of these numbers of ranks, from the first replica on; the fourth rank of each has no work. */
export function withServers(frame: Frame, sizes: readonly number[], rich = false): Frame {
  let first = 0;
  const servers = sizes.map((n, id): ServerFrame => {
    const step = rich ? 123_456 : 31_200;
    const slowest = first + 1;
    const ranks = Array.from({ length: n }, (_, i): RankFrame => {
      const own = i === 1 ? step : i === 3 ? 0 : Math.round(step * (0.3 + 0.05 * (i % 9)));
      const share = { wait_prompts: 0.2, wait_decodes: 0.1, wait_empty: 0.05, wait_share: 0.35 };
      return { replica: first + i, own_us: own, wait_us: step - own, ...share, padding_tokens: 40 * i };
    });
    first += n;
    return {
      ...{ id, pool: frame.replicas[first - 1]?.pool ?? 'main', ranks, step_us: step, slowest, wait_share: 0.35 },
      ...{ padding_tokens: 1200, waiting: 3, running: 40, kv_used: 0.58, cpu_used: 0.12 },
    };
  });
  return { ...frame, servers };
}
