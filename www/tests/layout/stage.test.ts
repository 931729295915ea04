// The stage at every size, with every number of replicas and clients: no text overlaps another or a border, or is
// outside.
import { expect, test } from 'vitest';
import type { Frame, ReplicaFrame } from '../../src/generated/boundary.ts';
import { Dots } from '../../src/stage/dots.ts';
import { drawScene } from '../../src/stage/drawStage.ts';
import { present } from '../../src/stage/facts.ts';
import { Trends } from '../../src/stage/history.ts';
import { type StageLayout, stageLayout, stageNeeds } from '../../src/stage/layout.ts';
import { layoutFor } from '../../src/stage/layoutFor.ts';
import type { Scene } from '../../src/stage/scene.ts';
import { clientPipes } from '../../src/stage/ways.ts';
import { frameOf } from '../gallery/synthetic.ts';
import { type Label, onBorder, outside, overprinted, plainPalette, recordingPen } from './pen.ts';

const REPLICAS = [1, 2, 4, 5, 8, 9, 64, 256, 1024] as const;
const CLIENTS = [1, 3, 256] as const;
/** Panes of the stage from a phone at 400 % to a wide screen, and those where the layout changes. */
const WIDTHS = [304, 344, 374, 479, 480, 519, 720, 759, 760, 775, 822, 991, 1302, 1631] as const;
const HEIGHTS = [220, 262, 326, 340, 480] as const;

type Kind = 'quiet' | 'busy' | 'starting' | 'broken' | 'three bands' | 'five bands';
const BANDS: Partial<Record<Kind, number>> = { 'three bands': 3, 'five bands': 5 };

/** A paused cluster, with the widest possible numbers and names, or with replicas that start or are broken. */
function frameFor(replicas: number, clients: number, kind: Kind): Frame {
  const bands = BANDS[kind] ?? 0;
  const busy = kind === 'busy' || bands > 3;
  const frame = frameOf(replicas, 131.25, 1, { pools: busy, tier: busy, bands });
  const names = busy ? ['internal-batch-summaries', 'rag', 'agent-with-tools'] : ['chat', 'rag', 'batch'];
  return {
    ...frame,
    counts: busy
      ? { ...frame.counts, in_pipeline: 12_345, held: 12_345, rejected: 123_456, waiting: 123_456, running: 99_999 }
      : frame.counts,
    key: busy
      ? { ...frame.key, offered_per_s: 123_456 }
      : kind === 'broken' || kind === 'three bands'
        ? { ...frame.key, faults: BROKEN }
        : frame.key,
    clients: Array.from({ length: clients }, (_, i) => ({
      name: names[i] ?? `client-${i}`,
      rate_per_s: busy ? 12_345 - i : 5.8,
      ...(busy ? { tenant: 'internal-summaries' } : {}),
      ...(bands > 0 ? { priority: [100, 0, -10][i % 3] ?? 0 } : {}),
    })),
    replicas: busy ? frame.replicas.map(widest) : by(kind)(frame.replicas),
  };
}

const BROKEN = { availability: 0.5, success: 0.5, attempts_per_arrival: 2, retrying: 12_345, lost: 12_345 };

function by(kind: Kind): (replicas: readonly ReplicaFrame[]) => ReplicaFrame[] {
  const change = { starting: young, broken }[kind as string];
  return (replicas) => (change ? replicas.map(change) : [...replicas]);
}

/** One of four is well; the others are down, down for good, or have a fault. */
function broken(r: ReplicaFrame, i: number): ReplicaFrame {
  if (i % 4 === 3) return r;
  if (i % 4 === 2)
    return { ...r, faults: [{ kind: 'transfer-link', short: 'thin link', factor: 12.345, until_us: 12_345_678_000 }] };
  const life = { phase: 'down', step: '', since_us: 100_500_000, step_until_us: 0, cold_requests: 0 };
  return {
    ...young(r, 2),
    life: { ...life, ready_us: i % 4 === 0 ? 240_000_000 : 0 },
    crash: { broken: 12_345, lost: 2_345, planned: false },
  };
}

/** Two of three have not served for long, or do not serve yet. */
function young(r: ReplicaFrame, i: number): ReplicaFrame {
  if (i % 3 === 0) return r;
  const life = { step: '', since_us: 100e6, step_until_us: 0, ready_us: 0, cold_requests: 12 };
  if (i % 3 === 1) return { ...r, life: { ...life, phase: 'cold' } };
  const starting = { ...life, phase: 'starting', step: 'initialising', step_until_us: 140e6, ready_us: 12_345_678_000 };
  return {
    ...r,
    serving: false,
    waiting: 0,
    running: 0,
    in_flight: 0,
    queue: [],
    batch: { requests: [], contexts: [], decoding: 0, prefill: [] },
    life: starting,
  };
}

function widest(r: ReplicaFrame, i: number): ReplicaFrame {
  const ttft = { count: 500, p50_us: 12_345_678, p90_us: 2e7, p99_us: 3e7 };
  const kv = { ...r.kv, used: r.kv.total };
  const leaves = i % 5 === 4;
  return {
    ...r,
    waiting: 1024,
    running: 1024,
    in_flight: 12_345,
    busy: 1,
    share: 1,
    step_us: 123_456,
    ttft,
    kv,
    serving: !leaves,
  };
}

/** Drawn as in the whole page, where rows have tools in the dark, or as in the first view. */
function drawn(
  frame: Frame,
  width: number,
  height: number,
  dark: boolean,
  calm = false,
): { labels: Label[]; layout: StageLayout } {
  const { pen, labels } = recordingPen();
  const replicas = present(frame.replicas);
  const layout = layoutFor(width, height, frame, replicas, { calm, tools: dark });
  const scene: Scene = {
    pen,
    p: plainPalette(dark),
    frame,
    written: frame,
    replicas,
    layout,
    request: undefined,
    focus: frame.key.faults ? 0 : undefined,
    menu: true,
    scale: 4096,
    trends: new Trends(),
    dots: new Dots(),
    wallMs: 0,
    ribbons: true,
  };
  drawScene(scene);
  return { labels, layout };
}

for (const kind of ['quiet', 'busy', 'starting', 'broken', 'three bands', 'five bands'] as const) {
  for (const n of REPLICAS) {
    test(`${n} replicas, ${kind}: every text is whole and overlaps no other text or border at every size`, () => {
      for (const clients of CLIENTS) {
        const frame = frameFor(n, clients, kind);
        for (const width of WIDTHS) {
          for (const height of HEIGHTS) {
            for (const [dark, calm] of [
              [true, false],
              [false, false],
              [false, true],
            ] as const) {
              const { labels, layout } = drawn(frame, width, height, dark, calm);
              const where = `${clients} clients in ${width} × ${height}, ${layout.detail}${calm ? ', first view' : ''}`;
              expect(overprinted(labels), where).toEqual([]);
              expect(outside(labels, layout.width, layout.height), where).toEqual([]);
              expect(onBorder(labels, layout.detail === 'aggregate' ? [] : layout.boxes), where).toEqual([]);
              // The rate and its unit, the heads and a name; in the first view no more.
              expect(labels.length, where).toBeGreaterThanOrEqual(calm ? 5 : 6);
            }
          }
        }
      }
    });
  }
}

test('a stage without replicas says that requests are held, and no text overlaps another', () => {
  for (const width of WIDTHS) {
    for (const height of HEIGHTS) {
      const { labels } = drawn(frameFor(0, 1, 'quiet'), width, height, true);
      expect(overprinted(labels), `${width} × ${height}`).toEqual([]);
      if (width >= 480) expect(labels.some(({ text }) => text.startsWith('No replica'))).toBe(true);
    }
  }
});

test('a low stage shows less of each replica before it scrolls', () => {
  expect([8, 4].map((n) => stageLayout(822, 220, n).detail)).toEqual(['cards', 'rows']);
  for (const n of REPLICAS)
    for (const width of [480, 760, 822, 1302]) {
      const { height } = stageLayout(width, 262, n);
      if (n <= 64 || width > 760) expect(height, `${n} replicas in ${width}`).toBe(262);
    }
});

test('only a phone requests the height of all replicas', () => {
  expect(stageNeeds(374, 8)).toBeGreaterThan(800);
  expect(stageNeeds(374, 64)).toBeLessThan(1000);
  expect(stageNeeds(822, 8)).toBe(0);
});

test('clients without their own lane share the last, and lanes end above the foot', () => {
  for (const height of [220, 326, 500]) {
    const layout = stageLayout(822, height, 4);
    for (const clients of [1, 3, 7, 256]) {
      const pipes = clientPipes(layout, clients);
      expect(pipes.length).toBe(Math.min(clients, pipes.length));
      expect(pipes.length).toBeGreaterThanOrEqual(Math.min(clients, 3));
      expect((pipes.at(-1)?.y ?? 0) + 10).toBeLessThanOrEqual(height - 32);
    }
  }
});

test('replaced and stopped replicas leave the stage; one that still serves its last requests stays', () => {
  const { replicas } = frameOf(4);
  const [a, b, ...rest] = replicas;
  if (!a || !b) throw new Error('no replicas');
  const stopped = { ...a, serving: false, waiting: 0, running: 0, in_flight: 0 };
  expect(present([stopped, { ...b, serving: false }, ...rest]).map((r) => r.id)).toEqual([1, 2, 3]);
  expect(present(replicas)).toBe(replicas);
  const starting = young({ ...a }, 2);
  expect(present([starting, ...rest]), 'a starting one has its place').toContain(starting);
});
