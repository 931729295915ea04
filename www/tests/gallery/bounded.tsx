// Lists and pictures with made-up data of the largest counts that a run can have, each in a box of its own. Never shipped.
import type { JSX } from 'solid-js';
import { render } from 'solid-js/web';
import type { RequestDetail, Segment, TransferFrame } from '../../src/generated/boundary.ts';
import { Decision } from '../../src/panels/inspector/Decision.tsx';
import { Waterfall } from '../../src/panels/parts/Waterfall.tsx';
import Changes from '../../src/panels/scenario/Changes.tsx';
import StageTable from '../../src/stage/StageTable.tsx';
import { TransferTable } from '../../src/stage/TransferTable.tsx';
import type { App } from '../../src/state/app.ts';
import { frameOf } from './synthetic.ts';

const none = (): undefined => undefined;

/** A request that was preempted as often as a livelock of four minutes makes possible. */
const OFTEN = 3796;
const STEP_US = 60_000;
const KINDS: readonly Segment['kind'][] = ['queue', 'prefill', 'preempted', 'recompute', 'decode'];
const segments = Array.from({ length: OFTEN }, (_, i) => i * STEP_US).flatMap((at) =>
  KINDS.map((kind, k): Segment => {
    const from_us = at + (k * STEP_US) / KINDS.length;
    return { kind, from_us, to_us: from_us + STEP_US / KINDS.length, tokens: 1, open: false };
  }),
);
const total_us = OFTEN * STEP_US;
const livelocked = {
  request: 7,
  arrival_us: 0,
  total_us,
  lasted_us: total_us,
  until_us: total_us,
  preemptions: OFTEN,
  segments,
  parts: KINDS.map((kind) => ({ kind, us: total_us / KINDS.length, tokens: OFTEN, segments: OFTEN })),
  candidates: [],
} as unknown as RequestDetail;
/** A request whose attempts broke again and again. */
const retried = {
  ...livelocked,
  segments: segments.slice(0, 8),
  attempts: Array.from({ length: 2000 }, (_, i) => ({
    replica: i % 8,
    wait: 'Queue',
    routed_us: i * 1000,
    scheduled_us: i * 1000 + 200,
    broke_us: i * 1000 + 400,
    prefilled_tokens: 3,
    shown_tokens: 0,
    reason: 'crashed',
  })),
} as unknown as RequestDetail;

const frame = frameOf(1024);
const split = {
  transfers: Array.from(
    { length: 5000 },
    (_, request): TransferFrame =>
      ({ request, from: 0, to: 1, bytes: 1e9, share: 0.5, bytes_per_s: 1e9 }) as TransferFrame,
  ),
} as unknown as NonNullable<(typeof frame)['split']>;
const candidates = frame.replicas.map((r, i) => ({
  replica: r.id,
  waiting: 1,
  running: 2,
  in_flight: 3,
  kv_used: 0.5,
  load: 3,
  true_load: 3,
  score: i,
  chosen: i === 0,
  parts: [{ name: 'load', weight: 1, value: 1, product: 1 }],
}));
const schema = { fields: () => [], said: none };
const document = {
  schema,
  differences: () => 10_000,
  presetName: () => 'many',
  current: () => ({}),
  inForce: () => ({}),
  listed: () =>
    Array.from({ length: 5000 }, (_, index) => ({
      index,
      atUs: index * 1e4,
      off: false,
      scheduled: false,
      edit: { set: { 'cluster.routing': 'random' } },
    })),
  changed: () => Array.from({ length: 5000 }, (_, i) => ({ path: `workload.clients[${i}].name`, from: 'a', to: 'b' })),
  canUndo: () => false,
  canRedo: () => false,
  removeEdit: none,
  restartWith: none,
};
const app = { document } as unknown as Pick<App, 'document'>;

const BOXES: readonly (readonly [name: string, of: () => JSX.Element])[] = [
  ['waterfall of a livelock', () => <Waterfall detail={livelocked} />],
  ['waterfall of retries', () => <Waterfall detail={retried} />],
  ['decision among all replicas', () => <Decision list={candidates} onReplica={none} />],
  ['changes', () => <Changes app={app} />],
  [
    'transfers',
    () => <TransferTable split={split} selected={{ request: undefined, replica: undefined }} onSelect={none} />,
  ],
  [
    'table of the stage',
    () => (
      <StageTable
        frame={frame}
        speed={1}
        playing={false}
        selected={{ request: undefined, replica: undefined }}
        onSelect={none}
        onClose={none}
        reducedMotion
      />
    ),
  ],
];

const place = globalThis.document.getElementById('app');
if (place)
  render(
    () =>
      BOXES.map(([name, of]) => (
        <section class="bounded" aria-label={name}>
          {of()}
        </section>
      )),
    place,
  );
