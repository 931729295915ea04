// The gateway's queue in the report: how long requests waited in each band, and what became of them.
import { For, type JSX } from 'solid-js';
import { count, durationMs, minus, sig3, text } from '../../base/units.ts';
import type { BandPart, GatewayPart } from '../../generated/boundary.ts';
import { Block } from '../parts/Block.tsx';

type Row = readonly [name: string, help: string, value: (part: BandPart) => string];

const ms = (x: number | undefined): string => text(durationMs(x ?? Number.NaN));

const ROWS: readonly Row[] = [
  ['Joined', 'Requests that joined the band, with the warm-up', (p) => count(p.entered)],
  ['Went on', 'Requests that went on to the router, with the warm-up', (p) => count(p.dispatched)],
  [
    'Refused, full',
    'Requests refused because the queue or the band was full, with the warm-up',
    (p) => count(p.refused_full),
  ],
  ['Waited too long', 'Requests refused after the longest wait, with the warm-up', (p) => count(p.expired)],
  ['Evicted', 'Running requests stopped to make room for a higher band, with the warm-up', (p) => count(p.evicted)],
  ['Waiting now', 'Requests that wait at this instant', (p) => count(p.waiting)],
  ['Waiting, mean', 'Mean number of requests that waited since the warm-up', (p) => sig3(p.mean_waiting)],
  ['Waiting, most', 'Most requests that waited at once since the warm-up', (p) => count(p.max_waiting)],
  ['Wait p50', 'Median wait of the requests that went on', (p) => ms(p.wait_ms.p50)],
  ['Wait p99', '99th percentile of the wait of the requests that went on', (p) => ms(p.wait_ms.p99)],
];

/** A row for each figure, a column for all bands together and for each band. */
export function GatewayBlock(props: { gateway: GatewayPart; span: string }): JSX.Element {
  const parts = (): readonly BandPart[] => [props.gateway.all, ...props.gateway.bands];
  return (
    <Block title="Gateway queue by band" remark={props.span}>
      <div class="scores">
        <table class="tbl">
          <thead>
            <tr>
              <th scope="col">Band</th>
              <For each={parts()}>{(part, i) => <th scope="col">{i() === 0 ? 'all' : minus(part.priority)}</th>}</For>
            </tr>
          </thead>
          <tbody>
            <For each={ROWS}>
              {([name, help, value]) => (
                <tr>
                  <th scope="row" title={help}>
                    {name}
                  </th>
                  <For each={parts()}>{(part) => <td>{value(part)}</td>}</For>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
    </Block>
  );
}
