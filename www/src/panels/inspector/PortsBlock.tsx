// A replica that prefills for others, or has others prefill for it: its ports, and the requests between the two.
import type { JSX } from 'solid-js';
import { count, durationUs, NBSP, percent, plain, text } from '../../base/units.ts';
import type { MovingFrame, PortFrame } from '../../generated/boundary.ts';
import { Block, NameValues, type Row } from '../parts/Block.tsx';

const GB = 1e9;

function portRow(name: string, port: PortFrame): Row {
  const now = `${plain(port.now_per_s / GB)} of ${plain(port.capacity / GB)}${NBSP}GB/s`;
  return [
    name,
    `${text(percent(port.used))} · now ${now}, ${count(port.flows)} ${port.flows === 1 ? 'flow' : 'flows'}`,
  ];
}

export function PortsBlock(props: { moving: MovingFrame }): JSX.Element {
  const m = (): MovingFrame => props.moving;
  const rows = (): readonly Row[] =>
    m().role === 'prefill'
      ? [
          portRow('Port out', m().out),
          ['Outgoing: prefilled, held for their homes', count(m().outgoing)],
          ['Blocks held for homes', count(m().held_blocks)],
        ]
      : [
          portRow('Port in', m().into),
          ['Bound for here, prefilled elsewhere', count(m().bound)],
          ['Incoming: blocks set aside', count(m().incoming)],
          ['Landed, waiting for the next step', count(m().landed)],
          ['Blocks set aside', count(m().reserved_blocks)],
          ['ITL by the latest step', text(durationUs(m().itl_us))],
        ];
  return (
    <Block title="Hand-overs" remark={m().role}>
      <NameValues rows={rows()} />
    </Block>
  );
}
