// The bars that a hand-over adds to a waterfall: the transfer at its speed over time, and what is still to come.
import { createMemo, type JSX } from 'solid-js';
import type { RequestDetail, Segment } from '../../generated/boundary.ts';
import type { Ahead } from './transferWords.ts';

/** The height of the bar of a transfer at full speed, and its foot. */
const FULL = 11;
const FOOT = 16;

/** The transfer: its height is its speed, full where it had its ports to itself. */
export function TransferBar(props: {
  segment: Segment;
  detail: RequestDetail;
  x: (us: number) => number;
}): JSX.Element {
  const path = createMemo(() => {
    const transfer = props.detail.handover?.transfer;
    const { from_us, to_us } = props.segment;
    const [from, to] = [props.x(from_us), Math.max(props.x(from_us) + 1.5, props.x(to_us))];
    const full = Math.max(transfer?.alone_per_s ?? 0, ...(transfer?.rates ?? []).map((step) => step.bytes_per_s));
    if (!transfer || transfer.rates.length === 0 || full === 0) return `M${from} ${FOOT}V${FOOT - FULL}H${to}V${FOOT}Z`;
    const steps = transfer.rates.map((step) => {
      const height = Math.max(1.5, (FULL * step.bytes_per_s) / full);
      return `V${FOOT - height}H${Math.min(to, Math.max(from, props.x(step.to_us)))}`;
    });
    return `M${from} ${FOOT}${steps.join('')}V${FOOT}Z`;
  });
  return <path class="transfer" d={path()} />;
}

/** What is still to come, as an outline. */
export function AheadBar(props: { part: Ahead; x: (us: number) => number }): JSX.Element {
  const from = (): number => props.x(props.part.fromUs);
  return (
    <rect
      class="to-come"
      x={from() + 0.5}
      y="6.5"
      width={Math.max(1, props.x(props.part.toUs) - from() - 1)}
      height="8"
      rx="1"
    />
  );
}
